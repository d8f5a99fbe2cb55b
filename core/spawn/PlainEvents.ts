/**
 * Guards the core against the events of a plain spawner: whatever is reported, each stream ends once, nothing follows
 * its end, and the exit is reported once. An event that breaks a rule is dropped and the rule is reported.
 *
 * Events that come before `spawn` has answered are kept, and delivered by `open`. After `mute`, which is the end of the
 * child's scope, events are dropped without a report, because the kill at that end causes them.
 */
import { Ending } from "../protocol/Ending.ts"
import * as Shape from "../protocol/shape/index.ts"
import type { ExitStatus, OutputStream, SpawnEvents } from "./Spawner.ts"

/** The rules of a plain spawner, each with what is done where it is broken. */
export const rules = {
  "output-after-end": "a stream has no output after its end; the bytes were dropped",
  "end-twice": "a stream ends once; the second end was ignored",
  "exit-twice": "a child exits once; the second exit was ignored",
  "exit-status":
    'an exit is { kind: "exited", code } with a code from 0 to 255, or { kind: "signaled", signal } with a number; ' +
    "it was taken for exit code 255",
  "exit-ending": "what is told beside an exit is an `Ending`; it was ignored",
  "stream-unknown": "a child on pipes has stdout and stderr, one on a PTY has pty; the event was dropped",
  "output-bytes": "output is a Uint8Array; it was dropped",
  "handle-shape":
    "spawn answers an object with the functions signal, kill and abandonOutput; the start failed",
  "handle-throws": "only write, signal and resize may fail; the failure was ignored",
  "handle-late": "what a handle is asked at the end of a child is answered within 5 s; it was not waited for",
  "method-missing": "a capability that is declared needs its function on the handle",
} as const

/** The name of a rule. */
export type Rule = keyof typeof rules

/** Takes the name of each rule that is broken, and what was done against it. */
export type Report = (rule: Rule, what: string) => void

/** The guarded events of one child. */
export interface PlainEvents {
  /** The events for the plain spawner. */
  readonly events: SpawnEvents
  /** Delivers what came early; from now on events are delivered at once. */
  readonly open: () => void
  /** Ends every stream that is still open; what is reported of it later is dropped without a report. */
  readonly endAll: () => void
  /** Drops every later event. */
  readonly mute: () => void
  /** True once the exit was reported. */
  readonly exited: () => boolean
}

/** Guards the events of a child with these streams. */
export const make = (to: SpawnEvents, streams: ReadonlyArray<OutputStream>, report: Report): PlainEvents => {
  const running = new Set(streams)
  const early: Array<() => void> = []
  let [opened, muted, abandoned, exited] = [false, false, false, false]
  const deliver = (event: () => void) => {
    if (opened) event()
    else early.push(event)
  }
  const isOpen = (stream: OutputStream, rule: Rule, what: string): boolean => {
    if (muted || running.has(stream)) return !muted
    if (!streams.includes(stream)) report("stream-unknown", `${what} ${String(stream)}`)
    else if (!abandoned) report(rule, `${what} ${stream}`)
    return false
  }
  const output = (stream: OutputStream, bytes: Uint8Array) => {
    if (!isOpen(stream, "output-after-end", "output on")) return
    if (!(bytes instanceof Uint8Array)) return report("output-bytes", `output of the type ${typeof bytes}`)
    if (opened) return to.output(stream, bytes)
    // Not `slice`, which copies nothing of a Buffer.
    const kept = Uint8Array.from(bytes)
    early.push(() => to.output(stream, kept))
  }
  const end = (stream: OutputStream) => {
    if (!isOpen(stream, "end-twice", "the end of")) return
    running.delete(stream)
    deliver(() => to.end(stream))
  }
  const exit = (status: ExitStatus, ending?: Ending) => {
    if (muted) return
    if (exited) return report("exit-twice", `an exit with ${JSON.stringify(status)}`)
    exited = true
    const sound = isStatus(status)
    if (!sound) report("exit-status", `an exit with ${JSON.stringify(status)}`)
    const known = ending === undefined || Shape.is(Ending, ending)
    if (!known) report("exit-ending", `an exit with ${JSON.stringify(ending)}`)
    deliver(() => to.exit(sound ? status : { kind: "exited", code: 255 }, known ? ending : undefined))
  }
  return {
    events: { output, end, exit },
    open: () => {
      opened = true
      for (const event of early.splice(0)) if (!muted) event()
    },
    endAll: () => {
      abandoned = true
      for (const stream of running) end(stream)
    },
    mute: () => {
      muted = true
    },
    exited: () => exited,
  }
}

const isWhole = (value: unknown, least: number, most: number): boolean =>
  typeof value === "number" && Number.isInteger(value) && value >= least && value <= most

const isStatus = (status: unknown): status is ExitStatus => {
  const { kind, code, signal } = Object(status) as { readonly [name: string]: unknown }
  return kind === "exited" ? isWhole(code, 0, 255) : kind === "signaled" && isWhole(signal, 1, 127)
}
