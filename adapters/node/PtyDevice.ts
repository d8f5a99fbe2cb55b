/**
 * Pseudo-terminals from `@homebridge/node-pty-prebuilt-multiarch`: only its native `open` and `resize`.
 *
 * The package's own children are not used. Its JavaScript loses the tail of the output on Node 20 and 22,
 * its `fork` costs a thread per child, cannot set `argv[0]` and reports a missing program as output; and
 * neither closes the master for later children. Here both ends are close-on-exec before anything else can
 * be started, and the master is read and written through libuv's pipe handle, which knows how to wait for
 * a full terminal (its TTY handle spins). Node has no public name for that handle, so it is taken from a
 * socket over a pipe; where that fails there are no PTYs, and `load` says why.
 */
import { createRequire } from "node:module"
import * as Net from "node:net"
import { constants } from "node:os"
import * as Either from "effect/Either"
import type * as Spawner from "../../core/spawn/Spawner.ts"
import { Errno } from "../shared/ProgramPath.ts"
import type { Libc } from "./Libc.ts"

/** Both ends of a new PTY, of the given size. */
export interface Pty {
  readonly master: number
  readonly slave: number
  /** The slave's device, which the child opens. */
  readonly path: string
}

export interface PtyDevice {
  readonly open: (size: Spawner.TerminalSize) => Pty | Errno
  /** Sets the size, and sends SIGWINCH to the foreground group if it changed. Throws what went wrong. */
  readonly resize: (master: number, size: Spawner.TerminalSize) => void
  /** A handle for `new Net.Socket` that owns the master. */
  readonly handle: (master: number) => object
}

interface Native {
  readonly open: (columns: number, rows: number) => { master: number; slave: number; pty: string }
  readonly resize: (fd: number, columns: number, rows: number) => void
}

interface PipeHandle {
  readonly open: (fd: number) => number | void
}

type PipeClass = new (type: number) => PipeHandle

/** `constants.SOCKET` of the pipe handle: a stream, neither a server nor for passing handles. */
const STREAM = 0
const LOADER = "@homebridge/node-pty-prebuilt-multiarch/lib/prebuild-loader.js"

export const load = (libc: Libc): Either.Either<PtyDevice, string> =>
  Either.try({
    try: () => {
      const { default: native } = createRequire(import.meta.url)(LOADER) as { default: Native }
      const Pipe = pipeClass(libc)
      return make(libc, native, Pipe)
    },
    catch: (error) => `no PTYs: ${error instanceof Error ? error.message : String(error)}`,
  })

const make = (libc: Libc, native: Native, Pipe: PipeClass): PtyDevice => ({
  open: ({ rows, columns }) => {
    const opened = Either.try(() => native.open(columns, rows))
    if (Either.isLeft(opened)) return shortage(libc)
    const { master, slave, pty } = opened.right
    libc.closeOnExec(master)
    libc.closeOnExec(slave)
    return { master, slave, path: pty }
  },
  resize: (master, { rows, columns }) => native.resize(master, columns, rows),
  handle: (master) => {
    const handle = new Pipe(STREAM)
    handle.open(master)
    return handle
  },
})

/** Why there are no more PTYs: the package does not tell, but a pipe needs as many descriptors. */
const shortage = (libc: Libc): Errno => {
  const ends = new Int32Array(2)
  const result = libc.pipe(ends)
  if (result < 0) return new Errno(-result)
  ends.forEach(libc.close)
  return new Errno(constants.errno.ENOSPC)
}

const pipeClass = (libc: Libc): PipeClass => {
  const ends = new Int32Array(2)
  if (libc.pipe(ends) < 0) throw new Error("no pipe to take the handle's class from")
  libc.close(ends[1] ?? -1)
  const socket: Net.Socket & { _handle?: object } = new Net.Socket({ fd: ends[0] ?? -1, writable: false })
  socket.on("error", () => {})
  const Pipe: unknown = socket._handle?.constructor
  socket.destroy()
  if (typeof Pipe !== "function" || Pipe.name !== "Pipe") throw new Error("Node's pipe handle is hidden")
  return Pipe as PipeClass
}
