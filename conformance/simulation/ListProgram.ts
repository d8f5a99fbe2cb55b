/**
 * A client lists what runs in its session, page after page, while processes start and end: each that is there all the
 * time is listed once, and none of another session.
 */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type { Encoded } from "../../core/client/Calls.ts"
import type { ClientError } from "../../core/client/ClientError.ts"
import type { ListedProcess, ListResult } from "../../core/protocol/List.ts"
import type { Live } from "./Actor.ts"
import type { ListPlan } from "./RecordMaker.ts"
import { Program } from "./Program.ts"

const invariant = "a list has what runs, once"

/** Milliseconds of reading until an exit is published: output that keeps coming delays it. */
const quiet = 500

export class ListProgram extends Program<ListPlan> {
  protected readonly play = (live: Live): Effect.Effect<void> =>
    Effect.gen({ self: this }, function* () {
      this.doing = "lists"
      yield* this.processes(live)
      if (this.plan.sessions) yield* this.sessions(live)
    })

  private processes(live: Live) {
    const { actor, plan } = this
    return Effect.gen({ self: this }, function* () {
      const { sessionId } = live.client
      const begin = actor.world.now
      const rows: Array<ListedProcess> = []
      let cursor: string | null = null
      do {
        const asked = actor.world.now
        const since = this.since(live)
        const name = plan.name === undefined ? {} : { name: plan.name }
        const params: Encoded<"process/list"> = { limit: plan.limit, cursor, ...name }
        const page: Result.Result<ListResult, ClientError> = yield* Effect.result(
          this.promptly("process/list", live.client.call("process/list", params)),
        )
        if (Result.isFailure(page)) return this.excuse(page.failure, since, "list")
        if (actor.sessionId !== sessionId) return
        const { processes, nextCursor }: ListResult = page.success
        if (processes.length > plan.limit)
          this.violate(invariant, `${processes.length} rows of ${plan.limit}`)
        for (const row of processes) this.checkRow(row, asked)
        rows.push(...processes)
        cursor = nextCursor
        yield* Effect.sleep(plan.pause)
      } while (cursor !== null)
      this.note(`has listed ${rows.length}`)
      this.checkAll(rows, sessionId, begin)
    })
  }

  /** A process that was there all the time is listed once. */
  private checkAll(rows: ReadonlyArray<ListedProcess>, sessionId: string, begin: number): void {
    const { actor, plan } = this
    const ids = rows.map(({ processId }) => processId)
    const twice = ids.find((id, index) => ids.indexOf(id) !== index)
    if (twice !== undefined) this.violate(invariant, `${twice} is listed twice`)
    if (rows.some(({ startedAtMs }, index) => startedAtMs < (rows[index - 1]?.startedAtMs ?? 0)))
      this.violate(invariant, `they are not in the order of their starts: ${ids.join(", ")}`)
    for (const [key, { sessionId: of, truth, at, name }] of actor.started) {
      if (of !== sessionId || at >= begin || ids.includes(key)) continue
      if (plan.name !== undefined && plan.name !== name) continue
      const closedAt = Math.max(truth.exitedAt ?? Infinity, truth.endedAt ?? Infinity)
      if (actor.world.now - closedAt < actor.settings.retentionMillis)
        this.violate(invariant, `${key} is not listed`)
    }
  }

  /** A row tells the truth, and is of this client. */
  private checkRow(row: ListedProcess, asked: number): void {
    const { actor, plan } = this
    const { processId, argv, state, bytes, exitCode, attached, name } = row
    const wrong = (what: string) => this.violate(invariant, `${processId} ${what}`)
    const key = argv.at(-1) ?? ""
    if (!new RegExp(`^[a-z]${actor.index}\\.`).test(key)) return wrong("is of another session")
    if (!attached) wrong("is told to be detached")
    if (plan.name !== undefined && name !== plan.name) wrong(`has the name ${name}`)
    const {
      exitedAt,
      endedAt,
      readSince,
      pieces,
      total,
      exitCode: code,
      spawnedAt,
    } = actor.stage.children.truth(key)
    const closedAt = Math.max(exitedAt ?? Infinity, endedAt ?? Infinity)
    const exited = state === "exited" || state === "closed"
    if (exited && exitedAt === undefined) wrong(`is told to be ${state}, and runs`)
    if (state === "closed" && closedAt === Infinity) wrong("is told to be closed, and is not")
    if (state !== "closed" && closedAt < asked) wrong(`is told to be ${state}, and was closed`)
    if (!exited && Math.max(exitedAt ?? Infinity, readSince) + quiet < asked)
      wrong(`is told to be ${state}, and had exited`)
    if (state === "running" && spawnedAt === undefined) wrong("is told to run, and was not spawned")
    if (exitCode !== (exited ? (code ?? null) : null))
      wrong(`has the exit code ${exitCode}, and it is ${code}`)
    const before = pieces.reduce((sum, { at, length }) => sum + (at < asked ? length : 0), 0)
    if (bytes < before || bytes > total) wrong(`has ${bytes} bytes, and wrote ${before} to ${total}`)
  }

  /** A client sees its own session alone. */
  private sessions(live: Live) {
    return Effect.gen({ self: this }, function* () {
      const since = this.since(live)
      const page = yield* Effect.result(live.client.call("session/list", {}))
      if (Result.isFailure(page)) return this.excuse(page.failure, since, "session/list")
      const { sessions, nextCursor } = page.success
      const [own] = sessions
      if (sessions.length !== 1 || nextCursor !== null || own?.own !== true || !own.attached)
        this.violate(invariant, `the sessions are told as ${JSON.stringify(sessions)}`)
    })
  }
}
