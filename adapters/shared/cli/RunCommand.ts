/** `procwire run`: runs one command through a server, with live input and output, as if it ran here. */
import process from "node:process"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import { ClientError, type ClientReason } from "../../../core/client/ClientError.ts"
import * as ExecClient from "../../../core/client/ExecClient.ts"
import type * as Reconnect from "../../../core/client/Reconnect.ts"
import type { RemoteProcess } from "../../../core/client/RemoteProcess.ts"
import type { StartOptions } from "../../../core/client/StartOptions.ts"
import * as Connect from "../Connect.ts"
import * as LocalTerminal from "./LocalTerminal.ts"
import type { Platform } from "../Platform.ts"
import * as ServerServices from "../ServerServices.ts"
import * as RunFlags from "./RunFlags.ts"

export { help } from "./RunFlags.ts"

/** Exit codes where the command did not run, as shells and container tools have them. */
const exitCodes: { readonly [reason in ClientReason]?: number } = {
  ProgramNotExecutable: 126,
  ProgramNotFound: 127,
}
const failed = 125

/** After the exit: how long a pause in the output of orphans may be before the rest is given up. */
const late = "200 millis"

/** Runs the command; succeeds with the exit code for this process. */
export const run = (platform: Platform, args: ReadonlyArray<string>) =>
  Effect.gen(function* () {
    const request = yield* RunFlags.parse(args)
    return yield* runThrough(request).pipe(
      Effect.scoped,
      Effect.provide(ServerServices.layer(platform)),
      Effect.catchAll(fail),
    )
  })

const runThrough = ({ target, start }: RunFlags.RunRequest) =>
  Effect.gen(function* () {
    // A running server is connected to again; the others end with their connection.
    const source = "url" in target ? Connect.openRemote(target) : yield* Connect.open(target)
    const options = { clientName: "procwire-run", reconnect: {}, onStatus: tell }
    const client = yield* ExecClient.make(source, options)
    if (start.tty === true) yield* LocalTerminal.rawMode
    const child = yield* client.startScoped(withTerminal(start))
    return yield* follow(client, child, start.tty === true)
  })

/** Without this message a pause would look like a command that hangs. */
const tell = ({ kind }: Reconnect.Status) => {
  if (kind === "reconnecting") process.stderr.write("procwire: connection lost, reconnecting\n")
}

/** A PTY gets the size of this terminal and its TERM. */
const withTerminal = (start: StartOptions): StartOptions => {
  const size = LocalTerminal.size()
  if (start.tty !== true) return start
  const kind = process.env["TERM"]
  const env = kind === undefined ? {} : { TERM: kind }
  return { ...start, env: { ...env, ...start.env }, ...(size === undefined ? {} : { terminalSize: size }) }
}

const follow = (client: ExecClient.ExecClient, child: RemoteProcess, tty: boolean) =>
  Effect.gen(function* () {
    const { processResize: resizable = false, processCloseStdin: closable = false } =
      client.environmentInfo.capabilities ?? {}
    yield* Effect.forkScoped(forwardInput(client, child, tty, closable))
    if (tty && resizable) {
      yield* Effect.forkScoped(
        Stream.runForEach(LocalTerminal.resizes, (size) =>
          Effect.ignore(client.call("process/resize", { processId: child.id, ...size })),
        ),
      )
    }
    yield* Effect.forkScoped(forwardInterrupts(child))
    return yield* print(child)
  })

/** Writes all output and returns the exit code. Orphans may hold the output open for ever; it is not waited for. */
const print = (child: RemoteProcess) =>
  Effect.gen(function* () {
    const { next } = yield* Effect.acquireRelease(child.subscribe, ({ close }) => Effect.sync(close))
    let exited = false
    for (;;) {
      const batch = yield* exited ? Effect.map(Effect.timeoutOption(next, late), Option.getOrUndefined) : next
      if (batch === undefined) return yield* child.exitCode
      for (const event of batch) {
        if (event.kind === "output") {
          yield* LocalTerminal.write(event.stream === "stderr" ? "stderr" : "stdout", event.bytes)
        }
        if (event.kind === "failed") return yield* Effect.fail(new Error(event.message))
        if (event.kind === "exited") exited = true
      }
    }
  })

/** Forwards stdin, and its EOF if the server has a method for that. */
const forwardInput = (client: ExecClient.ExecClient, child: RemoteProcess, tty: boolean, closable: boolean) =>
  Effect.gen(function* () {
    yield* Stream.runForEach(LocalTerminal.input, child.write)
    if (tty) return yield* child.write(endOfTransmission)
    if (closable) return yield* client.call("process/closeStdin", { processId: child.id })
    yield* LocalTerminal.write("stderr", utf8.encode(cannotEnd))
  }).pipe(Effect.ignore)

/** The first Ctrl-C interrupts the command, the second kills it. */
const forwardInterrupts = (child: RemoteProcess) =>
  Stream.runForEach(Stream.zipWithIndex(LocalTerminal.interrupts), ([, count]) =>
    Effect.ignore(count === 0 ? child.interrupt : child.terminate),
  )

const fail = (error: unknown) =>
  Effect.gen(function* () {
    if (error instanceof LocalTerminal.OutputClosed) return 128 + 13 // as a death by SIGPIPE
    const text = error instanceof Error ? error.message : String(error)
    yield* Effect.ignore(LocalTerminal.write("stderr", utf8.encode(`procwire: ${text}\n`)))
    return (error instanceof ClientError ? exitCodes[error.reason] : undefined) ?? failed
  })

const utf8 = new TextEncoder()
/** Ctrl-D, which is EOF on a terminal. */
const endOfTransmission = Uint8Array.of(4)
const cannotEnd = "procwire: this server cannot end the command's stdin; Ctrl-C stops the command\n"
