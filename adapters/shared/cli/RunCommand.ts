/** `procwire run`: runs one command through a server, with live input and output, as if it ran here. */
import process from "node:process"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Option from "effect/Option"
import * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import { ClientError, type ClientReason } from "../../../core/client/ClientError.ts"
import type * as ExecClient from "../../../core/client/ExecClient.ts"
import * as ProcessStarter from "../../../core/client/ProcessStarter.ts"
import type * as Reconnect from "../../../core/client/Reconnect.ts"
import type { RemoteProcess } from "../../../core/client/RemoteProcess.ts"
import type { StartOptions } from "../../../core/client/StartOptions.ts"
import type { TransportError } from "../../../core/transport/Transport.ts"
import * as Connect from "../Connect.ts"
import * as Cancellation from "./Cancellation.ts"
import * as DeadlineFlags from "./DeadlineFlags.ts"
import * as ForwardedSignals from "./ForwardedSignals.ts"
import * as Access from "./server/Access.ts"
import * as NoServer from "./NoServer.ts"
import * as LocalTerminal from "./LocalTerminal.ts"
import type { Platform } from "../Platform.ts"
import * as ServerServices from "../ServerServices.ts"
import * as SpawnerFlag from "./SpawnerFlag.ts"
import * as RunDetached from "./RunDetached.ts"
import * as RunFlags from "./RunFlags.ts"
import * as Settle from "./server/Settle.ts"
import * as Message from "./words/Message.ts"

export { spec } from "./RunFlags.ts"

/** Exit codes where the command did not run, as shells and container tools have them. */
const exitCodes: { readonly [reason in ClientReason]?: number } = {
  ProgramNotExecutable: 126,
  ProgramNotFound: 127,
}
const failed = 125

/** After the exit: how long a pause in the output of orphans may be, with nothing missing, before the rest is given up. */
const late = "200 millis"

/** How long the end of an aborted run may take. */
const endDeadline = "1 second"

/** Runs the command; succeeds with the exit code for this process, or with the signal that ends it. */
export const run = (platform: Platform, args: ReadonlyArray<string>) =>
  Effect.gen(function* () {
    const { target: named, ...request } = yield* RunFlags.parse(args)
    return yield* SpawnerFlag.apply("procwire run", platform, request.starting, named).pipe(
      Effect.flatMap((chosen) =>
        Settle.settle(platform, named).pipe(
          Effect.flatMap((target) =>
            request.detached === undefined
              ? Effect.scoped(untilAborted({ ...request, target }))
              : RunDetached.run(target, request.detached, inBackground(request.start)),
          ),
          Effect.provide(ServerServices.layer(chosen)),
          Effect.catchAll(fail),
        ),
      ),
      Effect.scoped,
    )
  })

/** What runs, on a server that is there. */
interface Request extends Omit<RunFlags.RunRequest, "target"> {
  readonly target: Connect.Target
}

/** The terminal is restored after everything else, and at any end. */
const untilAborted = (request: Request) =>
  Effect.gen(function* () {
    const cancellation = yield* Cancellation.make
    const terminal = yield* Effect.scope
    const modes = yield* LocalTerminal.modes
    const own = yield* Scope.make()
    const running = Scope.extend(runThrough(request, { cancellation, terminal, modes }), own)
    return yield* Effect.raceFirst(Effect.disconnect(running), cancellation.aborted).pipe(
      Effect.ensuring(Effect.suspend(() => end(own, cancellation))),
      Effect.map((code) => diedOf(code, cancellation.first())),
    )
  })

/** The signal that this process has received, if it has ended the command. */
const diedOf = (code: number, first: ForwardedSignals.Name | undefined): number | ForwardedSignals.Name =>
  first !== undefined && code === ForwardedSignals.exitCode(first) ? first : code

/** Nothing can be ended in order on a lost connection; whatever is left dies with this process. */
const end = (own: Scope.CloseableScope, { isAborted, isCut }: Cancellation.Cancellation) => {
  const close = Scope.close(own, Exit.void)
  if (!isAborted()) return close
  return isCut() ? Effect.void : Effect.asVoid(Effect.timeoutOption(Effect.disconnect(close), endDeadline))
}

interface Around {
  readonly cancellation: Cancellation.Cancellation
  /** Ends last. */
  readonly terminal: Scope.Scope
  readonly modes: LocalTerminal.Modes
}

const runThrough = ({ target, reconnect, start, forgotten }: Request, around: Around) =>
  Effect.gen(function* () {
    const { cancellation, terminal, modes } = around
    // A running server is connected to again; the others end with their connection.
    const noServer = Effect.mapError((error: TransportError | ClientError) => NoServer.from(target, error))
    const source = "url" in target ? Connect.openRemote(target) : yield* noServer(Connect.open(target))
    const options = {
      clientName: "procwire-run",
      reconnect,
      onStatus: tell(cancellation, start.tty === true),
    }
    const client = yield* noServer(Access.make(source, options))
    cancellation.starting()
    const started = yield* ProcessStarter.scoped(client.startSubscribed(withTerminal(start)))
    cancellation.started(started.process, ForwardedSignals.areKnown(client))
    if (start.tty === true) yield* Scope.extend(LocalTerminal.rawMode, terminal)
    const code = yield* follow(client, started, start, around)
    if (forgotten) yield* Effect.ignore(started.process.end({ signal: "SIGKILL", graceMs: 0, remove: true }))
    // What a command that ended by itself has left switched on is meant to stay.
    const byItself = code < 128 && code !== DeadlineFlags.exitCode
    if (byItself && cancellation.first() === undefined) modes.keep()
    return code
  })

