/**
 * The limits of the system for this process. They must suffice for one session with all the processes that it may have
 * (`--max-session-processes`), each on three pipes.
 */
import * as Effect from "effect/Effect"
import * as Limits from "../../../core/protocol/Limits.ts"
import type { KernelFiles } from "../host/KernelFiles.ts"
import { type Check, type Finding, type Machine, no, procRemedy, unread, yes } from "./Check.ts"

const wanted = Limits.table.sessionProcesses.default
/** Descriptors, and pipes, of a process on pipes. */
const PIPES = 3
/** Descriptors of a server without processes. */
const OWN_DESCRIPTORS = 64
/** Pages of memory behind a pipe. */
const PIPE_PAGES = 16
const LEAST_MEBIBYTES = 256

/** A check that only reads what the kernel says. */
const limit = (name: string, look: (machine: Machine) => Finding | undefined): Check => ({
  name,
  remedy: procRemedy,
  look: (machine) =>
    Effect.suspend(() => {
      const found = look(machine)
      return found === undefined ? Effect.fail(unread) : Effect.succeed(found)
    }),
})

/** The limit of this process, by its name in /proc; undefined if it is not known. */
const softLimit = ({ read }: KernelFiles, name: string): number | undefined => {
  const [, text] = new RegExp(`^Max ${name} +(\\S+)`, "m").exec(read("/proc/self/limits")) ?? []
  return text === undefined ? undefined : text === "unlimited" ? Number.POSITIVE_INFINITY : Number(text)
}

const numberIn = ({ read }: KernelFiles, path: string): number | undefined => {
  const text = read(path).trim()
  return /^\d+$/.test(text) ? Number(text) : undefined
}

const shown = (count: number): string => (Number.isFinite(count) ? String(count) : "unlimited")

const openFiles = limit("open-files", ({ files }) => {
  const most = softLimit(files, "open files")
  if (most === undefined) return undefined
  const room = Math.max(0, Math.floor((most - OWN_DESCRIPTORS) / PIPES))
  const why = `${shown(most)} descriptors, enough for ${shown(room)} processes on pipes`
  return room >= wanted ? yes(why) : no(why, "ulimit -n 65536; in a unit of systemd: LimitNOFILE=65536")
})

const processes = limit("processes", ({ files, isRoot }) => {
  const most = softLimit(files, "processes")
  const ids = numberIn(files, "/proc/sys/kernel/pid_max")
  if (most === undefined || ids === undefined) return undefined
  const mine = isRoot ? Number.POSITIVE_INFINITY : most
  const why = `${shown(Math.min(mine, ids))} processes at once${isRoot ? "" : ", of all programs of this user"}`
  if (ids < wanted) return no(why, "sysctl -w kernel.pid_max=4194304")
  return mine >= wanted ? yes(why) : no(why, "ulimit -u unlimited; in a unit of systemd: LimitNPROC=infinity")
})

const pipePages = limit("pipe-pages", ({ files, isRoot }) => {
  const pages = numberIn(files, "/proc/sys/fs/pipe-user-pages-soft")
  if (pages === undefined) return undefined
  if (isRoot) return yes("root is not held to fs.pipe-user-pages-soft: all pipes take 64 KiB")
  if (pages === 0) return yes("no limit: all pipes take 64 KiB")
  const full = Math.floor(pages / PIPE_PAGES / PIPES)
  const why = `${pages} pages for all pipes of this user: beyond ${full} processes a pipe takes 8 KiB, not 64`
  return full >= wanted
    ? yes(why)
    : no(why, `sysctl -w fs.pipe-user-pages-soft=${wanted * PIPES * PIPE_PAGES * 2}`)
})

const ptys = limit("ptys", ({ files }) => {
  const most = numberIn(files, "/proc/sys/kernel/pty/max")
  const used = numberIn(files, "/proc/sys/kernel/pty/nr")
  if (most === undefined || used === undefined) return undefined
  const why = `${most} PTYs, of which ${used} are in use`
  return most - used >= wanted ? yes(why) : no(why, "sysctl -w kernel.pty.max=8192")
})

const memory = limit("memory", ({ files }) => {
  const text = files.read("/proc/meminfo")
  const [total, free] = ["MemTotal", "MemAvailable"].map((name) => {
    const [, kibibytes] = new RegExp(`^${name}: +(\\d+) kB`, "m").exec(text) ?? []
    return kibibytes === undefined ? undefined : Math.floor(Number(kibibytes) / 1024)
  })
  if (total === undefined || free === undefined) return undefined
  const why = `${free} MiB of ${total} MiB are available`
  return free >= LEAST_MEBIBYTES ? yes(why) : no(why, "end other programs, or add memory")
})

export const checks: ReadonlyArray<Check> = [openFiles, processes, pipePages, ptys, memory]
