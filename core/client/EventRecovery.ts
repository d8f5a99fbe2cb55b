/**
 * Puts the events of one process in the order of their seq, and fetches missing ones again through `process/read`.
 *
 * It asks for a part at a time: an answer with all that a large ring holds would be in front of everything else, and
 * would never arrive where each connection is lost before it does. Events that the server no longer retains are known
 * to be lost.
 */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { type EventRow, events, type FeatureEvent } from "../features/Wires.ts"
import { ClosedParams, ExitedParams, type ReadResult, type OutputStream } from "../protocol/Process.ts"
import type { Call } from "./Calls.ts"
import { type ClientError, type Gone, clientError } from "./ClientError.ts"
import type { Missed } from "./EventFeed.ts"
import { defaultWindow } from "./FlowControl.ts"
import type { Exited, Sequenced } from "./ProcessEvent.ts"
import type { DetachReason } from "../features/attach/wire.ts"
import { fromBase64 } from "../protocol/Bytes.ts"
import * as FromServer from "../protocol/decoding/FromServer.ts"
import { type Json, isObject } from "../protocol/Json.ts"
import type { ServerNotificationName } from "../protocol/Methods.ts"

/** An event, and the process it belongs to. */
export interface Received {
  readonly processId: string
  readonly event: Sequenced | RoleMessage
}

/** A message about an attachment to a process: it has no place among the events. */
export type RoleMessage =
  | { readonly kind: "writer"; readonly writer: boolean }
  | { readonly kind: "detached"; readonly reason: DetachReason }

/** The notifications that are events of processes. */
export type Name = Extract<ServerNotificationName, `process/${string}`>

/** True for such a notification. */
export const isOfProcess = (method: ServerNotificationName): method is Name => method.startsWith("process/")

/** The event in a notification; as a failure, what is malformed. */
export const decode = (method: Name, params: Json): Result.Result<Received, string> => {
  if (method === "process/output") return output(params)
  if (method === "process/gap")
    return Result.map(FromServer.notification(method, params), ({ processId, from, to, screen }) => ({
      processId,
      event: { kind: "gap", from, seq: to, ...(screen && { screen }) },
    }))
  return Result.map(FromServer.notification(method, params), ({ processId, ...rest }) => ({
    processId,
    event: toEvent(method.slice("process/".length), rest) as Received["event"],
  }))
}

/** An event of this kind; a `kind` of its own stands in a field of that name. */
const toEvent = (kind: string, fields: object): object =>
  "kind" in fields ? { ...fields, kind, [kind]: fields.kind } : { ...fields, kind }

const output = (params: Json): Result.Result<Received, string> => {
  if (isObject(params)) {
    const { processId, seq, stream, chunk } = params
    if (typeof processId === "string" && typeof seq === "number" && isStream(stream)) {
      const bytes = bytesOf(chunk)
      if (bytes !== undefined)
        return Result.succeed({ processId, event: { kind: "output", seq, stream, bytes } })
    }
  }
  return Result.map(
    FromServer.notification("process/output", params),
    ({ processId, seq, stream, chunk }) => ({
      processId,
      event: { kind: "output", seq, stream, bytes: chunk },
    }),
  )
}

/** Of a `CutText` they are decoded. */
const bytesOf = (chunk: unknown): Uint8Array | undefined =>
  chunk instanceof Uint8Array
    ? chunk
    : typeof chunk === "string"
      ? Result.getOrUndefined(fromBase64(chunk))
      : undefined

const isStream = (value: Json | undefined): value is OutputStream =>
  value === "stdout" || value === "stderr" || value === "pty"

/** The bound on held early events: 256, or 1 MiB of output. Later ones are read from the server again. */
export const maxEarly = { events: 256, bytes: 1024 * 1024 }

/** A range of events that the server no longer retains, and (`through`) the last seq that it has assigned. */
export interface LostRange {
  readonly from: number
  readonly to: number
  readonly through: number
}

/**
 * A server may send events out of order, twice, or (after a lost connection) not at all. They are published strictly
 * one seq after the other. Early events are held, up to a limit: the server still has the rest. Events that were
 * published before are dropped. Plain functions: every chunk of output passes through here.
 */
export class ReorderBuffer {
  /** The last seq published. */
  last: number
  /** The exit, once it is published. */
  exited: Exited | undefined
  /** True once `closed` is published: nothing follows. */
  closed = false

  private readonly publish: (event: Sequenced) => void
  private readonly early = new Map<number, Sequenced>()
  private earlyBytes = 0
  private seen: number

  /** Publishes the events after seq `after`. */
  constructor(after: number, publish: (event: Sequenced) => void) {
    this.last = after
    this.seen = after
    this.publish = publish
  }

  /** True while a later event is known than the last one published. */
  get gap(): boolean {
    return !this.closed && this.seen > this.last
  }