/** Without this message a pause would look like a command that hangs. */
const tell =
  ({ setCut }: Cancellation.Cancellation, tty: boolean) =>
  ({ kind }: Reconnect.Status) => {
    setCut(kind === "reconnecting")
    if (kind !== "reconnecting") return
    process.stderr.write(lineFor(tty)("connection lost, reconnecting; Ctrl-C gives up"))
  }

/** A PTY gets the size of this terminal and its TERM. */
const withTerminal = (start: StartOptions): StartOptions => {
  const size = LocalTerminal.size()
  if (start.tty !== true) return start
  const kind = process.env["TERM"]
  const env = kind === undefined ? {} : { TERM: kind }
  return { ...start, env: { ...env, ...start.env }, ...(size === undefined ? {} : { terminalSize: size }) }
}

/** The same, where this terminal is one; else the terminal of the process has its usual size and kind. */
const inBackground = (start: StartOptions): StartOptions =>
  LocalTerminal.size() === undefined ? start : withTerminal(start)

const follow = (
  client: ExecClient.ExecClient,
  started: ProcessStarter.Subscribed,
  start: StartOptions,
  around: Around,
) =>
  Effect.gen(function* () {
    const { process: child } = started
    const tty = start.tty === true
    const { processResize: resizable = false, processCloseStdin: closable = false } =
      client.environmentInfo.capabilities ?? {}
    const keys = tty ? watched(around.cancellation) : LocalTerminal.input
    const broken = yield* Deferred.make<never, LocalTerminal.InputFailed>()
    yield* forwardInput(client, child, keys, tty, closable).pipe(
      Effect.catchIf(isInputFailed, (error) => Deferred.fail(broken, error)),
      Effect.ignore,
      Effect.forkScoped,
    )
    if (tty && resizable) {
      yield* Effect.forkScoped(
        Stream.runForEach(LocalTerminal.resizes, (size) =>
          Effect.ignore(client.call("process/resize", { processId: child.id, ...size })),
        ),
      )
    }
    return yield* Effect.raceFirst(print(started, start, around), Deferred.await(broken))
  })

/** In raw mode Ctrl-C is a key: it is looked for ahead of a write that waits for a lost connection. */
const watched = ({ isCut, take }: Cancellation.Cancellation) =>
  LocalTerminal.input.pipe(
    Stream.tap((bytes) =>
      Effect.sync(() => {
        if (isCut() && bytes.includes(controlC)) take("SIGINT")
      }),
    ),
    Stream.buffer({ capacity: 16 }),
  )

/** Writes all output and returns the exit code. Orphans may hold the output open for ever; it is not waited for. */
const print = (
  { process: child, subscription: { next }, behind }: ProcessStarter.Subscribed,
  start: StartOptions,
  { cancellation, modes }: Around,
) =>
  Effect.gen(function* () {
    // A terminal that has hung up takes no output, but the command goes on until it has handled SIGHUP.
    const hungUp = () => cancellation.first() === "SIGHUP"
    const soon = Effect.flatMap(Effect.timeoutOption(next, late), (batch) => {
      if (Option.isNone(batch) && behind()) return next
      return Effect.succeed(Option.getOrUndefined(batch))
    })
    let exited = false
    let notice: string | undefined
    for (;;) {
      const batch = yield* exited ? soon : next
      if (batch === undefined) {
        if (notice === undefined) return yield* child.exitCode
        yield* Effect.ignore(LocalTerminal.write("stderr", utf8.encode(lineFor(start.tty === true)(notice))))
        return DeadlineFlags.exitCode
      }
      for (const event of batch) {
        if (event.kind === "output") {
          if (event.stream === "pty") modes.scan(event.bytes)
          const to = event.stream === "stderr" ? "stderr" : "stdout"
          yield* Effect.catchIf(LocalTerminal.write(to, event.bytes), hungUp, () => Effect.void)
        }
        if (event.kind === "failed") return yield* Effect.fail(new Error(event.message))
        if (event.kind === "exited") {
          exited = true
          notice = DeadlineFlags.noticeOf(event, start)
        }
      }
    }
  })

/** Forwards stdin, and its EOF if the server has a method for that. */
const forwardInput = (
  client: ExecClient.ExecClient,
  child: RemoteProcess,
  keys: Stream.Stream<Uint8Array, LocalTerminal.InputFailed>,
  tty: boolean,
  closable: boolean,
) =>
  Effect.gen(function* () {
    yield* Stream.runForEach(keys, child.write)
    if (tty) return yield* child.write(endOfTransmission)
    if (closable) return yield* client.call("process/closeStdin", { processId: child.id })
    yield* LocalTerminal.write("stderr", utf8.encode(cannotEnd))
  })

const isInputFailed = (error: unknown): error is LocalTerminal.InputFailed =>
  error instanceof LocalTerminal.InputFailed

const fail = (error: unknown) =>
  Effect.gen(function* () {
    if (error instanceof LocalTerminal.OutputFailed && error.gone) return 128 + 13 // as a death by SIGPIPE
    const text = Message.line(Message.textOf(error))
    yield* Effect.ignore(LocalTerminal.write("stderr", utf8.encode(text)))
    return (error instanceof ClientError ? exitCodes[error.reason] : undefined) ?? failed
  })

const lineFor = (tty: boolean) => (tty ? Message.rawLine : Message.line)

const utf8 = new TextEncoder()
/** Ctrl-C on a terminal in raw mode. */
const controlC = 3
/** Ctrl-D, which is EOF on a terminal. */
const endOfTransmission = Uint8Array.of(4)
const cannotEnd = Message.line("this server cannot end the command's stdin; Ctrl-C stops the command")
