/** The end of a server that keeps its processes, for one that takes its place; and its start of such a one. */
import { spawn } from "node:child_process"
import process from "node:process"
import * as Effect from "effect/Effect"
import * as Queue from "effect/Queue"
import type * as Scope from "effect/Scope"
import * as OwnProgram from "../confine/OwnProgram.ts"
import * as Handover from "../keep/Handover.ts"
import * as SharedSockets from "../keep/SharedSockets.ts"
import type { Ffi } from "../process/posix/Ffi.ts"
import { type ServeError, misconfigured } from "../serve/ServeError.ts"
import type { Made } from "../serve/Server.ts"
import * as OwnFolder from "./server/OwnFolder.ts"
import * as Message from "./words/Message.ts"

/** The command line of this server, and its variables. */
export interface Start {
  readonly words: ReadonlyArray<string>
  readonly env: NodeJS.ProcessEnv
}

/** Options of `make`. */
export interface Options {
  /** Each is a request for a successor. */
  readonly requests: Queue.Dequeue<void> | undefined
  /** The program of a successor. */
  readonly start: Start
  /** Calls libc; throws where that is impossible. */
  readonly openFfi: () => Ffi
  /** Called before the server ends. */
  readonly leaving: () => void
  /** Runs when the process of this id has taken the place. */
  readonly left: (pid: number) => Effect.Effect<void>
}

/** The fate of the place: true if the successor has it, false if this server has to go on. */
export type Verdict = Effect.Effect<boolean>

/** Waits for successors from now on; the effect completes when the server has ended for one. */
export const make = (
  server: Made,
  folder: string,
  { leaving, left, openFfi, requests, start }: Options,
): Effect.Effect<Effect.Effect<Verdict>, ServeError, Scope.Scope> =>
  Effect.gen(function* () {
    const giver = {
      addresses: server.addresses,
      allow: (pid: number) => SharedSockets.allow(openFfi, pid),
    }
    const next = yield* Effect.mapError(Handover.successors(folder, giver), ({ message }) =>
      misconfigured(message),
    )
    if (requests !== undefined)
      yield* Effect.forkScoped(Effect.forever(Effect.andThen(Queue.take(requests), startAgain(start))))
    return Effect.gen(function* () {
      const successor = yield* next
      const verdict = (why: string | undefined): Verdict => {
        const { pid } = successor
        if (why !== undefined) {
          Message.say(`the server ${pid} has not taken the place of this one: ${why}; this one goes on`)
          return Effect.succeed(false)
        }
        OwnFolder.passPid(process.env, pid)
        return Effect.as(left(pid), true)
      }
      const why = yield* successor.bound
      const counts = { processes: server.keeping?.count() ?? 0, addresses: server.addresses }
      leaving()
      yield* server.close()
      // One that has failed may have taken sockets of this one, which binds them again.
      return why === undefined
        ? Effect.flatMap(successor.left(counts), verdict)
        : Effect.suspend(() => verdict(why))
    })
  })

/** Starts this program again, to take the place of this process. */
const startAgain = ({ env, words }: Start): Effect.Effect<void> =>
  Effect.sync(() => {
    const [program = "", ...args] = OwnProgram.argv([...words.filter((word) => word !== flag), flag])
    const child = spawn(program, args, { detached: true, stdio: ["ignore", "inherit", "inherit"], env })
    child.on("error", ({ message }) => Message.say(`SIGUSR2: cannot start ${program}: ${message}`))
    child.unref()
  })

const flag = "--take-over"
