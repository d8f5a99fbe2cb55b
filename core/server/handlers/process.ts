/** `process/*` of processes that there are: checks the params, then calls the process registry of the session. */
import * as Effect from "effect/Effect"
import type { Connection, Server } from "../../features/Feature.ts"
import * as Grace from "../../process/Grace.ts"
import * as AtOnce from "../../protocol/AtOnce.ts"
import type { ParamsOf } from "../../protocol/Methods.ts"
import * as Signals from "../../protocol/Signals.ts"
import type { Auditing } from "../audit/Auditing.ts"
import { refuseParams } from "../../protocol/ParamsError.ts"

/** The context of the handlers of one connection. */
export interface ProcessContext {
  readonly server: Server
  /** The processes of ids. */
  readonly features: Pick<Connection, "at" | "writing">
  readonly audit: Auditing
}

/** The handlers of one connection. */
export const make = ({ server: { host }, features, audit }: ProcessContext) => ({
  "process/read": ({ processId, afterSeq, maxBytes, waitMs }: ParamsOf<"process/read">) => {
    const { processes, id } = features.at(processId)
    const [maximum, waitMillis] = [maxBytes ?? Infinity, waitMs ?? 0]
    const read = processes.read(id, { afterSeq: afterSeq ?? 0, maxBytes: maximum, waitMillis })
    return AtOnce.map(read, (state) => ({
      ...state,
      chunks: state.chunks.map(({ seq, stream, bytes }) => ({ seq, stream, chunk: bytes })),
      failure: null,
    }))
  },

  "process/write": ({ processId, chunk, writeId }: ParamsOf<"process/write">) =>
    writeId === ""
      ? refuseParams("writeId must not be empty")
      : AtOnce.flatMap(features.writing(processId), ({ processes, id }) =>
          AtOnce.map(processes.write(id, chunk, writeId), (status) => ({ status })),
        ),

  "process/signal": ({ processId, signal }: ParamsOf<"process/signal">) =>
    Effect.flatMap(features.writing(processId, "ending"), ({ processes, id }) => {
      const name = Signals.toPosix(signal, host.platform)
      audit.signal(id, name)
      return Effect.as(processes.signal(id, name), {})
    }),

  "process/terminate": (params: ParamsOf<"process/terminate">) =>
    Effect.gen(function* () {
      const { processes, id } = yield* features.writing(params.processId, "ending")
      const grace = yield* Grace.fromTerminate(params, host.platform)
      const running = yield* processes.terminate(id, grace)
      // Clients terminate what has ended, too, to be sure.
      if (running) audit.signal(id, grace === undefined ? "SIGKILL" : (grace.signal ?? "SIGTERM"))
      if (params.remove === true) processes.remove(id)
      return { running }
    }),

  "process/resize": ({ processId, rows, columns }: ParamsOf<"process/resize">) =>
    Effect.flatMap(features.writing(processId), ({ processes, id }) =>
      Effect.as(processes.resize(id, { rows, columns }), {}),
    ),

  "process/closeStdin": ({ processId }: ParamsOf<"process/closeStdin">) =>
    Effect.flatMap(features.writing(processId), ({ processes, id }) =>
      Effect.as(processes.closeStdin(id), {}),
    ),
})
