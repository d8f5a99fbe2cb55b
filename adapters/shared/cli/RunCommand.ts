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
import type { Exited } from "../../../core/client/ProcessEvent.ts"
import type { PolicyRequest } from "../../../core/client/Policy.ts"
import type * as Reconnect from "../../../core/client/Reconnect.ts"
import type { RemoteProcess } from "../../../core/client/RemoteProcess.ts"
import type { StartOptions } from "../../../core/client/StartOptions.ts"
import type { TransportError } from "../../../core/transport/Transport.ts"
import * as Connect from "../Connect.ts"
import * as ForwardedSignals from "./ForwardedSignals.ts"
import * as Access from "./server/Access.ts"
import * as LocalTerminal from "./LocalTerminal.ts"
import * as Command from "./Command.ts"
import * as ServerServices from "../ServerServices.ts"
import * as SpawnerFlag from "./SpawnerFlag.ts"
import * as RunFlags from "./RunFlags.ts"
import { timeoutExitCode, unable } from "./server/Unable.ts"
import * as Message from "./words/Message.ts"
import type { ToOptions } from "./features/Feature.ts"
import { features } from "./features/Features.ts"
import { abandonable } from "../../../core/protocol/Abandon.ts"
import * as Fork from "../../../core/protocol/Fork.ts"

/** The grace after SIGINT in place of a signal that the server does not know; then the command is killed. */
const graceSeconds = 5

/** Exit codes where the command did not run, as shells and container tools have them. */
const exitCodes: { readonly [reason in ClientReason]?: number } = {
  ProgramNotExecutable: 126,
  ProgramNotFound: 127,
}
const failed = 125

/** After the exit: how long a pause in the output of orphans may be, with nothing missing, before the rest is given up. */
const late = "200 millis"

/** The longest time for the end of an aborted run. */
const endDeadline = "1 second"

export const run = Command.make({
  name: "run",
  summary: "Run one command through a server, with live output, and exit with its exit code",
  usage: "[OPTIONS] [--] COMMAND [ARGS...]",
  flags: RunFlags.flags,
  operands: "command",
  text: `
stdin is forwarded with its end, and so are SIGINT (Ctrl-C), SIGTERM, SIGHUP and SIGQUIT: the command ends as it does
for that signal, and run with it. A second one kills it. A server that knows SIGINT alone gets that instead, and the
command is killed ${graceSeconds} s later. While there is no connection to the server, the first one ends
run. With --tty every key goes to the command. Without a server the command runs in one inside this process.

Exit code: the command's own; 128 + n if it died of signal n, or if run was ended by it; 127 if it was not found, 126
if it cannot be executed, 125 if its directory is missing or the server failed, 2 for wrong use; and
${timeoutExitCode} if a timeout has ended it, whatever signal that took. With --detach: 0 once it has started.`,
  examples: [
    "procwire run -- ls -la",
    "echo hello | procwire run -- tr a-z A-Z",
    "procwire run -it -- bash",
    "procwire run -d --name web --label team=a -- npm run dev",
    "procwire run -d --rm -- ./backup",
    ...features.flatMap(({ examples = [] }) => examples),
    "procwire run --spawner bwrap:ro -- ./unknown-script",
    "procwire run --server ws://127.0.0.1:7000 -w src -e CI=1 -- make test",
    'procwire run --server-cmd "ssh build-host procwire serve --listen stdio" -- uname -a',
  ],
  takesSignals: true,
  parse: RunFlags.parse,
  run: ({ platform, ...given }) =>
    Effect.gen(function* () {
      const { target: named, ...request } = yield* RunFlags.read(given)
      return yield* SpawnerFlag.apply(platform, request.starting, named).pipe(
        Effect.flatMap((chosen) =>
          Access.settle(platform, named).pipe(
            Effect.flatMap((target) =>
              request.detached === undefined
                ? Effect.scoped(untilAborted({ ...request, target }))
                : detach(target, request.detached, inBackground(request.start), request.toOptions),
            ),
            Effect.provide(ServerServices.layer(chosen)),
            Effect.catch(fail),
          ),
        ),
        Effect.scoped,
      )
    }),
})

interface Request extends Omit<RunFlags.RunRequest, "target"> {
  readonly target: Connect.Target
}

