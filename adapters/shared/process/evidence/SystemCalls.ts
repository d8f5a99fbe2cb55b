/**
 * The descriptors that a sleeping process waits for, by its system call: `/proc/PID/task/TID/syscall`, the memory and
 * the descriptors that the call names. Only a process that may trace another sees them.
 */
import type { KernelFiles } from "../../host/KernelFiles.ts"

/** A call that waits until something can be read. */
export interface Waiting {
  /** The descriptors that it waits for. */
  readonly fds: ReadonlyArray<number>
  /** True for a call that waits for several things, or could. */
  readonly polls: boolean
}

/** The state of the threads of a process. `denied`: the kernel does not show it. */
export interface Look {
  readonly denied: boolean
  readonly runs: boolean
  readonly waits: ReadonlyArray<Waiting>
  /** Equal in two looks if no thread has run between them. */
  readonly mark: string
}

/** Reads the memory of a process; empty if that is not permitted. */
export type ReadMemory = (pid: number, address: number, length: number) => Uint8Array

/** The numbers of the calls, by the names of Node for processors: asm/unistd.h. */
const numbers: Readonly<Record<string, Readonly<Record<number, string>>>> = {
  x64: {
    0: "read",
    19: "read",
    7: "poll",
    23: "select",
    270: "select",
    271: "ppoll",
    232: "epoll",
    281: "epoll",
    441: "epoll2",
  },
  arm64: { 63: "read", 65: "read", 72: "select", 73: "ppoll", 22: "epoll", 441: "epoll2" },
}

export const isKnown = (arch: string): boolean => Object.hasOwn(numbers, arch)

/** A shorter wait is one for the time; engines of JavaScript wait for at most some seconds while they are young. */
export const patientMillis = 5000

/** The most descriptors of one call that are looked at. */
const mostFds = 1024
const POLLIN = 0x41
const EPOLLIN = 0x41

export const look = (files: KernelFiles, memory: ReadMemory, arch: string, pid: number): Look => {
  const waits: Array<Waiting> = []
  let [mark, runs, denied] = ["", false, false]
  for (const thread of files.list(`/proc/${pid}/task`)) {
    const task = `/proc/${pid}/task/${thread}`
    const call = files.read(`${task}/syscall`).trim()
    if (call === "") denied = true
    if (call === "running") runs = true
    const waiting = waitingOf(files, memory, arch, pid, call)
    if (waiting !== undefined) waits.push(waiting)
    mark += `${thread} ${call} ${/^voluntary.*$/m.exec(files.read(`${task}/status`))?.[0]}\n`
  }
  return { denied, runs, waits, mark }
}

const waitingOf = (
  files: KernelFiles,
  memory: ReadMemory,
  arch: string,
  pid: number,
  call: string,
): Waiting | undefined => {
  const [number = NaN, first = 0, second = 0, third = 0, fourth = 0, fifth = 0] = call.split(" ").map(Number)
  const patient = (millis: number) => (millis | 0) < 0 || (millis | 0) >= patientMillis
  const patientAt = (timeout: number) =>
    timeout === 0 || secondsAt(memory(pid, timeout, 8)) >= patientMillis / 1000
  const poll = () => ({ fds: polled(memory(pid, first, Math.min(second, mostFds) * 8)), polls: true })
  const epoll = () => ({ fds: watched(files, pid, first), polls: true })
  switch (numbers[arch]?.[number]) {
    case "read":
      return { fds: [first], polls: false }
    case "poll":
      return patient(third) ? poll() : undefined
    case "ppoll":
      return patientAt(third) ? poll() : undefined
    case "select":
      return second !== 0 && patientAt(fifth)
        ? { fds: selected(memory(pid, second, Math.ceil(Math.min(first, mostFds) / 64) * 8)), polls: true }
        : undefined
    case "epoll":
      return patient(fourth) ? epoll() : undefined
    case "epoll2":
      return patientAt(fourth) ? epoll() : undefined
    default:
      return undefined
  }
}

/** The seconds of a `struct timespec` or `timeval`. */
const secondsAt = (bytes: Uint8Array): number =>
  bytes.length < 8 ? 0 : Number(new DataView(bytes.buffer, bytes.byteOffset, 8).getBigInt64(0, true))

/** Of an array of `struct pollfd`. */
const polled = (bytes: Uint8Array): ReadonlyArray<number> => {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length)
  const fds: Array<number> = []
  for (let at = 0; at + 8 <= bytes.length; at += 8) {
    if ((view.getInt16(at + 4, true) & POLLIN) !== 0) fds.push(view.getInt32(at, true))
  }
  return fds
}

/** Of an `fd_set`. */
const selected = (bytes: Uint8Array): ReadonlyArray<number> =>
  Array.from({ length: bytes.length * 8 }, (_, fd) => fd).filter(
    (fd) => ((bytes[fd >> 3] ?? 0) & (1 << (fd & 7))) !== 0,
  )

const watched = (files: KernelFiles, pid: number, epoll: number): ReadonlyArray<number> =>
  [...files.read(`/proc/${pid}/fdinfo/${epoll}`).matchAll(/^tfd:\s*(\d+) events:\s*([\da-f]+)/gm)]
    .filter(([, , events = ""]) => (Number.parseInt(events, 16) & EPOLLIN) !== 0)
    .map(([, fd]) => Number(fd))
