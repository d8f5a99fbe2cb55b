/** The acts of a client that attaches as the writer: it follows its role, and writes, which has to fit the role. */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Fiber from "effect/Fiber"
import type { RemoteProcess } from "../../core/client/RemoteProcess.ts"
import type { Actor, Live } from "./Actor.ts"
import type { Started } from "./Children.ts"
import type { RolePlan } from "./MixMaker.ts"
import type { Program, Since } from "./Program.ts"
import type { Truth } from "./Truth.ts"

/** The first number of a write that is not its owner's. */
const firstNumber = 1000

/** The error texts of writes that are not the writer's. */
const ofRole = /attached as a viewer|is written to by another client/

/** The reasons with which writes fail at a process that has ended, or does not read. */
const others: ReadonlySet<string> = new Set(["StdinClosed", "UnknownProcess", "Server", "Detached"])

/** True if a call was refused because of the role. */
export const isRefused = ({ message }: { readonly message: string }): boolean => ofRole.test(message)

/** Notes each change of the role, until the process has ended or the fiber is interrupted. */
const follow = (
  process: RemoteProcess,
  { roles }: Truth,
  believer: { readonly key: string; readonly actor: Actor; readonly isOwner: boolean },
): Effect.Effect<void> => {
  if (roles === undefined) return Effect.void
  const { key } = believer
  return Effect.gen(function* () {
    const { next } = yield* process.subscribeWriting
    for (let writes = yield* next; writes !== undefined; writes = yield* next)
      roles.told(key, { ...believer, writes })
  }).pipe(Effect.ensuring(Effect.sync(() => roles.left(key))))
}

/** The same for the owner of a process, on a fiber that ends with its program; nothing without other writers. */
export const followOwner = (
  { key, actor, truth }: Program & { readonly truth: Truth },
  process: RemoteProcess,
): Effect.Effect<unknown> =>
  truth.roles === undefined
    ? Effect.void
    : Effect.forkChild(follow(process, truth, { key, actor, isOwner: true }))

/** Follows its role, changes it, and writes, while `consuming` goes on; `since` it has attached. */
export const during = (
  consuming: Effect.Effect<void>,
  program: Program,
  process: RemoteProcess,
  plan: RolePlan,
  { truth, sessionId }: Started,
  since: Since,
): Effect.Effect<void> =>
  Effect.gen(function* () {
    const { key, actor } = program
    const besides = yield* Effect.all([
      Effect.forkChild(swing(program, process, plan, sessionId, since.live)),
      Effect.forkChild(follow(process, truth, { key, actor, isOwner: false })),
      Effect.forkChild(write(program, process, plan, truth, since)),
    ])
    yield* consuming
    yield* Fiber.interruptAll(besides)
  })

/** Gives the role up and takes it, again and again: its earlier holder must not be notified each time. */
const swing = (
  { key, actor: { network, index } }: Program,
  { attachment }: RemoteProcess,
  { swings }: RolePlan,
  sessionId: string,
  live: Live,
): Effect.Effect<void> => {
  const lost = network.lost(index)
  const processId = attachment?.process.processId
  const turn = (at: number) =>
    // On another connection it would attach anew.
    network.lost(index) === lost
      ? live.client.call("process/attach", {
          processId,
          sessionId,
          as: key,
          role: at % 2 === 0 ? "viewer" : "writer",
          take: at % 2 === 1,
        })
      : Effect.void
  const turns = Array.from({ length: 2 * swings }, (_, at) => Effect.suspend(() => turn(at)))
  return Effect.ignore(Effect.all(turns, { concurrency: "unbounded", discard: true }))
}

/** Writes, each time after so many milliseconds. */
const write = (
  program: Program,
  process: RemoteProcess,
  { writes }: RolePlan,
  truth: Truth,
  attached: Since,
): Effect.Effect<void> =>
  Effect.forEach(
    writes,
    (millis) =>
      Effect.andThen(
        Effect.sleep(millis),
        Effect.suspend(() => one(program, process, truth, attached)),
      ),
    { discard: true },
  )

/** A write is accepted only of the one that is the writer from the call to the answer. */
const one = (program: Program, process: RemoteProcess, truth: Truth, attached: Since) =>
  Effect.gen(function* () {
    const { key, actor } = program
    const { network, world } = actor
    const number = firstNumber + truth.asked.length
    const now = program.since(attached.live)
    truth.asked.push({ number, lost: now.lost, by: key })
    const tells = network.tells.get(key)
    const before = truth.roles?.of(key)
    program.note(`writes ${number}`)
    const result = yield* Effect.result(process.write(new Uint8Array([number >> 8, number & 255])))
    const isSame = before === truth.roles?.of(key) && tells === network.tells.get(key)
    const isSure = isSame && before !== undefined && !program.isLost(now)
    if (Result.isSuccess(result)) {
      truth.accepted.set(number, world.now)
      if (isSure && !before)
        program.violate("only the writer writes", `write ${number} of a viewer is accepted`)
      return
    }
    program.note(`write ${number} fails: ${result.failure.reason}`)
    if (isRefused(result.failure)) {
      if (isSure && before)
        program.violate("only the writer writes", `write ${number} of the writer is refused`)
    } else if (!others.has(result.failure.reason)) {
      // A session that was lost before takes no write, while a slow consumer has not heard of it yet.
      const since = result.failure.reason === "SessionLost" ? attached : now
      program.excuse(result.failure, since, "write")
    }
  })
