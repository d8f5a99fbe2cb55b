/**
 * The functions of the C library that `posix_spawn` and its children need, called in this process.
 *
 * Compared with `node:child_process`, a child gets real pipes (not socket pairs, on which `echo x > /dev/stderr`
 * fails), a failed start has its error number, and a start takes a third of the time. Only for 64-bit Linux, glibc and
 * musl alike.
 *
 * A function that fails returns a negative error number, as the kernel does, unless it says otherwise.
 */
import * as Result from "effect/Result"
import * as NativePath from "../../../../core/protocol/NativePath.ts"
import type { Ffi } from "./Ffi.ts"

/** Flags of `pipe2`, `open` and `fcntl`: asm-generic/fcntl.h. */
export const O_RDONLY = 0
export const O_RDWR = 2
export const O_NOCTTY = 0o400
export const O_NONBLOCK = 0o4000
export const O_CLOEXEC = 0o2000000
const F_SETFL = 4
/** `poll`: asm-generic/poll.h. */
const POLLIN = 1
/** `access` for execution: unistd.h. */
const X_OK = 1
/** Attributes of `posix_spawn`: spawn.h of glibc and of musl. */
const POSIX_SPAWN_SETSIGDEF = 0x04
const POSIX_SPAWN_SETSIGMASK = 0x08
const POSIX_SPAWN_SETSID = 0x80
/** `waitid` and `wait4`: linux/wait.h. */
const P_ALL = 0
const P_PID = 1
const WNOHANG = 1
const WEXITED = 4
const WNOWAIT = 0x01000000
/** `prctl`: linux/prctl.h. */
const PR_SET_CHILD_SUBREAPER = 36
const PR_GET_CHILD_SUBREAPER = 37
/** `si_pid` in `siginfo_t` of 64-bit Linux, in ints: include/uapi/asm-generic/siginfo.h. */
const SI_PID = 4
/** `getrusage`: linux/resource.h. */
const RUSAGE_SELF = 0
/** Of `struct rusage` on 64-bit Linux, in ints: user time, system time (each in s and µs), and the peak in KiB. */
const RU_UTIME = 0
const RU_STIME = 4
const RU_MAXRSS = 8
/** `st_ino` in `struct stat` of 64-bit Linux, in ints. */
const ST_INO = 2
/** More than `posix_spawn_file_actions_t`, `posix_spawnattr_t`, `sigset_t`, and the structures of calls below take. */
const STRUCT_BYTES = 512

/** The descriptors 0, 1 and 2 of a child. */
export type ChildStdio =
  | {
      readonly kind: "pipe"
      /** `undefined` is `/dev/null`. */
      readonly stdin: number | undefined
      readonly stdout: number
      readonly stderr: number
    }
  | {
      readonly kind: "pty"
      /** Of the slave. The child leads a new session when it opens it, so it becomes the controlling terminal. */
      readonly path: string
    }

/** The stdin of a helper, whose stdout and stderr are `/dev/null`. */
export interface HelperStdio {
  readonly kind: "input"
  readonly stdin: number
}

export interface SpawnRequest {
  /** Not looked up in a PATH; relative to `cwd`. */
  readonly path: string
  readonly argv: ReadonlyArray<string>
  readonly env: ReadonlyArray<string>
  readonly cwd: string
  readonly stdio: ChildStdio | HelperStdio
}