/** The terminal is restored after everything else, and at any end. */
const untilAborted = (request: Request) =>
  Effect.gen(function* () {
    const cancellation = yield* makeCancellation
    const terminal = yield* Effect.scope
    const modes = yield* LocalTerminal.modes
    const own = yield* Scope.make()
    const running = Scope.provide(runThrough(request, { cancellation, terminal, modes }), own)
    return yield* Effect.raceFirst(abandonable(running), cancellation.aborted).pipe(
      Effect.ensuring(Effect.suspend(() => end(own, cancellation))),
      Effect.map((code) => diedOf(code, cancellation.first())),
    )
  })

/** The signal that this process has received, if it has ended the command. */
const diedOf = (code: number, first: ForwardedSignals.Name | undefined): number | ForwardedSignals.Name =>
  first !== undefined && code === ForwardedSignals.exitCode(first) ? first : code

/** Nothing can be ended in order on a lost connection; whatever is left dies with this process. */
const end = (own: Scope.Closeable, { isAborted, isCut }: Cancellation) => {
  const close = Scope.close(own, Exit.void)
  if (!isAborted()) return close
  return isCut() ? Effect.void : Effect.asVoid(Effect.timeoutOption(abandonable(close), endDeadline))
}

interface Around {
  readonly cancellation: Cancellation
  /** Ends last. */
  readonly terminal: Scope.Scope
  readonly modes: LocalTerminal.Modes
}

const runThrough = ({ target, reconnect, forgotten, ...request }: Request, around: Around) =>
  Effect.gen(function* () {
    const { cancellation, terminal, modes } = around
    // A running server is connected to again; the others end with their connection.
    const noServer = Effect.mapError((error: TransportError | ClientError) =>
      Access.noServerAt(target, error),
    )
    const source =
      "url" in target
        ? Access.transport(Connect.openRemote(target), target)
        : yield* noServer(Connect.open(target))
    const options = {
      clientName: "procwire-run",
      onPolicyRequest: prompt,
      reconnect,
      onStatus: tell(cancellation, request.start.tty === true),
    }
    const client = yield* noServer(Access.make(source, options))
    const asked = yield* request.toOptions(client.environmentInfo.capabilities ?? {})
    const answering = asked.egressAsk === true && LocalTerminal.isTerminal()
    const { processEgress = false } = client.environmentInfo.capabilities ?? {}
    const start = {
      ...request.start,
      // Only by the flag.
      ...(processEgress ? { egressAsk: false } : {}),
      ...asked,
      ...(answering ? { pipeStdin: false } : {}),
    }
    cancellation.starting()
    const started = yield* ProcessStarter.scoped(client.startSubscribed(withTerminal(start)))
    cancellation.started(started.process, ForwardedSignals.areKnown(client))
    if (start.tty === true) yield* Scope.provide(LocalTerminal.rawMode, terminal)
    const code = yield* follow(client, started, start, around)
    if (forgotten) yield* Effect.ignore(started.process.end({ signal: "SIGKILL", graceMs: 0, remove: true }))
    // A command that ended by itself means its modes to stay.
    const byItself = code < 128 && code !== timeoutExitCode
    if (byItself && cancellation.first() === undefined) modes.keep()
    return code
  })

/** Asks the person at this terminal; the code is loaded with the first question. */
const prompt = async (request: PolicyRequest) => (await import("./PolicyPrompt.ts")).decide(request)

/** Without this message a pause would look like a command that hangs. */
const tell =
  ({ setCut }: Cancellation, tty: boolean) =>
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
    if (start.pipeStdin === true || tty)
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
const watched = ({ isCut, take }: Cancellation) =>
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
        yield* Effect.ignore(LocalTerminal.print(lineFor(start.tty === true)(notice), "stderr"))
        return timeoutExitCode
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
          notice = noticeOf(event, start)
        }
      }
    }
  })

/** The line for a command that a feature of the server has ended; undefined for another end. */
const noticeOf = (exited: Exited, start: StartOptions): string | undefined =>
  features.flatMap(({ notice }) => notice?.(exited, start) ?? [])[0]

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
    yield* LocalTerminal.print(cannotEnd, "stderr")
  })

const isInputFailed = (error: unknown): error is LocalTerminal.InputFailed =>
  error instanceof LocalTerminal.InputFailed

const fail = (error: unknown) =>
  Effect.gen(function* () {
    if (error instanceof LocalTerminal.OutputFailed && error.gone) return 128 + 13 // as a death by SIGPIPE
    const text = Message.line(Message.textOf(error))
    yield* Effect.ignore(LocalTerminal.print(text, "stderr"))
    return (error instanceof ClientError ? exitCodes[error.reason] : undefined) ?? failed
  })

const lineFor = (tty: boolean) => (tty ? Message.rawLine : Message.line)

