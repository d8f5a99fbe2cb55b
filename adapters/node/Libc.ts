/**
 * The few functions of the C library that Node does not offer, called in this process through koffi.
 *
 * They exist for `posix_spawn`: its children get real pipes (those of `node:child_process` get socket
 * pairs, on which `echo x > /dev/stderr` fails), exact error numbers, and start three times as fast.
 * The functions are looked up among the symbols of the running process, so glibc and musl serve alike.
 * Only for 64-bit Linux; elsewhere, or where koffi has no binary, `load` says why.
 *
 * Functions that can fail return a negative error number, as the kernel does.
 */
import { createRequire } from "node:module"
import * as Either from "effect/Either"
import type * as Koffi from "koffi"

/** Flags of `pipe2`, `open` and `fcntl`: asm-generic/fcntl.h. */
const O_RDONLY = 0
const O_RDWR = 2
const O_CLOEXEC = 0o2000000
const F_SETFD = 2
const FD_CLOEXEC = 1
/** `access` for execution: unistd.h. */
const X_OK = 1
/** Attributes of `posix_spawn`: spawn.h of glibc and of musl. */
const POSIX_SPAWN_SETSIGDEF = 0x04
const POSIX_SPAWN_SETSIGMASK = 0x08
const POSIX_SPAWN_SETSID = 0x80
/** `waitid` and `waitpid`: linux/wait.h. */
const P_ALL = 0
const WNOHANG = 1
const WEXITED = 4
const WNOWAIT = 0x01000000
/** `si_pid` in `siginfo_t` of 64-bit Linux, in ints: include/uapi/asm-generic/siginfo.h. */
const SI_PID = 4
/** More than `posix_spawn_file_actions_t`, `posix_spawnattr_t`, `sigset_t` and `siginfo_t` take. */
const STRUCT_BYTES = 512

/** What a child gets as its descriptors 0, 1 and 2. */
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
      /** Opened by the child as leader of a new session, and so its controlling terminal. */
      readonly path: string
    }

export interface SpawnRequest {
  /** Not searched for; relative to `cwd`. */
  readonly path: string
  readonly argv: ReadonlyArray<string>
  readonly env: ReadonlyArray<string>
  readonly cwd: string
  readonly stdio: ChildStdio
}

export interface Libc {
  /** A pipe whose ends no child inherits: 0 and the two descriptors in `ends`. */
  readonly pipe: (ends: Int32Array) => number
  readonly closeOnExec: (fd: number) => void
  readonly close: (fd: number) => void
  /** Bytes read into `buffer`, 0 at the end. */
  readonly read: (fd: number, buffer: Uint8Array) => number
  /** 0 if the path may be executed, else a positive error number. */
  readonly access: (path: string) => number
  /** The pid of a child that leads a new session and has reached `exec`, with no signal ignored or blocked. */
  readonly spawn: (request: SpawnRequest) => number
  /** The pid of a child that has ended and was not yet reaped, anybody's, or 0. */
  readonly ended: () => number
  /** Reaps `pid`: its wait status, `undefined` if it still runs. */
  readonly wait: (pid: number) => number | undefined
}

let loaded: Either.Either<Libc, string> | undefined

/** The library of this process, loaded once, or the reason why it cannot be reached. */
export const load = (): Either.Either<Libc, string> => (loaded ??= attempt())

const attempt = (): Either.Either<Libc, string> => {
  if (process.platform !== "linux") return Either.left("posix_spawn is only used on Linux")
  if (!process.arch.endsWith("64")) return Either.left(`no layout of siginfo_t for ${process.arch}`)
  return Either.try({
    try: () => bind(createRequire(import.meta.url)("koffi") as typeof Koffi),
    catch: (error) => `libc is out of reach: ${error instanceof Error ? error.message : String(error)}`,
  })
}

