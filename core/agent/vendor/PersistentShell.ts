/**
 * A bash that runs one text after another, and of which nothing that those texts do can hide the end of one or its exit
 * code. The README tells why it is made as it is.
 *
 * Two processes of the server belong to it. The shell is a bash in a terminal that reads its script from a FIFO. The
 * controller is another bash, which no text reaches: the client writes code to its stdin, it writes into the FIFO of
 * the shell, and its stdout has what the shell reports through another FIFO.
 */
import * as Effect from "effect/Effect"
import * as Latch from "effect/Latch"
import * as Exit from "effect/Exit"
import * as Scope from "effect/Scope"
import type { ClientError } from "../../client/ClientError.ts"
import { concat, indexOf, utf8, utf8Decoder } from "../../protocol/Bytes.ts"
import * as Command from "../Command.ts"
import { type ExecBackend, nextHexId } from "../ExecBackend.ts"
import { HeadTailBuffer } from "../HeadTailBuffer.ts"
import type * as PlainText from "../PlainText.ts"
import { type Observer, Session } from "../Session.ts"
import type { Sessions } from "../Sessions.ts"
import * as ToolError from "../ToolError.ts"
import type * as Truncate from "../Truncate.ts"
import * as WaitFor from "../WaitFor.ts"
import * as Waiting from "../Waiting.ts"

/** The parts of the tools that a shell is made of. */
export interface Parts {
  readonly backend: ExecBackend
  readonly calls: Sessions
  readonly defaults: Command.Defaults & { readonly cap?: Truncate.Cap }
}

/** Options of a shell. */
export interface Options {
  /** The bash, as the server finds it. */
  readonly shell: string
  /** The stdin of a text: empty, or the terminal. */
  readonly stdin: "empty" | "terminal"
  /** Code that sets the exported variables of a shell that was there before, whose folder is `PWD`. */
  readonly exports?: string | undefined
}

/** The end of the wait for a text. */
export type Stop =
  /** It has ended; the shell goes on. */
  | { readonly kind: "ended"; readonly code: number }
  /** It asks for input, and goes on. */
  | { readonly kind: "asks"; readonly asks: "input" | "password" }
  /** The shell has ended; without a code the cause is unknown. */
  | { readonly kind: "exited"; readonly code: number | undefined }
  /** The shell reads on without having said that the text has ended: it executes nothing any more. */
  | { readonly kind: "stuck" }
  /** Nothing of this has come in time. */
  | { readonly kind: "late" }

/** A shell that runs. */
export interface PersistentShell {
  /** Its session, which `write_stdin` can write to. */
  readonly sessionId: number
  /** Begins a text; the one before it has to have ended. */
  readonly begin: (text: string) => Effect.Effect<void, ClientError>
  /** Waits for the end of the text, and for the output in front of it. */
  readonly wait: (millis: number) => Effect.Effect<Stop>
  /** Writes to the terminal. */
  readonly write: (characters: string) => Effect.Effect<void, ClientError>
  /** Its output. */
  readonly output: MarkedOutput
  /** Code that sets the exported variables as they were at the end of the last text, or of the shell. */
  readonly exports: () => string | undefined
  /** Ends the shell, and what it has left in the background. */
  readonly stop: Effect.Effect<void>
}

/** The longest time until a shell reads, in milliseconds: only one that cannot start takes it. */
const startMillis = 60_000
/** The longest delay of output and reports behind the end, in milliseconds. */
const lateMillis = 5_000
/** When the kernel is asked first whether a shell reads on, and the longest pause before the next time, in milliseconds. */
const checkMillis = { first: 500, most: 16_000 }

/** Starts a shell, which ends with `stop` or with the tools. */
export const make = (parts: Parts, options: Options): Effect.Effect<PersistentShell, ToolError.ToolError> =>
  Effect.uninterruptibleMask((restore) =>
    Effect.gen(function* () {
      const scope = yield* Scope.make()
      const shell = running(parts, options, scope).pipe(Scope.provide(scope))
      return yield* Effect.onError(restore(shell), () => Scope.close(scope, Exit.void))
    }),
  )

