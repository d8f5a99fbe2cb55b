/**
 * Checks the wire on one connection: one answer for each request, ids that are not used twice, and the
 * notifications of each process in order, behind the answer to its start, and output within its credit. A request that
 * is cancelled is answered soon.
 */
import { creditOf } from "../../core/protocol/Credit.ts"
import type { Watcher } from "./Link.ts"
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

export class Tap implements Watcher {
  /** Requests without an answer, by id: the method and when it was sent. */
  readonly open = new Map<
    number,
    { readonly method: string; readonly at: number; readonly process: string }
  >()
  /** The session that the server has attached to it, and when. */
  attached: { readonly session: string | undefined; readonly at: number } | undefined
  private readonly world: World
  private readonly name: string
  private readonly used = new Set<number>()
  private readonly starting = new Set<string>()
  private readonly told = new Map<string, Told>()
  private readonly conditions: Conditions
  private readonly waits = new Map<number, Begun>()
  /** Calls off the alarms of cancelled requests. */
  private readonly answered = new Map<number, () => void>()
  /** Bytes that may be pushed of each process under credit, as far as the client has sent that. */
  private readonly credits = new Map<string, number>()
  /** A request that has its answer. */
  private lastAnswered: number | undefined

  constructor(world: World, name: string, conditions: Conditions) {
    this.world = world
    this.name = name
    this.conditions = conditions
  }

  get openCalls(): ReadonlyArray<string> {
    return [...this.open].map(
      ([id, { method, process, at }]) =>
        `${this.name} ${method} ${process} (${id}), since ${(at / 1000).toFixed(3)}`,
    )
  }

  readonly up = (text: string): void => {
    const { id, method = "?", params } = JSON.parse(text) as Message
    const process = params?.processId ?? ""
    this.note(`> ${method} ${process}${id === undefined ? "" : ` (${id})`}`)
    if (method === "request/cancel" && params?.id !== undefined) this.cancel(params.id)
    if (params != null) this.lend(method, params)
    if (id === undefined) return
    if (this.used.has(id)) this.world.violate("an id is used once", `${this.name} sends ${id} again`)
    this.used.add(id)
    this.open.set(id, { method, at: this.world.now, process })
    if (method === "process/start") this.starting.add(process)
  }

  readonly down = (text: string): ReadonlyArray<string> => {
    const { id, method, params, result, error } = JSON.parse(text) as Message
    if (id !== undefined) {
      const wait = this.waits.get(id)
      if (wait !== undefined && result !== undefined) this.conditions.judge.answered(wait, result)
      const answered = this.answer(id, error?.code)
      if (answered === "initialize" && error === undefined)
        this.attached = { session: result?.sessionId, at: this.world.now }
      return this.conditions.disorder.instead(
        answered === "initialize" ? this.hide(text) : text,
        undefined,
        undefined,
      )
    }
    this.note(`< ${method ?? "?"} ${params?.processId ?? ""} ${params?.seq ?? ""}`)
    if (method?.startsWith("process/") === true && params != null) this.event(method, params)
    return this.conditions.disorder.instead(text, method, params?.processId)
  }

  readonly arrives = (text: string, held: boolean): void => {
    if (!text.includes('"process/wait"')) return
    const { id, params } = JSON.parse(text) as { readonly id: number; readonly params: Begun["asked"] }
    this.waits.set(id, this.conditions.judge.begun(params, held))
  }

  /** An answer to a request that has one: there must not be such a thing. */
  get strayAnswer(): string | undefined {
    const { lastAnswered: id } = this
    return id === undefined ? undefined : JSON.stringify({ id, result: {} })
  }