const bind = (koffi: typeof Koffi): Libc => {
  const library = koffi.load(null)
  const call = <F>(definition: string): F => library.func(definition) as F
  const pipe2 = call<(ends: Int32Array, flags: number) => number>("int pipe2(int *, int)")
  const fcntl = call<(fd: number, command: number, value: number) => number>("int fcntl(int, int, int)")
  const close = call<(fd: number) => number>("int close(int)")
  const read = call<(fd: number, to: Uint8Array, size: number) => number>("long read(int, void *, size_t)")
  const access = call<(path: string, mode: number) => number>("int access(const char *, int)")
  const waitid = call<(type: number, id: number, info: Int32Array, options: number) => number>(
    "int waitid(int, int, void *, int)",
  )
  const waitpid = call<(pid: number, status: Int32Array, options: number) => number>(
    "int waitpid(int, int *, int)",
  )
  const info = new Int32Array(STRUCT_BYTES / 4)
  const status = new Int32Array(1)
  return {
    pipe: (ends) => (pipe2(ends, O_CLOEXEC) === 0 ? 0 : -koffi.errno()),
    closeOnExec: (fd) => void fcntl(fd, F_SETFD, FD_CLOEXEC),
    close: (fd) => void close(fd),
    read: (fd, buffer) => {
      const count = read(fd, buffer, buffer.length)
      return count < 0 ? -koffi.errno() : count
    },
    access: (path) => (access(path, X_OK) === 0 ? 0 : koffi.errno()),
    spawn: bindSpawn(call),
    ended: () => {
      info[SI_PID] = 0
      return waitid(P_ALL, 0, info, WEXITED | WNOHANG | WNOWAIT) === 0 ? (info[SI_PID] ?? 0) : 0
    },
    wait: (pid) => {
      const result = waitpid(pid, status, WNOHANG)
      if (result === 0) return undefined
      return result === pid ? status[0] : LOST_STATUS
    },
  }
}

/** Reported for a child that somebody else has reaped: exit code 255. */
const LOST_STATUS = 255 << 8

const bindSpawn = (call: <F>(definition: string) => F): Libc["spawn"] => {
  type OnStruct = (struct: Uint8Array) => number
  const spawn = call<
    (
      pid: Int32Array,
      path: string,
      actions: Uint8Array,
      attributes: Uint8Array,
      argv: ReadonlyArray<string | null>,
      env: ReadonlyArray<string | null>,
    ) => number
  >("int posix_spawn(int *, const char *, void *, void *, const char **, const char **)")
  const prefix = "int posix_spawn_file_actions_"
  const init = call<OnStruct>(`${prefix}init(void *)`)
  const destroy = call<OnStruct>(`${prefix}destroy(void *)`)
  const dup2 = call<(actions: Uint8Array, from: number, to: number) => number>(
    `${prefix}adddup2(void *, int, int)`,
  )
  const open = call<(actions: Uint8Array, fd: number, path: string, flags: number, mode: number) => number>(
    `${prefix}addopen(void *, int, const char *, int, int)`,
  )
  const chdir = call<(actions: Uint8Array, path: string) => number>(
    `${prefix}addchdir_np(void *, const char *)`,
  )
  // Not in musl, and not needed where every descriptor of the server is close-on-exec.
  const closeFrom = Either.getOrElse(
    Either.try(() =>
      call<(actions: Uint8Array, from: number) => number>(`${prefix}addclosefrom_np(void *, int)`),
    ),
    () => undefined,
  )

  const attributes = new Uint8Array(STRUCT_BYTES)
  call<OnStruct>("int posix_spawnattr_init(void *)")(attributes)
  call<(attributes: Uint8Array, flags: number) => number>("int posix_spawnattr_setflags(void *, short)")(
    attributes,
    POSIX_SPAWN_SETSID | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF,
  )
  type SetSignals = (attributes: Uint8Array, signals: Uint8Array) => number
  const everySignal = new Uint8Array(STRUCT_BYTES).fill(0xff)
  call<SetSignals>("int posix_spawnattr_setsigdefault(void *, void *)")(attributes, everySignal)
  const noSignal = new Uint8Array(STRUCT_BYTES)
  call<SetSignals>("int posix_spawnattr_setsigmask(void *, void *)")(attributes, noSignal)

  const actions = new Uint8Array(STRUCT_BYTES)
  const pid = new Int32Array(1)
  return ({ path, argv, env, cwd, stdio }) => {
    init(actions)
    if (stdio.kind === "pty") {
      open(actions, 0, stdio.path, O_RDWR, 0)
      dup2(actions, 0, 1)
      dup2(actions, 0, 2)
    } else {
      if (stdio.stdin === undefined) open(actions, 0, "/dev/null", O_RDONLY, 0)
      else dup2(actions, stdio.stdin, 0)
      dup2(actions, stdio.stdout, 1)
      dup2(actions, stdio.stderr, 2)
    }
    closeFrom?.(actions, 3)
    chdir(actions, cwd)
    const errno = spawn(pid, path, actions, attributes, [...argv, null], [...env, null])
    destroy(actions)
    return errno === 0 ? (pid[0] ?? 0) : -errno
  }
}