const running = (parts: Parts, { shell, stdin, exports }: Options, scope: Scope.Closeable) =>
  Effect.gen(function* () {
    const { calls } = parts
    if (calls.owned.ended()) return yield* ToolError.closed()
    const nonce = `${yield* nextHexId}${yield* nextHexId}`
    const bash = [shell, "--noprofile", "--norc", "-p"]

    const reports = new ShellReports(nonce)
    const control = yield* started(parts, {
      id: 0,
      argv: [...bash, "-s", nonce],
      tty: false,
      observer: reports,
    })
    yield* Effect.addFinalizer(() => Effect.ignore(control.process.closeStdin))
    const tell = (code: string) => control.process.write(utf8.encode(`${code}\n`))
    yield* Effect.mapError(tell(controller), ToolError.notWritten)
    yield* Effect.race(opened(reports.begun), control.exited.await)
    const { paths } = reports
    if (paths.folder === "") return yield* notBegun(shell, reports.rest)

    const id = yield* calls.table.reserve
    const output = new MarkedOutput()
    const known = calls.begin({ id, tty: true, command: shell })
    const observer: Observer = {
      output: (bytes) => {
        output.push(bytes)
        known?.output(bytes)
      },
      ended: (session) => known?.ended(session),
    }
    const argv = [...bash, "-c", starter(stdin), shell, paths.folder]
    const variables = calls.background.mark(id)
    const main = yield* started(parts, { id, argv, tty: true, observer, env: variables })
    yield* Effect.addFinalizer(() =>
      Effect.suspend(() => {
        calls.table.remove(main)
        return main.over ? Effect.sync(() => main.release()) : calls.owned.kill(main)
      }),
    )

    let afterSeq = 0
    let marks = 0
    let mark = ""
    const begin = (text: string) =>
      Effect.suspend(() => {
        // Digits alone: a terminal may print capitals for other letters.
        mark = `\u001b]7777;${Number.parseInt(nonce, 16)};${(marks += 1)}\u0007`
        output.expect(utf8.encode(mark))
        reports.expect(marks)
        afterSeq = main.lastSeq
        const round = toRound(text, reports.report, paths.reports, nonce)
        return tell(`printf '%s\\n' '' ${quoted(round)} >&7`)
      })

    /** After the end: what was printed before it has come when the mark has. */
    const ended = Effect.gen(function* () {
      yield* opened(reports.reported)
      const code = reports.report?.code ?? 0
      yield* Effect.ignore(tell(`printf %s '${mark}' >${quoted(reports.shell.terminal)}`))
      yield* Effect.timeoutOption(Effect.race(opened(output.marked), main.exited.await), lateMillis)
      return { kind: "ended", code } as const
    })

    /** Its last report comes on another way than its exit. */
    const exited = Effect.gen(function* () {
      yield* main.exited.await
      yield* Waiting.untilEnd(main, lateMillis)
      yield* Effect.ignore(tell(`printf '%s synced\\n' ${nonce} >&8`))
      yield* Effect.timeoutOption(Effect.race(opened(reports.synced), control.exited.await), lateMillis)
      return { kind: "exited", code: main.exitCode } as const
    })

    /** A shell whose kernel says that it waits for more of its script, in front of which every report has come. */
    const stuck = Effect.gen(function* () {
      const { pid } = reports.shell
      const round = marks
      const check =
        `if { read -r _ f _ </proc/${pid}/syscall; } 2>/dev/null && [[ $f == 0x* ]] && ` +
        `[[ /proc/${pid}/fd/$((f)) -ef /dev/fd/7 ]]; then printf '%s stuck %s\\n' ${nonce} ${round} >&8; fi`
      for (let pause = checkMillis.first; ; pause = Math.min(2 * pause, checkMillis.most)) {
        yield* Effect.timeoutOption(opened(reports.stuck), pause)
        if (reports.stuck.isOpen()) return { kind: "stuck" } as const
        yield* Effect.ignore(tell(check))
      }
    })

    const { capabilities } = parts.backend.environmentInfo
    const asks = (millis: number) =>
      capabilities?.processWaitInput !== true
        ? Effect.never
        : Waiting.run(main, { waitFor: { input: true }, plan: WaitFor.inputAlone, millis }, afterSeq).pipe(
            Effect.catch(() => Effect.never),
            Effect.flatMap((end) =>
              end.by === "input"
                ? Effect.succeed({ kind: "asks", asks: end.asks ?? "input" } as const)
                : Effect.never,
            ),
          )

    const wait = (millis: number): Effect.Effect<Stop> =>
      Effect.raceAll([
        Effect.andThen(Effect.race(opened(reports.reported), main.exited.await), Effect.void),
        asks(millis),
        stuck,
      ]).pipe(
        Effect.timeoutOrElse({ duration: millis, orElse: () => Effect.succeed(late) }),
        Effect.flatMap((stop): Effect.Effect<Stop> =>
          reports.reported.isOpen() ? ended : main.over ? exited : Effect.succeed(stop ?? late),
        ),
      )

    const self: PersistentShell = {
      sessionId: id,
      begin,
      wait,
      write: (characters) =>
        Effect.suspend(() => {
          afterSeq = main.lastSeq
          return main.process.write(utf8.encode(characters))
        }),
      output,
      exports: () => reports.exports,
      stop: Scope.close(scope, Exit.void),
    }
    yield* Effect.mapError(begin(toFirst(nonce, paths.reports, exports, variables)), ToolError.notWritten)
    const first = yield* wait(startMillis)
    const said = output.take(true)
    if (known !== undefined) known.shellPid = Number(reports.shell.pid)
    if (first.kind !== "ended") return yield* notBegun(shell, said.head)
    yield* Effect.ignore(tell('[[ -e /proc/$$/fd/8 ]] && rm -rf "$d"'))
    yield* calls.add(main)
    main.callers -= 1
    return self
  })

