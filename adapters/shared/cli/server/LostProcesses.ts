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
import type { ListedProcess } from "../../../../core/client/Lists.ts"
import * as KernelFiles from "../../host/KernelFiles.ts"
import * as HistoryFolders from "../../host/HistoryFolders.ts"
import * as HolderPlace from "../../keep/HolderPlace.ts"
import * as NodeHistoryFiles from "../../host/NodeHistoryFiles.ts"
import * as OwnFolder from "./OwnFolder.ts"

/** A process whose server has died. One that had not ended by itself has no exit code. */
export interface LostProcess extends ListedProcess {
  readonly lost: true
  readonly folder: string
}

/** Lost processes are listed for 24 hours. */
const keptMillis = 24 * 60 * 60 * 1000

/**
 * Puts aside what the server has left that died last; what was put aside before it is removed, or when it is too old.
 * Histories of processes that may have outlived their server are for the next one, so nothing is touched then.
 */
export const keep = (env: OwnFolder.Env): Effect.Effect<void> =>
  Effect.promise(async () => {
    if (!HolderPlace.isFree(OwnFolder.keepPath(env))) return
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
