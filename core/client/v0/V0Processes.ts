/**
 * The processes that a v0 client follows, by id, and what the notifications of the wire do to them.
 *
 * A process is followed for `lateMillis` after its exit: output that arrives in that time still belongs to it.
 */
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import type { Json } from "../../protocol/Json.ts"
import type { Activity } from "../Activity.ts"
import { ClientError } from "../ClientError.ts"
import type { FlowControl } from "../FlowControl.ts"
import { exited, outputDelta } from "./Calls.ts"
import * as V0Process from "./V0Process.ts"

/** What the processes use of the client. */
export interface Options {
  readonly flow: FlowControl
  /** Runs an effect in the client's scope. */
  readonly fork: (effect: Effect.Effect<void>) => unknown
  /** The client is busy while it follows a process. */
  readonly activity: Activity
}

export const make = ({ flow, fork, activity }: Options) => {
  const followed = new Map<string, V0Process.Followed>()
  let ended: ClientError | undefined

  const forget = (id: string, process: V0Process.Followed) => {
    if (followed.get(id) === process && followed.delete(id)) activity.end()
    process.close()
  }

  /** The process has exited. */
  const exit = (id: string, process: V0Process.Followed, exitCode: number) => {
    process.exit(exitCode)
    const forgotten = Effect.sync(() => forget(id, process))
    fork(Effect.zipRight(Effect.sleep(V0Process.lateMillis), forgotten))
  }

  return {
    /** Follows a process from before its start is sent. Fails with `Duplicate` if one of that id runs. */
    follow: (id: string) =>
      Effect.suspend(() => {
        if (ended !== undefined) return Effect.fail(ended)
        const before = followed.get(id)
        if (before?.exited() === false) return Effect.fail(duplicate(id))
        if (before === undefined) activity.begin()
        before?.close()
        const process = V0Process.make(id, flow)
        followed.set(id, process)
        return Effect.succeed(process)
      }),
    /** Takes a notification; on the left, what is malformed. Undefined for an unknown method. */
    take: (method: string, params: Json): Either.Either<void, string> | undefined => {
      switch (method) {
        case "command/exec/outputDelta":
          return Either.map(outputDelta(params), ({ processId, stream, chunk }) =>
            followed.get(processId)?.output(stream, chunk),
          )
        case "command/exec/exited":
          return Either.map(exited(params), ({ processId, exitCode }) => {
            const process = followed.get(processId)
            if (process !== undefined) exit(processId, process, exitCode)
          })
        default:
          return undefined
      }
    },
    exit,
    /** The process has not started. */
    fail: (id: string, process: V0Process.Followed, error: ClientError) => {
      process.fail(error)
      forget(id, process)
    },
    /** The connection has ended: every process fails, and so does every later `follow`. */
    end: (error: ClientError) => {
      ended = error
      for (const [id, process] of followed) {
        process.fail(error)
        if (followed.delete(id)) activity.end()
      }
    },
  }
}

const duplicate = (id: string) =>
  new ClientError({ reason: "Duplicate", message: `process ${id} is already followed by this client` })