/** Waits for a latch, and until the output is read that has come with what opens it. */
const opened = (latch: Latch.Latch): Effect.Effect<void> => Effect.andThen(latch.await, Effect.yieldNow)

const late: Stop = { kind: "late" }

const notBegun = (shell: string, why: string) =>
  new ToolError.ToolError({ reason: "Create", message: `${shell} could not be made a shell: ${why.trim()}` })

/** A process of the shell, whose output is read. */
const started = (
  { backend, calls, defaults }: Parts,
  about: {
    readonly id: number
    readonly argv: ReadonlyArray<string>
    readonly tty: boolean
    readonly observer: Observer
    readonly env?: Readonly<Record<string, string>>
  },
) =>
  Effect.gen(function* () {
    const { id, argv, tty, observer } = about
    const usual = Command.toStart({ cmd: "", tty }, defaults, backend.environmentInfo)
    const processId = `shell-${id}-${yield* nextHexId}`
    const env = { ...usual.env, ...about.env }
    const subscribed = yield* backend.startSubscribed({ ...usual, env, argv, pipeStdin: !tty, processId })
    const session = new Session({ id, tty, command: argv[0] ?? "" }, subscribed, undefined, observer)
    yield* calls.owned.follow(session)
    return session
  }).pipe(Effect.mapError(ToolError.notCreated))

/** The output of a terminal up to a mark, without the mark. Output behind it belongs to the next output. */
export class MarkedOutput {
  /** Opens when the mark has come. */
  readonly marked = Latch.makeUnsafe(true)
  /** Hears of output in front of the mark. */
  listener: ((bytes: Uint8Array) => void) | undefined
  private buffer = new HeadTailBuffer()
  private late = new HeadTailBuffer()
  private mark: Uint8Array | undefined
  /** The last bytes, which may begin the mark. */
  private held = new Uint8Array(0)

  /** Looks for this mark from now on. */
  expect(mark: Uint8Array): void {
    this.mark = mark
    this.marked.closeUnsafe()
  }

  push(bytes: Uint8Array): void {
    if (this.mark === undefined) {
      this.late.push(bytes)
      return
    }
    const all = concat([this.held, bytes])
    const at = find(all, this.mark)
    const end = at === -1 ? Math.max(0, all.length - this.mark.length + 1) : at
    this.show(all.subarray(0, end))
    this.held = at === -1 ? all.slice(end) : new Uint8Array(0)
    if (at === -1) return
    this.late.push(all.subarray(at + this.mark.length))
    this.mark = undefined
    this.marked.openUnsafe()
  }

  /** Takes the output since the last call, up to the mark. `last`: neither it nor more output is waited for. */
  take(last: boolean, form: PlainText.Form = "raw"): PlainText.Taken {
    if (this.mark !== undefined) {
      this.show(this.held)
      this.held = new Uint8Array(0)
      if (!last) return this.buffer.take(false, form)
      this.mark = undefined
    }
    const taken = this.buffer.take(true)
    const { buffer } = this
    this.buffer = this.late
    this.late = buffer
    return taken
  }