export interface Libc {
  /** Opens a pipe that no child inherits: 0, and its two descriptors in `ends`. */
  readonly pipe: (ends: Int32Array) => number
  /** Makes reads and writes of the open file fail with EAGAIN instead of waiting. */
  readonly nonBlocking: (fd: number) => void
  readonly close: (fd: number) => void
  /** The number of bytes read into `buffer`; 0 at EOF. */
  readonly read: (fd: number, buffer: Uint8Array) => number
  /** The number of bytes written from `buffer`. */
  readonly write: (fd: number, buffer: Uint8Array) => number
  /** True if a read of it would not wait: there are bytes, EOF or an error. */
  readonly readable: (fd: number) => boolean
  /** The inode behind a descriptor; `undefined` where the library has no `fstat`. */
  readonly inode: (fd: number) => number | undefined
  /** 0 if the path may be executed, else a positive error number. */
  readonly access: (path: string) => number
  /** Starts a child that leads a new session and ignores and blocks no signal: its pid, once it has reached `exec`. */
  readonly spawn: (request: SpawnRequest) => number
  /** Signals a process, or a group by its negative id: 0, or a positive error number. */
  readonly kill: (pid: number, signal: number) => number
  /** Makes this process the parent of its descendants that lose theirs: 0, or a positive error number. */
  readonly adopt: () => number
  /** True if descendants that lose their parents become children of this process because of `adopt`. */
  readonly adopts: () => boolean
  /** The pid of a child of this process, `pid` or any, that has ended and is not yet reaped; 0 if there is none. */
  readonly ended: (pid?: number) => number
  /** Reaps `pid`, which has ended. */
  readonly wait: (pid: number) => Waited
  /** The peak of the resident memory of this process, in bytes. */
  readonly peakBytes: () => number
}

/** A child that was reaped. `peakBytes` is at least the peak of this process when it has started the child. */
export interface Waited {
  /** Its wait status. */
  readonly status: number
  /** The usage of it and of the children that it has reaped; undefined if another part of the program has reaped it. */
  readonly usage:
    | { readonly userMicros: number; readonly systemMicros: number; readonly peakBytes: number }
    | undefined
}

/** Throws if the library lacks one of the functions. */
export const bind = (ffi: Ffi): Libc => {
  const pipe2 = ffi.bind("pipe2", ["buffer", "int"])
  const fcntl = ffi.bind("fcntl", ["int", "int", "int"])
  const close = ffi.bind("close", ["int"])
  const read = ffi.bind("read", ["int", "buffer", "long"], "long")
  const write = ffi.bind("write", ["int", "buffer", "long"], "long")
  const poll = ffi.bind("poll", ["buffer", "long", "int"])
  const access = ffi.bind("access", ["buffer", "int"])
  const kill = ffi.bind("kill", ["int", "int"])
  const prctl = ffi.bind("prctl", ["int", "long", "long", "long", "long"])
  const prctlInto = ffi.bind("prctl", ["int", "buffer", "long", "long", "long"])
  const waitid = ffi.bind("waitid", ["int", "int", "buffer", "int"])
  const wait4 = ffi.bind("wait4", ["int", "buffer", "int", "buffer"])
  const getrusage = ffi.bind("getrusage", ["int", "buffer"])
  // An inline function before glibc 2.33.
  const fstat = Result.getOrElse(
    Result.try(() => ffi.bind("fstat", ["int", "buffer"])),
    () => undefined,
  )
  const stat = new Int32Array(STRUCT_BYTES / 4)
  const info = new Int32Array(STRUCT_BYTES / 4)
  const status = new Int32Array(1)
  const adopts = new Int32Array(1)
  const usage = new Int32Array(STRUCT_BYTES / 4)
  const orErrno = (result: number) => (result < 0 ? -ffi.errno() : result)
  return {
    pipe: (ends) => orErrno(pipe2(ends, O_CLOEXEC)),
    nonBlocking: (fd) => void fcntl(fd, F_SETFL, O_NONBLOCK),
    close: (fd) => void close(fd),
    read: (fd, buffer) => orErrno(read(fd, buffer, buffer.length)),
    write: (fd, buffer) => orErrno(write(fd, buffer, buffer.length)),
    // `struct pollfd`: the descriptor, then two shorts, of which the second one is for the answer.
    readable: (fd) => poll(Int32Array.of(fd, POLLIN), 1, 0) > 0,
    inode: (fd) => {
      if (fstat === undefined || fstat(fd, stat) !== 0) return undefined
      return longAt(stat, ST_INO)
    },
    access: (path) => (access(NativePath.toCString(path), X_OK) === 0 ? 0 : ffi.errno()),
    spawn: bindSpawn(ffi),
    kill: (pid, signal) => (kill(pid, signal) === 0 ? 0 : ffi.errno()),
    adopt: () => (prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) === 0 ? 0 : ffi.errno()),
    adopts: () => prctlInto(PR_GET_CHILD_SUBREAPER, adopts, 0, 0, 0) === 0 && adopts[0] === 1,
    ended: (pid) => {
      info[SI_PID] = 0
      const failed = waitid(pid === undefined ? P_ALL : P_PID, pid ?? 0, info, WEXITED | WNOHANG | WNOWAIT)
      // A child that somebody else has reaped has ended too.
      if (failed !== 0) return pid ?? 0
      return info[SI_PID] ?? 0
    },
    wait: (pid) =>
      wait4(pid, status, WNOHANG, usage) === pid
        ? {
            status: status[0] ?? 0,
            usage: {
              userMicros: longAt(usage, RU_UTIME) * 1e6 + longAt(usage, RU_UTIME + 2),
              systemMicros: longAt(usage, RU_STIME) * 1e6 + longAt(usage, RU_STIME + 2),
              peakBytes: longAt(usage, RU_MAXRSS) * 1024,
            },
          }
        : { status: LOST_STATUS, usage: undefined },
    peakBytes: () => (getrusage(RUSAGE_SELF, usage) === 0 ? longAt(usage, RU_MAXRSS) * 1024 : Infinity),
  }
}

