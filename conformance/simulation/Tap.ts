/**
 * Checks the wire on one connection: one answer for each request, ids that are not used twice, and the
 * notifications of each process in order, behind the answer to its start, and output within its credit. A request that
 * is cancelled is answered soon.
 */
import { creditOf } from "../../core/protocol/Credit.ts"
import type { Seed } from "./Seed.ts"
import type { Begun, WaitJudge } from "./WaitJudge.ts"
import type { World } from "./World.ts"

interface Params {
  readonly id?: number
  readonly processId?: string
  /** The id that an attachment has on its connection. */
  readonly as?: string
  readonly seq?: number
  readonly from?: number
  readonly to?: number
  readonly chunk?: string
  readonly screen?: { readonly seq: number }
  readonly credit?: number | Readonly<Record<string, number>> | null
  readonly bytes?: number
}

interface Message {
  readonly id?: number
  readonly method?: string
  readonly params?: Params | null
  readonly result?: { readonly sessionId?: string }
  readonly error?: { readonly code: number }
}

interface Told {
  seq: number
  /** Output up to there is in a picture. */
  painted: number
  exited: boolean
  closed: boolean
}

/** The checks of a connection, and the treatment of its messages. */
export interface Conditions {
  /** Capabilities that the server does not announce. */
  readonly hidden: ReadonlyArray<string>
  /** True if nothing was wrong with the connection since that time. */
  readonly isSmooth: (time: number) => boolean
  /** Takes every wait. */
  readonly judge: WaitJudge
  /** The treatment of notifications after the checks. */
  readonly disorder: Disorder
  /** The number of role notices for each id. */
  readonly tells: Map<string, number>
}

/** Milliseconds within which the server answers a request that was cancelled, where nothing was wrong meanwhile. */
const cancelBound = 5_000

/** The checks of one connection. */
export type Tap = ReturnType<typeof make>

