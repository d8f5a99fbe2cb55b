/** One process that is shown: attached to, as a viewer or its writer, and again after its connection was lost. */
import { ClientError } from "../../../../core/client/ClientError.ts"
import type { ClientProcess } from "../../../../core/client/ClientProcess.ts"
import type { Failed } from "../../../../core/client/ProcessEvent.ts"
import type { TerminalSize } from "../../../../core/protocol/Process.ts"
import { type Display, Follower } from "../model/Follower.ts"
import type { Place, Row } from "../model/Rows.ts"
import * as Store from "../model/Store.ts"
import type { Link } from "./Link.ts"

export type State =
  | { readonly kind: "attaching" }
  | { readonly kind: "live" }
  /** The connection is lost, and tried again. */
  | { readonly kind: "lost" }
  /** The process has closed, and everything that it printed was shown. */
  | { readonly kind: "closed" }
  /** There is no such process any more, or the visitor may not see it; `message` says why. */
  | { readonly kind: "gone"; readonly message: string }

export interface Options {
  readonly link: Link
  readonly row: Row
  readonly display: Omit<Display, "failed">
  /** True to write as soon as it is attached, unless another client does. */
  readonly write: boolean
  /** True if it is in sight at first. */
  readonly looked: boolean
  readonly later: (ms: number, run: () => void) => () => void
}

/** The lines above the screen of a picture. */
const scrollback = 1000

/** Keys that end or stop a program. */
// oxlint-disable-next-line no-control-regex
const signals = /^[\u0003\u001a\u001c]$/

/** Output rests when nothing was printed for so long, and how long that is waited for, in milliseconds. */
const restMillis = 40
const longestWait = 5000

/** The pause before a process is attached to again, in milliseconds. */
const againMillis = 300

export class Attachment {
  /** True while this page writes to it. */
  readonly writes = Store.make(false)
  readonly state = Store.make<State>({ kind: "attaching" })
  private readonly options: Options
  private process: ClientProcess | undefined
  private follower: Follower | undefined
  private left = false
  private looked: boolean
  private wanted: boolean

  constructor(options: Options) {
    this.options = options
    this.looked = options.looked
    this.wanted = options.write
  }

  /** Shows the process until it has closed, is gone, or is left. */
  async run(): Promise<void> {
    let after: number | undefined
    while (!this.left) {
      try {
        const failure = await this.once(after)
        if (this.left) return
        if (failure === undefined) return this.state.set({ kind: "closed" })
        if (!again.has(failure.reason)) return this.state.set({ kind: "gone", message: failure.message })
        after = this.follower?.last
      } catch (error) {
        if (this.left) return
        if (!isPassing(error)) return this.state.set({ kind: "gone", message: messageOf(error) })
      }
      this.state.set({ kind: "lost" })
      await new Promise<void>((resolve) => this.options.later(againMillis, resolve))
    }
  }

  /** Follows it behind the event `after`; why that has failed, if the process has not closed. */
  private async once(after: number | undefined): Promise<Failed | undefined> {
    const { link, row, display, later } = this.options
    const paints = row.tty && link.can("processScreen")
    const first = after ?? (paints && row.state === "running" ? row.nextSeq - 1 : 0)
    const process = await link.client.attach(placeOf(row), first)
    this.process = process
    if (this.left) return void (await process.detach().catch(() => {}))
    void this.followRole(process)
    this.state.set({ kind: "live" })
    let failure: Failed | undefined
    const follower = new Follower({
      events: process,
      display: { ...display, failed: (event) => (failure = event) },
      picture: paints ? () => process.screen({ formats: ["ansi"], scrollback }) : undefined,
      later,
      looked: this.looked,
      after: first,
    })
    this.follower = follower
    if (paints && after === undefined) follower.repaint()
    if (this.wanted) void this.control(false).catch(() => {})
    await follower.run()
    return failure
  }

  private async followRole(process: ClientProcess): Promise<void> {
    for await (const writes of process.writing()) if (this.process === process) this.writes.set(writes)
    if (this.process === process) this.writes.set(false)
  }

  /** Becomes the writer; with `take` also if somebody else is. Rejects if that is refused. */
  async control(take: boolean): Promise<void> {
    this.wanted = true
    await this.changeRole({ role: "writer", take })
  }

  /** Only looks on from now on. */
  async release(): Promise<void> {
    this.wanted = false
    await this.changeRole({ role: "viewer" })
  }

  private async changeRole(role: { role: "writer"; take: boolean } | { role: "viewer" }): Promise<void> {
    const { id } = this.live()
    const params = { ...placeOf(this.options.row), as: id, ...role }
    const { writer } = await this.options.link.client.call("process/attach", params)
    this.writes.set(writer)
  }

  /** Writes; what a signal key does is shown at once, also behind a flood. */
  async write(data: string | Uint8Array): Promise<void> {
    await this.live().write(data)
    if (typeof data === "string" && signals.test(data)) await this.atRest()
  }

  /** Output that may be skipped is sent when the server has time for it; requests are answered at once. */
  private async atRest(): Promise<void> {
    const { link } = this.options
    if (!link.can("processWait")) return
    const until = [{ exit: true }, { idleMs: restMillis }]
    const asked = { until, afterSeq: Number.MAX_SAFE_INTEGER, timeoutMs: longestWait, maxBytes: 1 }
    const { nextSeq, exited } = await this.live().wait(asked)
    this.follower?.catchUp(nextSeq - 1)
    if (exited) await link.refresh()
  }

  /** Tells whether somebody looks at it. */
  look(looked: boolean): void {
    this.looked = looked
    this.follower?.look(looked)
  }

  resize(size: TerminalSize): Promise<void> {
    return this.live().resize(size)
  }

  /** The process, as soon as it is attached to. Rejects where that has failed. */
  async attached(): Promise<ClientProcess> {
    await new Promise<void>((resolve) => {
      this.state.follow(({ kind }) => {
        if (kind !== "attaching") resolve()
      })
    })
    return this.live()
  }

  /** The process, for further calls. Throws while there is none. */
  live(): ClientProcess {
    if (this.process !== undefined) return this.process
    throw new ClientError({ reason: "Disconnected", message: "the process is not attached to yet" })
  }

  /** The process is not there any more: the shown output is its last. */
  lose(message: string): void {
    this.left = true
    this.writes.set(false)
    this.state.set({ kind: "gone", message })
    this.look(true)
  }

  /** Leaves it; it goes on. */
  async leave(): Promise<void> {
    this.left = true
    this.look(true)
    await this.process?.detach().catch(() => {})
  }
}

const placeOf = ({ session, processId }: Row): Place => ({ session, processId })

const again: ReadonlySet<ClientError["reason"]> = new Set([
  "Disconnected",
  "SessionLost",
  "EventsLost",
  "Timeout",
])

const isPassing = (error: unknown): boolean => error instanceof ClientError && again.has(error.reason)

export const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))
