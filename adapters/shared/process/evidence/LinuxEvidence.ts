/**
 * Evidence of the kernel of Linux: who of a child and its descendants waits for input, and who listens on a port.
 *
 * Descendants are found by their parents, and by the session and the group of the child, which it leads; those that
 * have left all three are foreign. A process waits for input if one of its threads is in a call that reads our
 * terminal, in the foreground, or the pipe that we write to; or in one that waits for that, without a timeout or with a
 * long one, and for no socket, and nothing lies there to be read. It is looked at before and after that, so that
 * nothing can have happened in between. A program without newlines draws the screen, as editors do, and waits for
 * keys: that is no question. Nor is there one before this process has read all that its terminal has printed.
 */
import * as Effect from "effect/Effect"
import * as Evidence from "../../../../core/spawn/ProcessEvidence.ts"
import * as Sockets from "./Sockets.ts"
import * as SystemCalls from "./SystemCalls.ts"
import * as Layer from "effect/Layer"
import * as KernelFiles from "../../host/KernelFiles.ts"
import * as ProcessTable from "../ProcessTable.ts"
import type { Ffi } from "../posix/Ffi.ts"
import * as Libc from "../posix/Libc.ts"
import * as LibcKernelFiles from "../posix/LibcKernelFiles.ts"
import * as Terminals from "./Terminals.ts"

interface Host {
  readonly files: KernelFiles.KernelFiles
  readonly table: ProcessTable.ProcessTable
  readonly terminals: Terminals.Terminals
  readonly arch: string
}

const no: Evidence.No = { kind: "no" }

const unknown = (why: string): Evidence.Unknown => ({ kind: "unknown", why })

/** The service; `host` is made at the first look. */
const make = (host: () => Host): Evidence.ProcessEvidenceService => ({
  tells: { input: true, port: true },
  input: (child) => Effect.sync(() => inputOf(host(), child)),
  port: (child, port, address) => Effect.sync(() => portOf(host(), child, port, address)),
})

/** The child and its descendants, zombies left out; none if it is no child of this process, nor was. */
const membersOf = ({ table }: Host, leader: number): ReadonlyArray<ProcessTable.Entry> => {
  const all = table.all()
  const byPid = new Map(all.map((entry) => [entry.pid, entry]))
  const known = new Map<number, boolean>()
  const descends = (entry: ProcessTable.Entry | undefined): boolean => {
    if (entry === undefined || entry.pid === process.pid) return false
    const seen = known.get(entry.pid)
    if (seen !== undefined) return seen
    known.set(entry.pid, false)
    const is =
      entry.pid === leader ||
      entry.session === leader ||
      entry.group === leader ||
      descends(byPid.get(entry.parent))
    known.set(entry.pid, is)
    return is
  }
  // A pid of another machine, or of another namespace, names a foreign process here.
  const own = byPid.get(leader)
  if (own !== undefined && !isOurs(byPid, own)) return []
  return all.filter((entry) => entry.state !== "Z" && descends(entry))
}

const isOurs = (byPid: ReadonlyMap<number, ProcessTable.Entry>, entry: ProcessTable.Entry): boolean => {
  for (let each: ProcessTable.Entry | undefined = entry; each !== undefined; each = byPid.get(each.parent)) {
    if (each.pid === process.pid) return true
  }
  return false
}

const portOf = (
  host: Host,
  child: Evidence.Subject,
  port: number,
  address: string | undefined,
): Evidence.Port => {
  const { files } = host
  const members = membersOf(host, child.pid)
  const tables = new Map<string, ReadonlyArray<Sockets.Listening>>()
  let denied: number | undefined
  for (const { pid } of members) {
    const space = files.readLink(`/proc/${pid}/ns/net`)
    const listening = tables.get(space) ?? Sockets.on(files, pid, port)
    tables.set(space, listening)
    const wanted = listening.filter(({ host }) => Sockets.reaches(host, address))
    if (wanted.length === 0) continue
    const fds = files.list(`/proc/${pid}/fd`)
    if (fds.length === 0) denied ??= pid
    for (const fd of fds) {
      const [, inode] = /^socket:\[(\d+)\]$/.exec(files.readLink(`/proc/${pid}/fd/${fd}`)) ?? []
      const found = wanted.find((socket) => socket.inode === inode)
      if (found !== undefined) return { kind: "yes", pid, host: found.host, port }
    }
  }
  return denied === undefined ? no : unknown(`the descriptors of process ${denied} cannot be read`)
}