  /** The early events that are held, and their bytes. */
  get held(): { readonly events: number; readonly bytes: number } {
    return { events: this.early.size, bytes: this.earlyBytes }
  }

  /** True if no more early events can be held. */
  get full(): boolean {
    return this.early.size >= maxEarly.events || this.earlyBytes >= maxEarly.bytes
  }

  accept(event: Sequenced): void {
    if (this.closed || event.seq <= this.last) return
    if (event.seq > this.seen) this.seen = event.seq
    if (firstOf(event) <= this.last + 1) {
      this.deliver(event)
      if (this.early.size > 0) this.drain()
    } else if (!this.full) this.hold(event)
  }

  /**
   * Fills in the result of a `process/read` after `last`. If events are lost, publishes those in front of them, and
   * returns which are lost.
   */
  splice(state: ReadResult): LostRange | undefined {
    const through = state.nextSeq - 1
    if (this.closed || through <= this.last) return undefined
    for (const { seq, stream, chunk } of state.chunks) {
      if (seq > this.last) this.hold({ kind: "output", seq, stream, bytes: chunk })
    }
    for (const event of ofFeatures(state)) if (event.seq > this.last) this.hold(event)
    if (state.closed) this.hold({ kind: "closed", ...fieldsOf("process/closed", state), seq: through })
    const lost = this.fillExit(state, through)
    if (lost !== undefined) return lost
    this.seen = Math.max(this.seen, through)
    this.drain()
    return undefined
  }

  /**
   * A read does not tell the seq of the exit: it is the one seq that no chunk has. If more than that one is missing,
   * events are lost: at the old end of what the server has, or behind the end of a history.
   */
  private fillExit(state: ReadResult, through: number): LostRange | undefined {
    let present = 0
    let exit = this.exited !== undefined || !state.exited
    for (const [seq, event] of this.early) {
      if (event.kind === "exited") exit = true
      if (seq <= through) present += 1
    }
    const missing = through - this.last - present
    if (missing > (exit ? 0 : 1)) {
      this.drain()
      let next = through + 1
      for (const seq of this.early.keys()) next = Math.min(next, seq)
      return { from: this.last + 1, to: Math.max(this.last + 1, next - 1), through }
    }
    if (missing === 1) {
      let seq = this.last + 1
      while (this.early.has(seq)) seq += 1
      const { exitCode, sandboxDenied } = state
      const ending = { ...fieldsOf("process/exited", state), sandboxDenied, exitCode: exitCode ?? -1 }
      this.hold({ kind: "exited", ...ending, seq })
    }
    return undefined
  }

  private hold(event: Sequenced): void {
    if (this.early.has(firstOf(event))) return
    this.early.set(firstOf(event), event)
    if (event.kind === "output") this.earlyBytes += event.bytes.length
  }

  private drain(): void {
    for (;;) {
      const event = this.early.get(this.last + 1)
      if (event === undefined) return
      this.early.delete(firstOf(event))
      if (event.kind === "output") this.earlyBytes -= event.bytes.length
      this.deliver(event)
    }
  }

  private deliver(event: Sequenced): void {
    this.last = event.seq
    if (event.kind === "exited") this.exited = event
    if (event.kind === "closed") {
      this.closed = true
      this.early.clear()
    }
    this.publish(event)
  }
}

/** The fields of a read that have events of features, each with their kind. */
const readEvents = Object.entries(events).flatMap(([kind, { readField }]: readonly [string, EventRow]) =>
  readField === undefined ? [] : [[readField, kind] as const],
)

const ofFeatures = (state: ReadResult): ReadonlyArray<FeatureEvent> =>
  readEvents.flatMap(([field, kind]) =>
    (fieldOf(state, field) ?? []).map((one) => toEvent(kind, one) as FeatureEvent),
  )

/** A field of a read with events of a feature; undefined where there is none. */
const fieldOf = (state: ReadResult, field: string): ReadonlyArray<object> | undefined =>
  (state as Partial<Record<string, unknown>>)[field] as ReadonlyArray<object> | undefined

/** The fields of a notification, as far as a read has them. */
const fieldsOf = (method: "process/closed" | "process/exited", state: ReadResult): object =>
  Object.fromEntries(
    Object.entries(state).filter(([name, value]) => value !== undefined && names[method].has(name)),
  )

const names = {
  "process/closed": new Set(Object.keys(ClosedParams.fields)),
  "process/exited": new Set(Object.keys(ExitedParams.fields)),
}

/** The first seq of an event: a gap has several. */
const firstOf = (event: Sequenced): number => (event.kind === "gap" ? event.from : event.seq)

/** The output that is asked for at once, in bytes: as much as a server pushes ahead by default. */
export const partBytes = defaultWindow

/** Reads the events of one process again. */
export type EventRecovery = ReturnType<typeof make>

/**
 * `last` is the last seq published. If the server has forgotten the process, everything is lost after that, and for a
 * consumer that is behind, everything after its own. With `mayMiss`, as for an attachment, lost output is a gap.
 */
