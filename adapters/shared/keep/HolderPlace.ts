/**
 * The files of the holder of a state folder: its socket, the identity of its process, its log, and the lock of starts.
 *
 * They are in the folder itself, or where the path of a socket would be too long, in a folder of the user for temporary
 * files. Only the user may write to it: whoever may could replace the socket.
 */
import { createHash } from "node:crypto"
import * as fs from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import process from "node:process"
import * as Effect from "effect/Effect"
import * as Folders from "../host/Folders.ts"
import * as KernelFiles from "../host/KernelFiles.ts"
import * as OsError from "../host/OsError.ts"
import * as ProcessBegin from "../process/ProcessBegin.ts"
import type { Identity } from "./HolderWire.ts"
import { KeepProblem } from "./KeepProblem.ts"

/** The paths of the files. */
export interface HolderPlace {
  readonly socket: string
  readonly identity: string
  readonly log: string
  readonly lock: string
  /** The socket at which a server waits for its successor. */
  readonly next: string
}

/** The bytes of a socket's path that every system takes, less those of a private folder beside it. */
const maxPathBytes = 90

/** The place of a state folder, which is made if it is not there. Fails for one that others may write to. */
export const make = (folder: string): Effect.Effect<HolderPlace, KeepProblem> =>
  Effect.gen(function* () {
    const denial = ProcessBegin.denial()
    if (denial !== undefined)
      return yield* new KeepProblem({ reason: "Start", message: `processes cannot be kept here: ${denial}` })
    yield* makeFolder(folder)
    const { stem, other } = stemOf(folder)
    if (other !== undefined) yield* makeFolder(other)
    return filesOf(stem)
  })

/** The place of a state folder, whatever is there; undefined without the folder, and where processes cannot be kept. */
export const find = (folder: string): HolderPlace | undefined =>
  fs.statSync(folder, { throwIfNoEntry: false })?.isDirectory() === true &&
  ProcessBegin.denial() === undefined
    ? filesOf(stemOf(folder).stem)
    : undefined

/** The paths of the files without their endings, and the folder for them where that is not the state folder. */
const stemOf = (folder: string): { readonly stem: string; readonly other?: string } => {
  const real = fs.realpathSync(folder)
  const name = `keep-${createHash("sha256").update(real).digest("hex").slice(0, 12)}`
  const near = join(real, name)
  if (Buffer.byteLength(near) + 5 <= maxPathBytes) return { stem: near }
  const other = join(tmpdir(), `procwire-keep-${process.geteuid?.() ?? "user"}`)
  return { stem: join(other, name), other }
}

const filesOf = (stem: string): HolderPlace => ({
  socket: `${stem}.sock`,
  identity: `${stem}.pid`,
  log: `${stem}.log`,
  lock: `${stem}.lock`,
  next: `${stem}.next`,
})

const makeFolder = (path: string): Effect.Effect<void, KeepProblem> =>
  Effect.flatMap(
    Effect.try({
      try: () => {
        Folders.make(path, 0o700)
        return fs.statSync(path)
      },
      catch: (cause) => unusable(path, OsError.fromUnknown(cause).message),
    }),
    (found) => {
      const why = Folders.unsafe(found)
      if (why !== undefined) return Effect.fail(unusable(path, why))
      if ((found.mode & 0o077) !== 0) fs.chmodSync(path, 0o700)
      return Effect.void
    },
  )

const unusable = (path: string, why: string) =>
  new KeepProblem({ reason: "Folder", message: `cannot use ${path} for the holder of processes: ${why}` })

/** This process. */
export const self = (): Identity => ({
  pid: process.pid,
  begin: ProcessBegin.beginOf(process.pid),
  boot: boot(),
})

const boot = (): string => KernelFiles.node.read("/proc/sys/kernel/random/boot_id").trim() || "-"

const lineOf = ({ begin, boot, pid }: Identity): string => `${pid} ${begin} ${boot}\n`

/** Notes that this process is the holder. */
export const note = ({ identity }: HolderPlace): void => Folders.replaceFile(identity, lineOf(self()))

/** Removes the note of this process, and a log without a word. */
export const clear = ({ identity, log }: HolderPlace): void => {
  if (KernelFiles.node.read(identity) === lineOf(self())) fs.rmSync(identity, { force: true })
  if (fs.statSync(log, { throwIfNoEntry: false })?.size === 0) fs.rmSync(log, { force: true })
}

/** The process that was noted last, if it runs: its pid, start and boot are those of the note. */
export const noted = ({ identity }: HolderPlace): number | undefined => {
  const [pid = "", begin = "", booted = ""] = KernelFiles.node.read(identity).trim().split(" ")
  return booted === boot() ? ProcessBegin.running(Number(pid), begin) : undefined
}

/** False if something is in the place of the socket, and no process was noted with it. */
export const isToldOf = ({ identity, socket }: HolderPlace): boolean =>
  fs.existsSync(identity) || fs.lstatSync(socket, { throwIfNoEntry: false }) === undefined

/** True only if no holder is there, whatever has become of an earlier one. */
export const isFree = (folder: string): boolean => {
  const place = find(folder)
  return place === undefined || (noted(place) === undefined && isToldOf(place))
}