/** An unsigned integer of 64 bits, below 2^53, in a structure of ints. */
const longAt = (struct: Int32Array, index: number): number =>
  ((struct[index + 1] ?? 0) >>> 0) * 2 ** 32 + ((struct[index] ?? 0) >>> 0)

/** The wait status of a child that somebody else has reaped: exit code 255. */
const LOST_STATUS = 255 << 8

const bindSpawn = (ffi: Ffi): Libc["spawn"] => {
  const spawn = ffi.bind("posix_spawn", ["buffer", "text", "buffer", "buffer", "texts", "texts"])
  const prefix = "posix_spawn_file_actions_"
  const init = ffi.bind(`${prefix}init`, ["buffer"])
  const destroy = ffi.bind(`${prefix}destroy`, ["buffer"])
  const dup2 = ffi.bind(`${prefix}adddup2`, ["buffer", "int", "int"])
  const open = ffi.bind(`${prefix}addopen`, ["buffer", "int", "text", "int", "int"])
  const chdir = ffi.bind(`${prefix}addchdir_np`, ["buffer", "buffer"])
  // musl lacks it. It only matters for descriptors of the server that are not close-on-exec.
  const closeFrom = Result.getOrElse(
    Result.try(() => ffi.bind(`${prefix}addclosefrom_np`, ["buffer", "int"])),
    () => undefined,
  )

  const attributes = new Uint8Array(STRUCT_BYTES)
  ffi.bind("posix_spawnattr_init", ["buffer"])(attributes)
  const flags = POSIX_SPAWN_SETSID | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF
  ffi.bind("posix_spawnattr_setflags", ["buffer", "int"])(attributes, flags)
  const everySignal = new Uint8Array(STRUCT_BYTES).fill(0xff)
  ffi.bind("posix_spawnattr_setsigdefault", ["buffer", "buffer"])(attributes, everySignal)
  const noSignal = new Uint8Array(STRUCT_BYTES)
  ffi.bind("posix_spawnattr_setsigmask", ["buffer", "buffer"])(attributes, noSignal)

  const actions = new Uint8Array(STRUCT_BYTES)
  const pid = new Int32Array(1)
  return ({ path, argv, env, cwd, stdio }) => {
    init(actions)
    if (stdio.kind === "pty") {
      open(actions, 0, stdio.path, O_RDWR, 0)
      dup2(actions, 0, 1)
      dup2(actions, 0, 2)
    } else if (stdio.kind === "input") {
      dup2(actions, stdio.stdin, 0)
      open(actions, 1, "/dev/null", O_RDWR, 0)
      dup2(actions, 1, 2)
    } else {
      if (stdio.stdin === undefined) open(actions, 0, "/dev/null", O_RDONLY, 0)
      else dup2(actions, stdio.stdin, 0)
      dup2(actions, stdio.stdout, 1)
      dup2(actions, stdio.stderr, 2)
    }
    closeFrom?.(actions, 3)
    chdir(actions, NativePath.toCString(cwd))
    const errno = spawn(pid, path, actions, attributes, argv, env)
    destroy(actions)
    return errno === 0 ? (pid[0] ?? 0) : -errno
  }
}
