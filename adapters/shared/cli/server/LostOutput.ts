/** The output that is left of a process whose server has died. */
import * as Effect from "effect/Effect"
import type { HistoryOptions, OutputPoint, RemoteProcess } from "../../../../core/client/RemoteProcess.ts"
import type { HistoryError } from "../../../../core/features/history/HistoryFiles.ts"
import * as Reading from "../../../../core/features/history/Reading.ts"
import * as Recovery from "../../../../core/features/history/Recovery.ts"
import * as NodeHistoryFiles from "../../host/NodeHistoryFiles.ts"
import type { LostProcess } from "./LostProcesses.ts"
import { type Unable, unable } from "./Unable.ts"

/** The rest of the output, in the form that a process of a server has. */
export const open = ({ folder }: LostProcess): Effect.Effect<Readable, HistoryError> =>
  Effect.map(Recovery.recover(NodeHistoryFiles.toFolder(folder)), (source) => ({
    history: ({ from, to, tail, maxBytes = 65_536 } = {}) =>
      Effect.gen(function* () {
        const placeOf = (point: OutputPoint | null | undefined, otherwise: number) =>
          point == null ? Effect.succeed(otherwise) : Reading.placeOf(source, toPoint(point))
        const begin = yield* tail == null
          ? placeOf(from, Reading.beginOf(source))
          : Reading.tailOf(source, tail)
        const end = yield* placeOf(to, Infinity)
        const { chunks, ...part } = yield* Reading.read(source, begin, end, maxBytes)
        return {
          ...part,
          chunks: chunks.map(({ seq, stream, bytes }) => ({ seq, stream, chunk: bytes })),
          eof: part.nextByte >= Math.min(end, source.end.byte),
          closed: true,
        }
      }).pipe(Effect.mapError(({ message }) => unable(message))),
  }))

const toPoint = (point: OutputPoint): Reading.Point => {
  for (const kind of ["seq", "byte", "line", "time"] as const) {
    const at = point[kind]
    if (at != null) return { kind, at }
  }
  return { kind: "byte", at: 0 }
}

export interface Readable {
  readonly history: (
    options?: HistoryOptions,
  ) => Effect.Effect<Effect.Success<ReturnType<RemoteProcess["history"]>>, Unable>
}