const inputOf = (host: Host, child: Evidence.Subject): Evidence.Input => {
  const members = membersOf(host, child.pid)
  let denied: number | undefined
  for (const { pid } of child.tty ? inForeground(host, child.pid, members) : members) {
    const look = () => SystemCalls.look(host.files, host.terminals.memory, host.arch, pid)
    const before = look()
    if (before.denied) denied ??= pid
    if (before.runs) continue
    const from = before.waits
      .map((waits) => sourceOf(host, child, pid, waits))
      .find((found) => found !== undefined)
    if (from === undefined) continue
    const asks = child.tty ? atTerminal(host, pid) : atPipe(host, pid, from)
    if (asks !== undefined && look().mark === before.mark) return asks
  }
  return denied === undefined ? no : unknown(`the system calls of process ${denied} cannot be read`)
}

/** Field 7 and 8 of `stat`: the terminal, and its foreground group. */
const terminalOf = ({ files }: Host, pid: number) => {
  const text = files.read(`/proc/${pid}/stat`)
  const fields = text.slice(text.lastIndexOf(")") + 2).split(" ")
  const device = Number(fields[4] ?? 0)
  const minor = (device & 0xff) | ((device >>> 12) & 0xfff00)
  return { path: `/dev/pts/${minor}`, foreground: Number(fields[5] ?? 0) }
}

const inForeground = (
  host: Host,
  session: number,
  members: ReadonlyArray<ProcessTable.Entry>,
): ReadonlyArray<ProcessTable.Entry> => {
  const ofTerminal = members.filter((entry) => entry.session === session)
  const [first] = ofTerminal
  if (first === undefined) return []
  const { foreground } = terminalOf(host, first.pid)
  return ofTerminal.filter(({ group }) => group === foreground)
}

/** The target of the descriptor that the call waits for, if that is where our input comes. */
const sourceOf = (
  host: Host,
  child: Evidence.Subject,
  pid: number,
  { fds, polls }: SystemCalls.Waiting,
): string | undefined => {
  const targets = fds.map((fd) => host.files.readLink(`/proc/${pid}/fd/${fd}`))
  if (polls && targets.some((target) => target.startsWith("socket:"))) return undefined
  if (!child.tty) return targets.find((target) => target.startsWith("pipe:"))
  const names = new Set(["/dev/tty", "/dev/console", terminalOf(host, pid).path])
  return targets.find((target) => names.has(target))
}

const atTerminal = (host: Host, pid: number): Evidence.AsksInput | undefined => {
  const { path } = terminalOf(host, pid)
  const modes = host.terminals.modes(path)
  if (modes === undefined || modes.readable || !modes.newlines || hasUnread(host, path)) return undefined
  return { kind: "yes", pid, from: "terminal", echo: modes.echo, line: modes.line }
}

/** True while this process has not read all that was printed to a terminal of its own: the question is part of that. */
const hasUnread = ({ files, terminals }: Host, path: string): boolean => {
  const index = new RegExp(`^tty-index:\\s*${path.slice("/dev/pts/".length)}$`, "m")
  return files
    .list("/proc/self/fd")
    .filter((fd) => files.readLink(`/proc/self/fd/${fd}`).endsWith("/ptmx"))
    .filter((fd) => index.test(files.read(`/proc/self/fdinfo/${fd}`)))
    .some((fd) => terminals.readable(Number(fd)))
}

/** The pipe is ours if this process has the end that is written to. */
const atPipe = ({ files, terminals }: Host, pid: number, from: string): Evidence.AsksInput | undefined => {
  const own = files.list("/proc/self/fd").find((fd) => {
    if (files.readLink(`/proc/self/fd/${fd}`) !== from) return false
    const flags = Number.parseInt(
      /^flags:\s*(\d+)/m.exec(files.read(`/proc/self/fdinfo/${fd}`))?.[1] ?? "0",
      8,
    )
    return (flags & 0o3) === 1
  })
  if (own === undefined || terminals.waiting(Number(own)) !== 0) return undefined
  return { kind: "yes", pid, from: "stdin" }
}

/** The service for the children of this process. The C library is bound at the first look. */
export const layer = (openFfi: () => Ffi): Layer.Layer<never> =>
  Layer.effect(
    Evidence.ProcessEvidence,
    Effect.sync(() => {
      if (process.platform !== "linux" || !SystemCalls.isKnown(process.arch) || !tellsCalls())
        return Evidence.unknown
      try {
        const ffi = openFfi()
        let host: Host | undefined
        return make(() => (host ??= bind(ffi)))
      } catch {
        return Evidence.unknown
      }
    }),
  )

export const none: Layer.Layer<never> = Layer.succeed(Evidence.ProcessEvidence, Evidence.unknown)

/** Deno does not let its file functions read /proc; the C library does. */
const tellsCalls = () => "Deno" in globalThis || KernelFiles.node.read("/proc/self/syscall") !== ""

const bind = (ffi: Ffi): Host => {
  const libc = Libc.bind(ffi)
  const files = LibcKernelFiles.make(ffi, libc)
  return {
    files,
    table: ProcessTable.make(files),
    terminals: Terminals.make(ffi, libc),
    arch: process.arch,
  }
}
