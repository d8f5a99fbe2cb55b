/**
 * Processes of a server of one's own that has died, as by SIGKILL: what they were, and what they had printed, from the
 * histories that it has left.
 *
 * Of the server that died last they are kept for a day, in the folder `lost` beside those of servers that run. What
 * other servers have left is removed when the next one starts.
 */
import * as fs from "node:fs"
import { join } from "node:path"
import * as Effect from "effect/Effect"
import type { HistoryOptions, OutputPoint } from "../../../../core/client/RemoteProcess.ts"
import type { ListedProcess } from "../../../../core/client/Lists.ts"
import type { RemoteProcess } from "../../../../core/client/RemoteProcess.ts"
import * as Reading from "../../../../core/features/history/Reading.ts"
import * as Recovery from "../../../../core/features/history/Recovery.ts"
import type { HistoryError } from "../../../../core/features/history/HistoryFiles.ts"
import * as KernelFiles from "../../host/KernelFiles.ts"
import * as HistoryFolders from "../../host/HistoryFolders.ts"
import * as NodeHistoryFiles from "../../host/NodeHistoryFiles.ts"
import * as OwnFolder from "./OwnFolder.ts"
import { Unable } from "./Unable.ts"

/** A process whose server has died. One that had not ended by itself has no exit code. */
export interface LostProcess extends ListedProcess {
  readonly lost: true
  readonly folder: string
}

/** Lost processes are listed for 24 hours. */
const keptMillis = 24 * 60 * 60 * 1000

/** Puts aside what the server has left that died last; what was put aside before it is removed, or when it is too old. */
export const keep = (env: OwnFolder.Env): Effect.Effect<void> =>
  Effect.promise(async () => {
    const root = OwnFolder.historiesPath(env)
    const [lost, last] = [join(root, "lost"), HistoryFolders.dead(root).at(-1)]
    try {
      const age = Date.now() - (fs.statSync(lost, { throwIfNoEntry: false })?.mtimeMs ?? Infinity)
      if (last !== undefined || age > keptMillis) await HistoryFolders.remove(lost)
      if (last === undefined) return
      fs.renameSync(last, lost)
      fs.utimesSync(lost, new Date(), new Date())
    } catch {
      // Another command has come first.
    }
  })

/** Those that are known of, oldest first. */
export const list = (env: OwnFolder.Env): Effect.Effect<ReadonlyArray<LostProcess>> =>
  Effect.map(keep(env), () => {
    const folder = join(OwnFolder.historiesPath(env), "lost")
    return KernelFiles.node
      .list(folder)
      .flatMap((name) => read(join(folder, name)))
      .sort((one, other) => one.startedAtMs - other.startedAtMs)
  })

/** The lost process of a name; undefined if there is none, of several the last one. */
export const find = (env: OwnFolder.Env, name: string): Effect.Effect<LostProcess | undefined> =>
  Effect.map(list(env), (rows) => rows.filter((row) => row.name === name).at(-1))

const read = (folder: string): ReadonlyArray<LostProcess> => {
  try {
    const row = JSON.parse(fs.readFileSync(join(folder, NodeHistoryFiles.factsName), "utf8")) as ListedProcess
    const outputs = fs.readdirSync(folder).filter((name) => name.endsWith(".out"))
    const bytes = outputs.reduce((sum, name) => sum + fs.statSync(join(folder, name)).size, 0)
    return [{ ...row, session: 0, attached: false, state: "closed", bytes, lost: true, folder }]
  } catch {
    // It was torn, or is removed meanwhile.
    return []
  }
}

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
      }).pipe(Effect.mapError(({ message }) => new Unable({ message }))),
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
