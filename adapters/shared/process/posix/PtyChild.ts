/**
 * A child on a pseudo-terminal, which is its stdin, stdout and stderr and its controlling terminal.
 *
 * No output is lost at the exit, for two reasons: the server holds the slave open until the child has exited, so a
 * child that closes its terminal for a while is not hung up; and the master is read until EIO, which follows the last
 * close.
 *
 * A descendant that holds the terminal delays the end of the stream, not the exit. Abandoning the output closes the
 * master, which hangs up every process that is still on the terminal.
 */
import * as Effect from "effect/Effect"
import type * as Spawner from "../../../../core/spawn/Spawner.ts"
import * as SpawnError from "../../../../core/spawn/SpawnError.ts"
import * as ChildEvents from "../ChildEvents.ts"
import * as OsError from "../../host/OsError.ts"
import { Errno, toSpawnError } from "../ProgramPath.ts"
import * as RunningChild from "../RunningChild.ts"
import * as Launch from "./Launch.ts"
import type { PtyDevice } from "./PtyDevice.ts"

/** Starts a child on a PTY of this size. A failure leaves nothing behind. */
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
  const launched = Launch.launch(host, spec, { kind: "pty", path: pty.path })
  if (launched instanceof Errno) {
    libc.close(pty.master)
    libc.close(pty.slave)
    return toSpawnError(launched)
  }
  let slaveOpen = true
  const releaseSlave = () => {
    if (slaveOpen) libc.close(pty.slave)
    slaveOpen = false
  }
  const { pid, container } = launched
  const events = ChildEvents.make(sink, ["pty"])
  const { output, stdin, open } = host.descriptors.terminal(pty.master, events)
  return RunningChild.make({
    pid,
    events,
    container,
    group: Launch.watch(host, launched, events, releaseSlave),
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
          if (open()) device.resize(pty.master, size)
        },
        catch: (cause) => new SpawnError.SignalError({ reason: "Unknown", message: String(cause), cause }),
      }),
  })
}