const { controlC, endOfTransmission } = LocalTerminal
const cannotEnd = Message.line("this server cannot end the command's stdin; Ctrl-C stops the command")

/** Starts a process that lives on without this client, in a session of its own, and prints its name. */
const detach = (
  target: Connect.Target,
  { name, labels, json, autoRemove }: RunFlags.Detached,
  start: StartOptions,
  toOptions: ToOptions,
) =>
  Effect.gen(function* () {
    if ("inProcess" in target) return yield* unable("--detach needs a server that stays")
    const client = yield* Access.connect(target, { clientName: "procwire-run" })
    yield* Access.need(client, "processControlAll", keeping)
    const others = yield* Stream.runHead(client.list({ name, sessions: Access.sessionsOf(client) }))
    if (others._tag === "Some") return yield* taken(name)
    if (autoRemove) yield* Access.need(client, "processAutoRemove", removing(name))
    const asked = yield* toOptions(client.environmentInfo.capabilities ?? {})
    const removed = autoRemove ? { autoRemove } : {}
    const { id: processId } = yield* client.start({
      ...start,
      ...asked,
      ...removed,
      name,
      labels,
      keep: true,
    })
    const [{ session } = { session: 0 }] = yield* Stream.runCollect(client.listSessions())
    yield* LocalTerminal.print(`${json ? JSON.stringify({ name, session, processId }) : name}\n`)
    return 0
  }).pipe(Effect.scoped)

const keeping =
  "this server keeps no process whose client has gone; use the one of `procwire up`, or another one through its unix socket"

const removing = (name: string) =>
  "this server removes nothing by itself (--rm): it is an older one, or of another make; without --rm, " +
  `procwire wait ${name}; procwire rm ${name} does it`

const taken = (name: string) =>
  unable(`a process is called ${name} already: give another --name, or remove it with procwire rm ${name}`)

/** The longest wait for the exit of a killed command. */
const killMillis = 2000

type Cancellation = Effect.Success<typeof makeCancellation>

/**
 * Takes the signals of this process until the scope closes. The first one goes to the command, whose traps run; the
 * second kills it; the third ends the wait. While there is no command yet, or no connection to it, the first one ends
 * the wait: nothing could answer it.
 */
const makeCancellation = Effect.gen(function* () {
  const fork = yield* Fork.inScope
  const aborted = yield* Deferred.make<number>()
  const command = yield* Deferred.make<{ readonly child: RemoteProcess; readonly known: boolean }>()
  let phase: "connecting" | "starting" = "connecting"
  let cut = false
  let first: ForwardedSignals.Name | undefined
  let count = 0

  let over = false
  const abort = (name: ForwardedSignals.Name) =>
    Effect.suspend(() => {
      over = true
      return Deferred.succeed(aborted, ForwardedSignals.exitCode(name))
    })

  const forward = (name: ForwardedSignals.Name) =>
    Effect.gen(function* () {
      const { child, known } = yield* Deferred.await(command)
      yield* ForwardedSignals.send(child, name, known)
      if (known || name === "SIGINT") return
      yield* Effect.sleep(`${graceSeconds} seconds`)
      yield* child.terminate
    })

  const kill = (name: ForwardedSignals.Name) =>
    Effect.gen(function* () {
      const { child } = yield* Deferred.await(command)
      yield* child.terminate
      yield* Effect.never
    }).pipe(Effect.timeoutOption(killMillis), Effect.andThen(abort(name)))

  const take = (name: ForwardedSignals.Name) => {
    count += 1
    first ??= name
    if (phase === "connecting" || cut || count > 2) return void fork(abort(name))
    // A signal that could not be sent has not reached the command.
    return void fork(Effect.catch(count === 1 ? forward(name) : kill(name), () => abort(name)))
  }

  // At once: a signal that comes first would end this process.
  yield* Effect.forkScoped(
    Stream.runForEach(ForwardedSignals.received, (name) => Effect.sync(() => take(name))),
    { startImmediately: true },
  )
  return {
    /** Completes with the exit code when the command is not waited for any longer. */
    aborted: Deferred.await(aborted),
    isAborted: () => over,
    /** Signals are for the command from now on, which `started` names; `known`: its server sends every signal. */
    starting: () => void (phase = "starting"),
    started: (child: RemoteProcess, known: boolean) =>
      Deferred.doneUnsafe(command, Effect.succeed({ child, known })),
    /** The connection is lost, or is back. */
    setCut: (now: boolean) => void (cut = now),
    isCut: () => cut,
    first: () => first,
    /** Takes a signal, or Ctrl-C as a key. */
    take,
  }
})