  private show(bytes: Uint8Array): void {
    if (bytes.length === 0) return
    this.buffer.push(bytes)
    this.listener?.(bytes)
  }
}

/** The begin of the first bytes of that kind; -1 if there are none. */
const find = (bytes: Uint8Array, wanted: Uint8Array): number => {
  const [first = 0] = wanted
  for (let at = indexOf(bytes, first); at !== -1; at = indexOf(bytes, first, at + 1)) {
    if (wanted.every((byte, index) => bytes[at + index] === byte)) return at
  }
  return -1
}

interface Report {
  readonly code: number
  /** Its options, as `$-` has them. */
  readonly flags: string
  readonly posix: boolean
  /** Its other options, as `$BASHOPTS` has them. */
  readonly options: string
  /** The quoted texts of its traps on DEBUG and EXIT. */
  readonly debug: string | undefined
  readonly exit: string | undefined
}

/** The name of the variable that the last line of a report exports: `export -p` sorts by name. */
const variable = "zz_procwire"

/** Reports of the shell and of its controller, as they come from their FIFO. */
class ShellReports implements Observer {
  /** Each opens when that has come. */
  readonly begun = Latch.makeUnsafe(false)
  readonly reported = Latch.makeUnsafe(false)
  readonly stuck = Latch.makeUnsafe(false)
  readonly synced = Latch.makeUnsafe(false)
  /** The path for reports, and the folder with the FIFO of the shell. */
  paths = { reports: "", folder: "" }
  /** The process of the shell, and the path of its terminal. */
  shell = { pid: "", terminal: "" }
  report: Report | undefined
  /** Code that sets the exported variables of the last report. */
  exports: string | undefined
  /** Text that is no report: it says why nothing could be started. */
  rest = ""
  private round = 0
  private readonly decoder = utf8Decoder()
  private readonly entry: RegExp

  constructor(nonce: string) {
    this.entry = new RegExp(
      `^(?:${nonce} (\\w+) ?(\\S*) ?(.*)|export ${variable}="${nonce} (exit|\\d+) ?(\\S*) ?(p?) ?(\\S*)")\\n`,
      "m",
    )
  }

  /** The text of this number begins. */
  expect(round: number): void {
    this.round = round
    this.reported.closeUnsafe()
    this.stuck.closeUnsafe()
  }

  output(bytes: Uint8Array): void {
    this.rest += this.decoder.decode(bytes, { stream: true })
    for (let found = this.entry.exec(this.rest); found !== null; found = this.entry.exec(this.rest)) {
      const before = this.rest.slice(0, found.index)
      this.rest = this.rest.slice(found.index + found[0].length)
      const [, word, first = "", second = "", code, flags = "", posix, options = ""] = found
      if (word === "paths") {
        this.paths = { reports: first, folder: second }
        this.begun.openUnsafe()
      }
      if (word === "shell") this.shell = { pid: first, terminal: second }
      // A look at the text before may be late.
      if (word === "stuck" && first === String(this.round)) this.stuck.openUnsafe()
      if (word === "synced") this.synced.openUnsafe()
      if (code !== undefined) {
        const { exports, ...traps } = parts(before)
        this.exports = exports
        if (code === "exit") continue
        this.report = { code: Number(code), flags, posix: posix === "p", options, ...traps }
        this.reported.openUnsafe()
      }
    }
  }

  ended(): void {}
}

/** In posix mode `-` says that there is none. */
const trap = /^trap -- (?:('(?:[^']|'\\'')*')|-) (DEBUG|EXIT)\n/

/** A report is the traps, and then the exports. */
const parts = (text: string) => {
  const traps: { DEBUG?: string; EXIT?: string } = {}
  let rest = text
  for (let found = trap.exec(rest); found !== null; found = trap.exec(rest)) {
    if (found[1] !== undefined) traps[found[2] as "DEBUG" | "EXIT"] = found[1]
    rest = rest.slice(found[0].length)
  }
  return { debug: traps.DEBUG, exit: traps.EXIT, exports: rest.replace(/^export POSIXLY_CORRECT=.*\n/m, "") }
}

