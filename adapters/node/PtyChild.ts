/**
 * A child on a pseudo-terminal, which is its stdin, stdout and stderr and its controlling terminal.
 *
 * Nothing is lost at the end, on any Node. Two things see to that: the server holds the slave open until
 * the child has exited, so a child that closes its terminal for a while is not hung up; and each time
 * there is something to read everything is read, up to the EIO of the last close, before libuv (up to 1.51
 * it takes a hang-up after a short read for the end) looks at the terminal again. It also turns the 4 KiB
 * pieces in which terminals are read into chunks of up to 64 KiB.
 *
 * A descendant that holds the terminal delays its end, not the exit. Giving up the output closes the
 * master, which is a hang-up for whoever is still on the terminal.
 */
import * as Net from "node:net"
import * as Effect from "effect/Effect"
import type * as Spawner from "../../core/spawn/Spawner.ts"
import * as SpawnError from "../../core/spawn/SpawnError.ts"
import * as ChildEvents from "../shared/ChildEvents.ts"
import * as OsError from "../shared/OsError.ts"
import { Errno } from "../shared/ProgramPath.ts"
import * as RunningChild from "../shared/RunningChild.ts"
import * as StdinWriter from "../shared/StdinWriter.ts"
import * as Launch from "./Launch.ts"
import type { Libc } from "./Libc.ts"
import * as OutputSocket from "./OutputSocket.ts"
import type { PtyDevice } from "./PtyDevice.ts"

/** More than a terminal holds when it is hung up, and little enough to be fair to other children. */
const DRAIN_BYTES = 8 * OutputSocket.BUFFER_BYTES

/** Starts a child on a PTY of this size; on failure nothing of it is left. */
export const start = (
  host: Launch.Host,
  device: PtyDevice,
  spec: Spawner.SpawnSpec,
  size: Spawner.TerminalSize,
  sink: Spawner.SpawnEvents,
): RunningChild.RunningChild | SpawnError.SpawnError => {
  const { libc } = host
  const pty = device.open(size)
  if (pty instanceof Errno) return OsError.fromErrno(pty.errno)
  const pid = Launch.launch(host, spec, { kind: "pty", path: pty.path })
  if (pid instanceof Errno) {
    libc.close(pty.master)
    libc.close(pty.slave)
    return OsError.fromErrno(pid.errno)
  }
  let slaveOpen = true
  const releaseSlave = () => {
    if (slaveOpen) libc.close(pty.slave)
    slaveOpen = false
  }
  const events = ChildEvents.make(sink, ["pty"])
  const { socket, output } = read(libc, device, pty.master, events)
  const stdin = StdinWriter.make(socket)
  return RunningChild.make({
    pid,
    events,
    group: Launch.watch(host, pid, events, releaseSlave),
    stdin,
    endStdin: () => {},
    outputs: [
      {
        ...output,
        destroy: () => {
          output.destroy()
          releaseSlave()
        },
      },
    ],
    resize: (size) =>
      Effect.try({
        try: () => {
          if (!socket.destroyed) device.resize(pty.master, size)
        },
        catch: (cause) => new SpawnError.SignalError({ reason: "Unknown", message: String(cause), cause }),
      }),
  })
}

/** Reads the master; between two turns of libuv everything that is there. */
const read = (libc: Libc, device: PtyDevice, master: number, events: ChildEvents.ChildEvents) => {
  const { buffer, BUFFER_BYTES } = OutputSocket
  const state = { reading: true }
  const deliver = (count: number) => events.output("pty", buffer.subarray(0, count))
  const drain = (first: number): boolean => {
    let filled = 0
    let total = 0
    for (let count = first; count > 0; count = libc.read(master, buffer.subarray(filled))) {
      filled += count
      total += count
      if (filled < BUFFER_BYTES) continue
      deliver(filled)
      filled = 0
      if (!state.reading || total >= DRAIN_BYTES) break
    }
    if (filled > 0) deliver(filled)
    return true
  }
  const options: OutputSocket.SocketOptions & { readonly handle: object } = {
    handle: device.handle(master),
    readable: true,
    writable: true,
    onread: { buffer, callback: drain },
  }
  const socket = new Net.Socket(options)
  const output = OutputSocket.attach(socket, "pty", events)
  const set = (reading: boolean, change: () => void) => () => {
    state.reading = reading
    change()
  }
  return {
    socket,
    output: {
      pause: set(false, output.pause),
      resume: set(true, output.resume),
      destroy: set(false, output.destroy),
    },
  }
}