  private lend(method: string, { processId = "", as, credit, bytes = 0 }: Params): void {
    const { credits } = this
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

  private spend(processId: string, chunk: string): void {
    const known = this.credits.get(processId)
    if (known === undefined) return
    const size = (chunk.length / 4) * 3 - (chunk.endsWith("==") ? 2 : chunk.endsWith("=") ? 1 : 0)
    const left = known - creditOf(size)
    this.credits.set(processId, left)
    if (left < 0)
      this.world.violate(
        "output stays within its credit",
        `${this.name}: ${processId} is ${-left} bytes beyond`,
      )
  }

  private cancel(id: number): void {
    const { now } = this.world
    if (!this.open.has(id) || this.answered.has(id)) return
    const alarm = this.world.after(cancelBound, () => {
      if (this.conditions.isSmooth(now))
        this.world.violate("a cancelled request is answered", `${this.name}: ${id} waits on since ${now}`)
    })
    this.answered.set(id, alarm)
  }

  private hide(text: string): string {
    return this.conditions.hidden.reduce(
      (rest, name) => rest.replace(`"${name}":true`, `"${name}":false`),
      text,
    )
  }

  private answer(id: number, code: number | undefined): string | undefined {
    const request = this.open.get(id)
    const outcome = code === undefined ? "" : ` error ${code}`
    this.note(`< ${request?.method ?? "?"} ${request?.process ?? ""} (${id})${outcome}`)
    // guards: one-process
    if (request === undefined)
      this.world.violate(
        "one answer for each request",
        `${this.name}: a second answer, or a stray one: ${id}`,
      )
    this.open.delete(id)
    if (this.attached !== undefined) this.lastAnswered = id
    this.answered.get(id)?.()
    if (request?.method === "process/start") this.starting.delete(request.process)
    return request?.method
  }

  private event(method: string, { processId = "", from, to, seq = to ?? 0, chunk, screen }: Params): void {
    // Roles, and ends of attachments, have no place among the events.
    const { tells } = this.conditions
    if (method === "process/writer") tells.set(processId, (tells.get(processId) ?? 0) + 1)
    if (method === "process/writer" || method === "process/detached") return
    if (method === "process/output" && chunk !== undefined) this.spend(processId, chunk)
    // guards: order
    const order = (what: string) =>
      this.world.violate(
        "notifications leave in order",
        `${this.name}: ${method} ${seq} of ${processId} ${what}`,
      )
    if (this.starting.has(processId)) order("comes before the answer to its start")
    const told = this.told.get(processId) ?? { seq: 0, painted: 0, exited: false, closed: false }
    this.told.set(processId, told)
    if (told.closed) order("comes after closed")
    if ((from ?? seq) <= told.seq || seq < (from ?? seq)) order(`comes after ${told.seq}`)
    told.seq = seq
    if (screen !== undefined) told.painted = screen.seq
    if (method === "process/output" && seq <= told.painted) order("is in a picture")
    if (method === "process/exited") {
      if (told.exited) order("is told twice")
      told.exited = true
      this.conditions.judge.exited(processId, seq)
    }
    if (method === "process/closed") told.closed = true
  }

  private note(text: string): void {
    this.world.trace.add(this.world.now, `${this.name} ${text}`)
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
export class Disorder {
  private readonly seed: Seed
  private readonly processes: ReadonlySet<string>
  private late: Array<{ readonly text: string; left: number }> = []

  /** Reports of `processes` are careless. */
  constructor(seed: Seed, processes: ReadonlySet<string>) {
    this.seed = seed
    this.processes = processes
  }

  /** The messages in place of one of that method about that process. */
  instead(text: string, method: string | undefined, process: string | undefined): ReadonlyArray<string> {
    if (this.processes.size === 0) return [text]
    const careless = process !== undefined && this.processes.has(process)
    const sent = careless && method !== undefined ? this.treat(text, method) : [text]
    for (const one of this.late) one.left -= 1
    const due = this.late.filter(({ left }) => left < 0)
    if (due.length > 0) this.late = this.late.filter(({ left }) => left >= 0)
    return [...sent, ...due.map(({ text }) => text)]
  }

  private treat(text: string, method: string): ReadonlyArray<string> {
    const { seed } = this
    if (seed.chance(share)) return [text, text]
    // After `closed` nothing comes that would show a gap.
    if (method === "process/closed") return [text]
    if (seed.chance(share)) return []
    if (!seed.chance(share)) return [text]
    this.late.push({ text, left: seed.between(1, mostOvertaking) })
    return []
  }
}