export const make = (id: string, call: Call, last: () => number, mayMiss = false) => {
  const lostError = (why: string, gone: Gone, cause?: ClientError) =>
    clientError("EventsLost", `failed to recover process ${id}: ${why}`, { gone, cause })

  const toError = (lost: LostRange) => lostError(lostText(lost), { from: lost.from, to: lost.to })

  let bytes = 0
  /** The first seq that is gone if the process is forgotten follows `known`, as it is then. */
  const ask = (after: number, known: () => number, bound: { readonly maxBytes?: number }) =>
    call("process/read", { processId: id, afterSeq: after, ...bound }).pipe(
      Effect.map((state) => {
        bytes += sizeOf(state.chunks)
        return state
      }),
      Effect.mapError((error) =>
        ofConnection.has(error.reason) ? error : lostError(error.message, { from: known() + 1 }, error),
      ),
    )

  const read = (after: number, known: () => number) =>
    Effect.flatMap(ask(after, known, { maxBytes: partBytes }), (state) => {
      if (isWhole(state)) return Effect.succeed(state)
      // The one that is missing may be the exit, whose seq no answer tells: that takes all that there is.
      if (state.exited && missing(state, after) === 1) return ask(after, known, {})
      return Effect.succeed({ ...state, ...running, more: true })
    })

  /** The next events after one seq, at most up to another one. */
  const catchUp = (after: number, through: number) =>
    Effect.flatMap(Effect.result(read(after, () => after)), (answer): Effect.Effect<Missed> => {
      if (Result.isFailure(answer)) return Effect.succeed({ events: [], failure: answer.failure })
      const state = answer.success
      const events: Array<Sequenced> = []
      const buffer = new ReorderBuffer(after, (event) => event.seq <= through && events.push(event))
      const missed = buffer.splice(state)
      const lost = missed === undefined || missed.from > through ? undefined : missed
      if (lost !== undefined && !mayMiss) return Effect.succeed({ events, failure: toError(lost) })
      if (lost !== undefined) events.push({ kind: "gap", from: lost.from, seq: Math.min(lost.to, through) })
      if (events.length > 0) return Effect.succeed({ events, failure: undefined })
      // The server has sent what its answer lacks.
      return Effect.succeed({ events, failure: toError({ from: after + 1, to: through, through }) })
    })

  /**
   * The events that the server retains after seq `after`: all of them, or, with `more`, a part as if the process had
   * printed no more. Fails with `Disconnected` or `SessionLost`, or else with `EventsLost`.
   */
  const readAfter = (after: number) => read(after, last)

  /** Fetches what comes after the last event of the buffer; `exit` gets the exit code, if the server knows it. */
  const recover = (buffer: ReorderBuffer, exit: (code: number) => void): Effect.Effect<void, ClientError> =>
    Effect.suspend(() => {
      const { last, gap } = buffer
      return Effect.flatMap(readAfter(last), (state) => {
        if (state.exitCode !== null) exit(state.exitCode)
        const lost = buffer.splice(state)
        if (lost !== undefined) return Effect.fail(toError(lost))
        // The server had sent a later event, and yet its answer has nothing after `last`.
        const stuck = (gap || state.more === true) && buffer.last === last
        if (state.more === true && !stuck) return recover(buffer, exit)
        const missing = { from: last + 1, to: last + 1, through: state.nextSeq - 1 }
        return stuck ? Effect.fail(toError(missing)) : Effect.void
      })
    })

  /** `bytes`: of output that reads have brought so far. */
  return { readAfter, recover, catchUp, bytes: () => bytes }
}

/** Of a process that goes on. */
const running = { exited: false, exitCode: null, closed: false, failure: null, sandboxDenied: false } as const

const sizeOf = (chunks: ReadResult["chunks"]) => chunks.reduce((sum, { chunk }) => sum + chunk.length, 0)

/**
 * True if an answer has all that there is. One to a read with a bound goes to its last chunk (`nextSeq`), so that
 * other events, the exit and the end may be missing behind it. A chunk is far smaller than half of the bound.
 */
const isWhole = (state: ReadResult): boolean => {
  const { chunks, nextSeq, exited, more } = state
  if (more === true) return false
  if (nextSeq - 1 !== chunks.at(-1)?.seq) return true
  const hasMore = exited || readEvents.some(([field]) => fieldOf(state, field) !== undefined)
  return !hasMore && sizeOf(chunks) <= partBytes / 2
}

const missing = (state: ReadResult, after: number): number =>
  state.nextSeq - 1 - after - state.chunks.length - ofFeatures(state).length

/** Why nothing can be read, whatever the server retains. */
const ofConnection: ReadonlySet<ClientError["reason"]> = new Set(["Disconnected", "SessionLost"])

const lostText = ({ from, to, through }: LostRange): string =>
  `process events are no longer retained while recovering through sequence ${through} (${from} to ${to} are gone)`