export const make = (
  world: World,
  name: string,
  { hidden, isSmooth, judge, disorder, tells }: Conditions,
) => {
  /** Requests without an answer, by id: the method and when it was sent. */
  const open = new Map<number, { readonly method: string; readonly at: number; readonly process: string }>()
  /** The session that the server has attached to it, and when. */
  let attached: { readonly session: string | undefined; readonly at: number } | undefined
  const used = new Set<number>()
  const starting = new Set<string>()
  const tellings = new Map<string, Told>()
  const waits = new Map<number, Begun>()
  /** Calls off the alarms of cancelled requests. */
  const answered = new Map<number, () => void>()
  /** Bytes that may be pushed of each process under credit, as far as the client has sent that. */
  const credits = new Map<string, number>()
  /** A request that has its answer. */
  let lastAnswered: number | undefined

  const openCalls = (): ReadonlyArray<string> =>
    [...open].map(
      ([id, { method, process, at }]) =>
        `${name} ${method} ${process} (${id}), since ${(at / 1000).toFixed(3)}`,
    )

  const up = (text: string): void => {
    const { id, method = "?", params } = JSON.parse(text) as Message
    const process = params?.processId ?? ""
    note(`> ${method} ${process}${id === undefined ? "" : ` (${id})`}`)
    if (method === "request/cancel" && params?.id !== undefined) cancel(params.id)
    if (params != null) lend(method, params)
    if (id === undefined) return
    if (used.has(id)) world.violate("an id is used once", `${name} sends ${id} again`)
    used.add(id)
    open.set(id, { method, at: world.now, process })
    if (method === "process/start") starting.add(process)
  }

  const down = (text: string): ReadonlyArray<string> => {
    const { id, method, params, result, error } = JSON.parse(text) as Message
    if (id !== undefined) {
      const wait = waits.get(id)
      if (wait !== undefined && result !== undefined) judge.answered(wait, result)
      const method = answer(id, error?.code)
      if (method === "initialize" && error === undefined)
        attached = { session: result?.sessionId, at: world.now }
      return disorder.instead(method === "initialize" ? hide(text) : text)
    }
    note(`< ${method ?? "?"} ${params?.processId ?? ""} ${params?.seq ?? ""}`)
    if (method?.startsWith("process/") === true && params != null) event(method, params)
    return disorder.instead(text, method, params?.processId)
  }

  const arrives = (text: string, held: boolean): void => {
    if (!text.includes('"process/wait"')) return
    const { id, params } = JSON.parse(text) as { readonly id: number; readonly params: Begun["asked"] }
    waits.set(id, judge.begun(params, held))
  }

  /** An answer to a request that has one: there must not be such a thing. */
  const strayAnswer = (): string | undefined =>
    lastAnswered === undefined ? undefined : JSON.stringify({ id: lastAnswered, result: {} })

  const lend = (method: string, { processId = "", as, credit, bytes = 0 }: Params): void => {
    if (method === "process/start") {
      if (typeof credit === "number") credits.set(processId, credit)
      else credits.delete(processId)
    }
    if (method === "initialize" && typeof credit === "object")
      for (const [process, left] of Object.entries(credit ?? {})) credits.set(process, left)
    if (method === "process/attach" && as !== undefined) {
      if (typeof credit === "number") credits.set(as, credit)
      else credits.delete(as)
    }
    const known = credits.get(processId)
    if (method === "process/credit" && known !== undefined) credits.set(processId, known + bytes)
  }

  const spend = (processId: string, chunk: string): void => {
    const known = credits.get(processId)
    if (known === undefined) return
    const size = (chunk.length / 4) * 3 - (chunk.endsWith("==") ? 2 : chunk.endsWith("=") ? 1 : 0)
    const left = known - creditOf(size)
    credits.set(processId, left)
    if (left < 0)
      world.violate("output stays within its credit", `${name}: ${processId} is ${-left} bytes beyond`)
  }

  const cancel = (id: number): void => {
    const { now } = world
    if (!open.has(id) || answered.has(id)) return
    const alarm = world.after(cancelBound, () => {
      if (isSmooth(now))
        world.violate("a cancelled request is answered", `${name}: ${id} waits on since ${now}`)
    })
    answered.set(id, alarm)
  }

  const hide = (text: string): string =>
    hidden.reduce((rest, name) => rest.replace(`"${name}":true`, `"${name}":false`), text)

  const answer = (id: number, code: number | undefined): string | undefined => {
    const request = open.get(id)
    const outcome = code === undefined ? "" : ` error ${code}`
    note(`< ${request?.method ?? "?"} ${request?.process ?? ""} (${id})${outcome}`)
    // guards: one-process
    if (request === undefined)
      world.violate("one answer for each request", `${name}: a second answer, or a stray one: ${id}`)
    open.delete(id)
    if (attached !== undefined) lastAnswered = id
    answered.get(id)?.()
    if (request?.method === "process/start") starting.delete(request.process)
    return request?.method
  }

  const event = (
    method: string,
    { processId = "", from, to, seq = to ?? 0, chunk, screen }: Params,
  ): void => {
    // Roles, and ends of attachments, have no place among the events.
    if (method === "process/writer") tells.set(processId, (tells.get(processId) ?? 0) + 1)
    if (method === "process/writer" || method === "process/detached") return
    if (method === "process/output" && chunk !== undefined) spend(processId, chunk)
    // guards: order
    const order = (what: string) =>
      world.violate("notifications leave in order", `${name}: ${method} ${seq} of ${processId} ${what}`)
    if (starting.has(processId)) order("comes before the answer to its start")
    const told = tellings.get(processId) ?? { seq: 0, painted: 0, exited: false, closed: false }
    tellings.set(processId, told)
    if (told.closed) order("comes after closed")
    if ((from ?? seq) <= told.seq || seq < (from ?? seq)) order(`comes after ${told.seq}`)
    told.seq = seq
    if (screen !== undefined) told.painted = screen.seq
    if (method === "process/output" && seq <= told.painted) order("is in a picture")
    if (method === "process/exited") {
      if (told.exited) order("is told twice")
      told.exited = true
      judge.exited(processId, seq)
    }
    if (method === "process/closed") told.closed = true
  }

  const note = (text: string): void => {
    world.note(`${name} ${text}`)
  }
  return {
    up,
    down,
    arrives,
    openCalls,
    strayAnswer,
    /** The session that the server has attached to it, and when. */
    get attached() {
      return attached
    },
  }
}

/** Of a hundred notifications of such a process, those that each of the three happens to. */
const share = 12

/** The most messages that overtake a notification. */
const mostOvertaking = 5

/**
 * A server that tells of the output of some processes carelessly, as others may: a notification is left out, comes
 * twice, or comes after later ones. A client has to put that right. Nothing is left out that nothing would show.
 */
export type Disorder = ReturnType<typeof disorderOf>

/** Reports of `processes` are careless. */
export const disorderOf = (seed: Seed, processes: ReadonlySet<string>) => {
  let late: Array<{ readonly text: string; left: number }> = []

  const treat = (text: string, method: string): ReadonlyArray<string> => {
    if (seed.chance(share)) return [text, text]
    // After `closed` nothing comes that would show a gap.
    if (method === "process/closed") return [text]
    if (seed.chance(share)) return []
    if (!seed.chance(share)) return [text]
    late.push({ text, left: seed.between(1, mostOvertaking) })
    return []
  }

  /** The messages in place of one of that method about that process. */
  const instead = (text: string, method?: string, process?: string): ReadonlyArray<string> => {
    if (processes.size === 0) return [text]
    const careless = process !== undefined && processes.has(process)
    const sent = careless && method !== undefined ? treat(text, method) : [text]
    for (const one of late) one.left -= 1
    const due = late.filter(({ left }) => left < 0)
    if (due.length > 0) late = late.filter(({ left }) => left >= 0)
    return [...sent, ...due.map(({ text }) => text)]
  }
  return { instead }
}