/** A word as a shell reads it. */
export const quoted = (word: string): string => `'${word.replaceAll("'", `'\\''`)}'`

/**
 * The begin of the controller. Descriptor 7 writes to the FIFO of the shell, and 8 keeps that of the reports open. If
 * a descriptor of the controller has a path, reports need no file that somebody could remove.
 */
const controller = `d=$(mktemp -d "\${TMPDIR:-/tmp}/procwire-shell-XXXXXXXX") || exit
trap 'rm -rf "$d"' EXIT
trap '' HUP INT QUIT
mkfifo -m 600 "$d/bash" "$d/reports" || exit
exec 7<>"$d/bash" 8<>"$d/reports" || exit
cat <"$d/reports" 7>&- 8>&- &
r=/proc/$$/fd/8
[[ -e $r ]] || r=$d/reports
printf '%s paths %s %s\\n' "$1" "$r" "$d" >&8`

/** The first command of the process of the shell: its script is called `bash`, as messages of a shell begin. */
const starter = (stdin: Options["stdin"]): string =>
  `export PROCWIRE_FOLDER=$PWD PROCWIRE_TERMINAL=$(tty)
cd "$1" && exec "$0" --posix --noprofile --norc bash${stdin === "empty" ? " </dev/null" : ""}`

/** The first text of a shell. */
const toFirst = (
  nonce: string,
  path: string,
  exports: string | undefined,
  variables: Readonly<Record<string, string>>,
): string => {
  const begin = `\\builtin printf '%s shell %s %s\\n' ${nonce} $$ "$PROCWIRE_TERMINAL" >|${quoted(path)}
\\builtin cd -- "$PROCWIRE_FOLDER"
\\builtin unset PROCWIRE_FOLDER PROCWIRE_TERMINAL OLDPWD
if [[ -r \${BASH_ENV-} ]]; then \\builtin . "$BASH_ENV"; fi`
  if (exports === undefined) return begin
  return `${begin}
\\builtin unset $(\\builtin compgen -e)
\\builtin eval ${quoted(exports)}
${Object.entries(variables)
  .map(([name, value]) => `\\builtin export ${name}=${quoted(value)}\n`)
  .join("")}\\builtin cd -- "$PWD"`
}

/**
 * The code around a text. The shell reads it in posix mode, in which no function or alias stands for a special builtin
 * or a reserved word, and without -v, -x and -e. Those that the text has set come back in front of the next one, and
 * nothing that is done here prints. \`!\` keeps the end of a text that fails from being an error of \`eval\`, too.
 */
const toRound = (text: string, last: Report | undefined, path: string, nonce: string): string => {
  const to = `>|${quoted(path)}`
  const posix = last?.posix === true
  const flags = [...(last?.flags ?? "")].filter((flag) => "evx".includes(flag)).join("")
  const option = (name: string, usual: boolean) => {
    const isOn = last === undefined ? usual : last.options.split(":").includes(name)
    return `\\shopt -${isOn ? "s" : "u"} ${name}`
  }
  const steps = [
    ...(last?.exit === undefined ? [`\\trap -- ${quoted(atExit(nonce, to))} EXIT`] : []),
    ...(flags === "" ? [] : [`\\set -${flags}`]),
    ...(last?.debug === undefined ? [] : [`\\trap -- ${last.debug} DEBUG`]),
    // Leaving posix mode changes two options. `shopt` is no special builtin: a function of its name has to go.
    ...(posix ? [] : ["\\unset -f shopt", "\\unset POSIXLY_CORRECT"]),
    ...(posix ? [] : [option("expand_aliases", true), option("inherit_errexit", false)]),
  ]
  const before = steps.length === 0 ? "" : `{ ${steps.join("; ")}; } >/dev/null 2>&1`
  const after =
    `{ ${variable}="${nonce} \${PIPESTATUS[0]} $- \${POSIXLY_CORRECT+p} $BASHOPTS"; POSIXLY_CORRECT=y; ` +
    `\\set +evx; \\trap -p DEBUG ${to}; \\trap -p EXIT ${to}; \\trap - DEBUG; ` +
    `\\export ${variable}; \\export -p ${to}; \\unset ${variable}; } >/dev/null 2>&1`
  return `! \\eval ${quoted(`${before}\n${text}`)}; ${after}`
}

/** Tells of the exported variables of a shell that a text ends. */
const atExit = (nonce: string, to: string): string =>
  `{ ${variable}="${nonce} exit"; POSIXLY_CORRECT=y; \\set +evx; \\export ${variable}; \\export -p ${to}; } >/dev/null 2>&1`
