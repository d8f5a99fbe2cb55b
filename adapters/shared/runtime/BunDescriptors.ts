/**
 * Descriptors as files of Bun, which cannot make sockets of pipes. If a non-blocking descriptor returns EAGAIN, the
 * stream of its file waits until it is readable, without a thread.
 *
 * One chunk at a time is requested from a stream. After `pause` no other is requested; a chunk that was requested
 * before is kept until `resume`, so at most one read is buffered here while the child blocks.
 *
 * Writes go straight to the descriptor. Bytes that a pipe does not take at once go through a sink of Bun, which waits
 * for the pipe. On a terminal such a sink blocks the whole process, so a full terminal is polled, at most 500 times a
 * second.
 */
import { constants } from "node:os"
import * as Effect from "effect/Effect"
import type * as Spawner from "../../../core/spawn/Spawner.ts"
import * as SpawnError from "../../../core/spawn/SpawnError.ts"
import type { ChildEvents } from "../process/ChildEvents.ts"
import type { Output } from "../process/RunningChild.ts"
import type { StdinWriter } from "../process/StdinWriter.ts"
import { BUFFER_BYTES, type Descriptors } from "../process/posix/Descriptors.ts"
import type { Libc } from "../process/posix/Libc.ts"

/** The part of the global `Bun` that is used; its types are not installed. */
interface BunFile {
  readonly stream: () => ReadableStream<Uint8Array>
  readonly writer: (options: { readonly highWaterMark: number }) => Sink
}

interface Sink {
  readonly write: (bytes: Uint8Array) => number | Promise<number>
  readonly flush: () => unknown
  readonly end: () => unknown
}

const { EAGAIN, EIO } = constants.errno
/** The interval at which a full terminal is tried again. */
const RETRY_MILLIS = 2

export const make = (libc: Libc): Descriptors => {
  const { file } = (globalThis as unknown as { Bun: { file: (fd: number) => BunFile } }).Bun
  const reader = (fd: number, stream: Spawner.OutputStream, events: ChildEvents) => {
    libc.nonBlocking(fd)
    return read(libc, fd, file(fd), stream, events)
  }
  return {
    reader,
    writer: (fd) => {
      libc.nonBlocking(fd)
      let sink: Sink | undefined
      const rest = async (bytes: Uint8Array) => {
        sink ??= file(fd).writer({ highWaterMark: BUFFER_BYTES })
        await sink.write(bytes)
        await sink.flush()
      }
      const close = () => {
        libc.close(fd)
        Promise.resolve(sink?.end()).catch(() => {})
      }
      return write(libc, fd, () => true, rest, close)
    },
    terminal: (master, events) => {
      const output = reader(master, "pty", events)
      const rest = async (bytes: Uint8Array) => {
        for (let left = bytes; left.length > 0;) {
          await new Promise((resolve) => setTimeout(resolve, RETRY_MILLIS))
          const taken = output.open() ? libc.write(master, left) : -EIO
          if (taken < 0 && taken !== -EAGAIN) throw new Error(`cannot write (os error ${-taken})`)
          left = left.subarray(Math.max(taken, 0))
        }
      }
      return { output, stdin: write(libc, master, output.open, rest, () => {}), open: output.open }
    },
  }
}

const read = (
  libc: Libc,
  fd: number,
  file: BunFile,
  stream: Spawner.OutputStream,
  events: ChildEvents,
): Output & { readonly open: () => boolean } => {
  const reader = file.stream().getReader()
  let open = true
  let paused = false
  let asked = false
  let held: Uint8Array | undefined

  const close = () => {
    if (open) libc.close(fd)
    open = false
    events.end(stream)
  }
  const deliver = (bytes: Uint8Array) => {
    if (paused) held = bytes
    else events.output(stream, bytes)
  }
  const ask = () => {
    if (asked || paused || !open) return
    asked = true
    reader.read().then(({ done, value }) => {
      asked = false
      if (value !== undefined) deliver(value)
      if (done) close()
      else ask()
    }, close)
  }
  const release = () => {
    if (paused) return
    if (held !== undefined) events.output(stream, held)
    held = undefined
    ask()
  }
  ask()
  return {
    open: () => open,
    unread: () => open && (held !== undefined || libc.readable(fd)),
    pause: () => {
      paused = true
    },
    resume: () => {
      paused = false
      queueMicrotask(release)
    },
    destroy: () => {
      reader.cancel().catch(() => {})
      close()
    },
  }
}

/**
 * Writes what the descriptor takes at once, and passes on the rest in order; `close` is called once, after all of it.
 */
const write = (
  libc: Libc,
  fd: number,
  usable: () => boolean,
  rest: (bytes: Uint8Array) => Promise<void>,
  close: () => void,
): StdinWriter => {
  let open = true
  let waiting = 0
  let last: Promise<unknown> = Promise.resolve()

  const finish = () => {
    if (open) close()
    open = false
  }
  return {
    write: (bytes) => {
      if (!open || !usable()) return Effect.fail(closed())
      const taken = waiting > 0 ? 0 : libc.write(fd, bytes)
      if (taken === bytes.length) return Effect.void
      if (taken < 0 && taken !== -EAGAIN) return Effect.fail(closed())
      waiting += 1
      const done = last.then(() => rest(bytes.subarray(Math.max(taken, 0))))
      last = done.catch(() => {}).then(() => (waiting -= 1))
      return Effect.tryPromise({ try: () => done, catch: closed })
    },
    end: () => void last.then(finish),
    destroy: finish,
  }
}

const closed = (cause?: unknown) => new SpawnError.StdinError({ reason: "Closed", cause })
