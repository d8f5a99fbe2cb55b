/**
 * A child on a PTY of the node-pty package, for hosts where the C library cannot be called.
 *
 * The package closes the terminal 200 ms after the exit at the latest, and reports the exit only then. So the exit
 * may be late, and output that was not read by then is lost: the tail on Node 20 and 22, everything while paused, and
 * what a descendant prints later. A write to a full terminal blocks the whole program until the child reads. The
 * child always has `PWD` and `TERM`, and never an `arg0`. A failed `exec` is an exit with code 1 and a text in the
 * output, so program and directory are checked before the start. Later children inherit the master.
 */
import { Buffer } from "node:buffer"
import * as Effect from "effect/Effect"
import type * as Spawner from "../../../core/spawn/Spawner.ts"
import * as SpawnError from "../../../core/spawn/SpawnError.ts"
import * as OsError from "../host/OsError.ts"
import * as ChildEvents from "./ChildEvents.ts"
import * as Containment from "./contain/Containment.ts"
import * as GroupAddress from "./GroupAddress.ts"
import * as ProcessGroup from "./ProcessGroup.ts"
import { Errno } from "./ProgramPath.ts"
import * as ProgramLookup from "./ProgramLookup.ts"
import * as RunningChild from "./RunningChild.ts"
import type { StdinWriter } from "./StdinWriter.ts"

/** The part of the package that is used. Its own types do not say that it takes and delivers bytes. */
export interface NodePty {
  readonly spawn: (file: string, args: ReadonlyArray<string>, options: Options) => Terminal
}

interface Options {
  readonly name: string | undefined
  readonly cols: number
  readonly rows: number
  readonly cwd: string
  readonly env: Readonly<Record<string, string>>
  /** No decoding: `onData` gets bytes, except on Windows, where it always gets text. */
  readonly encoding: null
}

interface Terminal {
  readonly pid: number
  readonly onData: (listener: (data: Uint8Array | string) => void) => unknown
  readonly onExit: (listener: (exit: { exitCode: number; signal?: number }) => void) => unknown
  /** Without a listener an error ends the program. */
  readonly on: (event: "error", listener: (error: unknown) => void) => unknown
  readonly write: (data: Uint8Array) => void
  readonly resize: (columns: number, rows: number) => void
  readonly pause: () => void
  readonly resume: () => void
  readonly kill: () => void
}

/** Loads the package; rejects where it has no binary for this platform. */
export type Load = () => Promise<NodePty>

const windows = process.platform === "win32"

/** Starts a child on a PTY of this size. The package is loaded with the first one. */
export const start = (
  load: Load,
  host: ProcessGroup.Host,
  spec: Spawner.SpawnSpec,
  size: Spawner.TerminalSize,
  sink: Spawner.SpawnEvents,
): Effect.Effect<RunningChild.RunningChild, SpawnError.SpawnError> =>
  Effect.gen(function* () {
    if (spec.arg0 !== undefined) return yield* unsupported("arg0 cannot be set on a PTY of this host")
    const found = windows ? spec.argv[0] : yield* ProgramLookup.find(spec)
    const nodePty = yield* Effect.tryPromise({
      try: load,
      catch: (cause) => unsupported(`no PTY on this host: ${String(cause)}`, cause),
    })
    // A bare name is searched again by the package, and becomes argv[0]. Without a PATH it would search elsewhere.
    const file = spec.env["PATH"] ? spec.argv[0] : found
    const open = () =>
      nodePty.spawn(file, spec.argv.slice(1), {
        name: spec.env["TERM"],
        cols: size.columns,
        rows: size.rows,
        cwd: spec.cwd,
        env: spec.env,
        encoding: null,
      })
    const contained = yield* Effect.try({
      try: () => Containment.around(host.contain, open, ({ pid }) => pid),
      catch: OsError.fromUnknown,
    })
    if (contained instanceof Errno) return yield* OsError.fromErrno(contained.errno)
    return running(contained, host, sink)
  })

const running = (
  { started: terminal, container }: Containment.Contained<Terminal>,
  host: ProcessGroup.Host,
  sink: Spawner.SpawnEvents,
): RunningChild.RunningChild => {
  const events = ChildEvents.make(sink, ["pty"])
  const group = windows
    ? ProcessGroup.single(() => terminal.kill())
    : ProcessGroup.make(terminal.pid, host, GroupAddress.portable(terminal.pid, host.table))
  let open = true
  terminal.on("error", () => {})
  terminal.onData((data) => events.output("pty", typeof data === "string" ? Buffer.from(data) : data))
  terminal.onExit(({ exitCode, signal }) => {
    open = false
    group.leaderEnded()
    container.childEnded()
    events.end("pty")
    events.exit(signal ? { kind: "signaled", signal } : { kind: "exited", code: exitCode & 0xff })
  })
  return RunningChild.make({
    pid: terminal.pid,
    events,
    container,
    group,
    stdin: stdin(terminal, () => open),
    endStdin: () => {},
    outputs: [
      {
        pause: () => terminal.pause(),
        resume: () => terminal.resume(),
        // The package cannot close a terminal on demand: it does so at EOF, which it sees only while it reads.
        destroy: () => terminal.resume(),
      },
    ],
    resize: ({ rows, columns }) =>
      Effect.try({
        try: () => {
          if (open) terminal.resize(columns, rows)
        },
        catch: (cause) => new SpawnError.SignalError({ reason: "Unknown", message: String(cause), cause }),
      }),
  })
}

const stdin = (terminal: Terminal, open: () => boolean): StdinWriter => ({
  write: (bytes) => {
    if (!open()) return Effect.fail(new SpawnError.StdinError({ reason: "Closed" }))
    // The package keeps a reference to the bytes, so it gets a copy.
    if (bytes.length > 0) terminal.write(Buffer.from(bytes))
    return Effect.void
  },
  end: () => {},
  destroy: () => {},
})

const unsupported = (message: string, cause?: unknown) =>
  new SpawnError.SpawnError({ reason: "Unsupported", message, cause })
