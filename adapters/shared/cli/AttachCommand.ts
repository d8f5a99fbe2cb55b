/**
 * `procwire attach`: this terminal at a process that runs, beside others who are there. It leaves the process as it is,
 * and the terminal as it was.
 */
import process from "node:process"
import * as Effect from "effect/Effect"
import * as Command from "./Command.ts"
import * as Control from "./control/Control.ts"
import * as Flags from "./Flags.ts"
import * as LocalTerminal from "./LocalTerminal.ts"
import { unable } from "./server/Unable.ts"
import * as Rows from "./show/Rows.ts"
import * as TargetFlags from "./TargetFlags.ts"
import * as Keys from "./words/Keys.ts"
import * as Deferred from "effect/Deferred"
import * as Stream from "effect/Stream"
import * as Fork from "../../../core/protocol/Fork.ts"
import * as Turn from "../../../core/protocol/Turn.ts"
import { toError } from "../../../core/client/EventFeed.ts"
import type { ListedProcess } from "../../../core/client/Lists.ts"
import type { ProcessEvent } from "../../../core/client/ProcessEvent.ts"
import type * as Reconnect from "../../../core/client/Reconnect.ts"
import type { RemoteProcess } from "../../../core/client/RemoteProcess.ts"
import { concat } from "../../../core/protocol/Bytes.ts"
import { mostScrollback, type ScreenResult } from "../../../core/features/screen/wire.ts"
import type { TerminalSize } from "../../../core/spawn/Spawner.ts"
import * as Message from "./words/Message.ts"

const usualKeys = "ctrl-p,ctrl-q"

export const attach = Command.make({
  name: "attach",
  summary: "Bring a process to this terminal, and leave it again without harm",
  usage: "[OPTIONS] NAME",
  flags: {
    "read-only": { ...Flags.toggle("look on: nothing that is typed is sent", "r"), excludes: ["take"] },
    take: Flags.toggle("write, also if somebody else does, who looks on then"),
    policy: Flags.choice(
      "POLICY",
      ["screen", "skip", "block"],
      "while this terminal lags: screen jumps to what the terminal of the process shows, skip leaves output out, " +
        "block lets the process wait [default: screen, or skip without a terminal]",
    ),
    "detach-keys": {
      ...Flags.text(
        "KEYS",
        `what leaves the process, as in ctrl-a,d or f12; empty for nothing [default: ${usualKeys}]`,
      ),
      read: (text: string) => readKeys(text),
    },
    ...TargetFlags.flags,
  },
  operands: "process",
  text: `
What a terminal process has shown is shown again, its terminal gets the size of this one, and every key goes to it until
the detach keys. A process without a terminal gets stdin as it comes, and Ctrl-C leaves it. One client at a time writes;
others look on. With --read-only Ctrl-C leaves as well.

Exit code: that of the process if it ends meanwhile; 0 after the detach keys.`,
  examples: [
    "procwire attach web",
    "procwire attach --read-only web",
    "procwire attach --read-only --policy block web",
    "procwire attach --take --detach-keys ctrl-a,d web",
  ],
  run: (asked) =>
    Effect.gen(function* () {
      const { values } = asked
      const readOnly = values["read-only"] === true
      const { policy, take = false } = values
      const keys = values["detach-keys"] ?? (yield* readKeys(usualKeys))
      const link = makeLink()
      const { about, client, ref, row } = yield* Control.findOnly(asked, { onStatus: link.status })
      if (!Rows.isLive(row))
        return yield* unable(
          `${ref} has ended (${Rows.stateOf(row)}); procwire logs ${ref} shows what it has printed`,
        )
      const paints = row.tty && client.environmentInfo.capabilities?.processScreen === true
      if (policy === "screen" && !paints)
        return yield* unable(
          row.tty ? "this server cannot paint terminals" : `${ref} has no terminal, so no screen to jump to`,
        )
      const lagging = policy ?? (paints ? "screen" : "skip")
      // Without a picture of a terminal its retained output is shown again; of a pipe only later output is.
      const after = row.tty && !paints ? 0 : row.nextSeq - 1
      const ended = yield* (
        readOnly
          ? Control.look(client, row, after, lagging)
          : Control.write(client, row, after, take, lagging)
      ).pipe(
        Effect.flatMap((child) => session(child, { row, keys, readOnly, paints, link })),
        about,
      )
      if (ended.kind === "exited") return ended.code
      const left = process.stderr.isTTY ? `detached; procwire attach ${ref} comes back\n` : ""
      return yield* Effect.as(Effect.ignore(LocalTerminal.print(left, "stderr")), 0)
    }),
})

const readKeys = (text: string): Effect.Effect<Uint8Array, Flags.UsageError> => {
  const keys = Keys.parseDetachKeys(text)
  return keys === undefined
    ? Flags.wrong(`invalid value '${text}' for '--detach-keys': expected keys such as ${usualKeys} or f12`)
    : Effect.succeed(keys)
}

type Ended = { readonly kind: "exited"; readonly code: number } | { readonly kind: "left" }

interface Link {
  readonly status: (status: Reconnect.Status) => void
  readonly isCut: () => boolean
  /** Called when it is there again. */
  back: () => void
}

const makeLink = (): Link => {
  let cut = false
  const self: Link = {
    isCut: () => cut,
    back: () => {},
    status: ({ kind }) => {
      const isBack = cut && kind !== "reconnecting"
      cut = kind === "reconnecting"
      if (cut) notice("connection lost, reconnecting; Ctrl-C gives up")
      if (isBack) self.back()
    },
  }
  return self
}

/** A line of its own, also in raw mode. */
const notice = (text: string) => void process.stderr.write(`\r\n${Message.rawLine(text)}`)

interface Options {
  readonly row: ListedProcess
  readonly keys: Uint8Array
  readonly readOnly: boolean
  /** True if the server can paint the terminal of the process. */
  readonly paints: boolean
  readonly link: Link
}

/** Moves a terminal up when it is at the bottom. */
const lineFeed = 10
const { controlC } = LocalTerminal

/**
 * Shows and sends until either side ends it. The terminal is in raw mode for a terminal process, and is restored at any
 * end: by the detach keys, by the end of the process, of its server, or of this program by a signal.
 */
const session = (child: RemoteProcess, options: Options) =>
  Effect.gen(function* () {
    const { row, link, readOnly } = options
    const left = yield* Deferred.make<Ended>()
    const modes = yield* LocalTerminal.modes
    if (row.tty) yield* LocalTerminal.rawMode
    const output = yield* onTerminal(row, modes)
    const redraw = readOnly || !row.tty ? Effect.void : redrawing(child)
    const picture = (scrollback: number) => Effect.catch(painting(child, output, scrollback), () => redraw)
    const repaint = options.paints ? picture(0) : redraw
    yield* Effect.forkScoped(typed(child, options, Deferred.succeed(left, { kind: "left" })))
    if (!readOnly) yield* Effect.forkScoped(roles(child))
    if (!readOnly && row.tty) {
      const resize = (size: TerminalSize | undefined) =>
        size === undefined ? Effect.void : Effect.ignore(child.resize(size))
      yield* resize(LocalTerminal.size())
      yield* Effect.forkScoped(Stream.runForEach(LocalTerminal.resizes, resize))
    }
    yield* options.paints ? Effect.andThen(output.begin, picture(mostScrollback)) : redraw
    const fork = yield* Fork.inScope
    link.back = () => void fork(repaint)
    return yield* Effect.raceFirst(shown(child, row, output, repaint), Deferred.await(left))
  }).pipe(Effect.scoped)

/** A program draws itself anew at a change of the size: so there is one, even where the size is right. */
const redrawing = (child: RemoteProcess): Effect.Effect<void> =>
  Effect.suspend(() => {
    const size = LocalTerminal.size()
    if (size === undefined) return Effect.void
    const other = { ...size, rows: size.rows > 1 ? size.rows - 1 : size.rows + 1 }
    return Effect.ignore(Effect.andThen(child.resize(other), child.resize(size)))
  })

type Printed = Extract<ProcessEvent, { kind: "output" }>

type OnTerminal = Effect.Success<ReturnType<typeof onTerminal>>

/** The output of the process on this terminal, one piece after another. */
const onTerminal = (row: ListedProcess, modes: LocalTerminal.Modes) =>
  Effect.sync(() => {
    const inTurn = Turn.make()
    const replay = makeReplay()
    let isOver = !row.tty
    /** Output up to here has been printed, and up to there it is in a picture. */
    let [printed, painted] = [0, 0]
    /** A terminal that gets another size forgets its scroll region, which programs rely on. */
    const over = (): ReadonlyArray<Uint8Array> => {
      const begin = isOver ? [] : [replay.rest(), resetRegion]
      isOver = true
      return begin
    }
    const print = (output: Printed) => {
      if (output.seq <= painted) return Effect.void
      printed = output.seq
      if (output.stream === "pty") modes.scan(output.bytes)
      const isOld = output.stream === "pty" && output.seq < row.nextSeq
      const bytes = isOld ? replay.take(output.bytes) : concat([...over(), output.bytes])
      return LocalTerminal.write(output.stream === "stderr" ? "stderr" : "stdout", bytes)
    }
    const paint = ({ seq, ansi = "" }: ScreenResult): Effect.Effect<boolean, LocalTerminal.OutputFailed> => {
      if (seq < printed) return Effect.succeed(false)
      painted = seq
      const bytes = new TextEncoder().encode(ansi)
      modes.scan(bytes)
      return Effect.as(LocalTerminal.write("stdout", concat([...over(), bytes])), true)
    }
    return {
      /** Moves the terminal up, out of the way of the first picture. */
      begin: LocalTerminal.write("stdout", new Uint8Array(LocalTerminal.size()?.rows ?? 0).fill(lineFeed)),
      /** Shows output, unless a picture has it already. */
      print: (output: Printed) => inTurn(Effect.suspend(() => print(output))),
      /** Paints over the terminal. False, and nothing, if that shows more than the picture has. */
      paint: (picture: ScreenResult) => inTurn(Effect.suspend(() => paint(picture))),
    }
  })

/** Requests for a picture, each of which may be older than the terminal by then. */
const mostPictures = 3

/** Paints the terminal of the process, below lines that have left it at its top. */
const painting = (child: RemoteProcess, { paint }: OnTerminal, scrollback: number) =>
  Effect.flatMap(child.screen({ formats: ["ansi"], scrollback }), paint).pipe(
    Effect.repeat({ until: (done) => done, times: mostPictures - 1 }),
  )

/** Everything that is printed, until the process has closed. */
const shown = (
  child: RemoteProcess,
  row: ListedProcess,
  { print, paint }: OnTerminal,
  repaint: Effect.Effect<void>,
) =>
  Effect.gen(function* () {
    const { next } = yield* Effect.acquireRelease(child.subscribe, ({ close }) => Effect.sync(close))
    for (;;) {
      const batch = yield* next
      if (batch === undefined) return { kind: "exited", code: yield* child.exitCode } as const
      for (const event of batch) {
        if (event.kind === "output") yield* print(event)
        if (event.kind === "gap" && event.screen !== undefined) yield* paint(event.screen)
        else if (event.kind === "gap" && event.seq >= row.nextSeq) yield* repaint
        if (event.kind === "failed") return yield* gone(event)
      }
    }
  })

/** The error for a user whose terminal is restored by then. */
const gone = (event: Extract<ProcessEvent, { kind: "failed" }>) =>
  event.reason === "Disconnected"
    ? unable("the server has ended, or the connection to it; procwire ps -a shows what is there")
    : toError(event)

const resetRegion = new TextEncoder().encode("\u001b7\u001b[r\u001b8")

/** Sends the input, but for the detach keys; `leave` is for those, and for Ctrl-C where nothing is sent. */
const typed = (
  child: RemoteProcess,
  { keys, link, readOnly, row }: Options,
  leave: Effect.Effect<unknown>,
) => {
  const search = Keys.searchFor(row.tty ? keys : new Uint8Array())
  const take = (bytes: Uint8Array) =>
    Effect.gen(function* () {
      const { found, send } = search.take(bytes)
      const interrupts = row.tty && (readOnly || link.isCut()) && bytes.includes(controlC)
      if (found || interrupts) yield* leave
      return send
    })
  const sent = LocalTerminal.input.pipe(
    Stream.mapEffect(take),
    // The detach keys are looked for ahead of a write that waits for the process.
    Stream.buffer({ capacity: 16 }),
    Stream.runForEach((bytes) =>
      readOnly || bytes.length === 0 ? Effect.void : Effect.ignore(child.write(bytes)),
    ),
  )
  const end = row.tty || readOnly ? Effect.void : Effect.ignore(child.closeStdin)
  return Effect.andThen(sent, end)
}

/** Says when somebody else writes, and when this client does again. */
const roles = (child: RemoteProcess) => {
  let writes = true
  return Stream.runForEach(child.writing, (now) =>
    Effect.sync(() => {
      if (now !== writes) notice(now ? "you write again" : "somebody else writes now; you look on")
      writes = now
    }),
  )
}

/** The longest sequence that is looked at; a longer one is shown. */
const longest = 256

/** Requests to a terminal: DA, DSR, DECRQM, XTVERSION, window and key reports, OSC with `?`, DECRQSS. */
const question =
  // oxlint-disable-next-line no-control-regex
  /^\u001b(?:\[[>=?]?[\d;]*c|\[\??[\d;]*n|\[\??[\d;]*\$p|\[>[\d;]*q|\[(?:1[13-9]|2[01])(?:;\d+)*t|\[\?u|\[\?\d*m|\](?:[45];\d+|1\d|52;\w*);\?(?:\u0007|\u001b\\)|P[$+]q[^\u001b]*\u001b\\|Z)$/

/** Passes output on in pieces. A sequence that is not whole yet waits for its rest. */
export interface Replay {
  readonly take: (bytes: Uint8Array) => Uint8Array
  /** The sequence that waits for its rest. */
  readonly rest: () => Uint8Array
}

/**
 * A replay from its begin: output that is shown again on a terminal, without requests to the terminal (attributes,
 * positions, modes, colours, settings). The answer would be typed into the process, which has had one long ago.
 */
export const makeReplay = (): Replay => {
  let pending: Array<number> = []
  const take = (bytes: Uint8Array): Uint8Array => {
    const shown: Array<number> = []
    for (const byte of bytes) {
      if (pending.length === 0 && byte !== 0x1b) {
        shown.push(byte)
        continue
      }
      // A new sequence ends the one before, but for the end of a string.
      if (byte === 0x1b && pending.length > 0 && !isString(pending)) shown.push(...pending.splice(0))
      pending.push(byte)
      if (!isWhole(pending) && pending.length < longest) continue
      if (!question.test(String.fromCharCode(...pending))) shown.push(...pending)
      pending = []
    }
    return Uint8Array.from(shown)
  }
  return { take, rest: () => Uint8Array.from(pending.splice(0)) }
}

const isString = ([, kind]: ReadonlyArray<number>): boolean => kind === 0x5d || kind === 0x50

const isWhole = (sequence: ReadonlyArray<number>): boolean => {
  const [last = 0, before] = [sequence.at(-1), sequence.at(-2)]
  if (sequence.length === 1) return false
  if (isString(sequence)) return last === 0x07 || (sequence.length > 2 && before === 0x1b && last === 0x5c)
  if (sequence[1] === 0x5b) return sequence.length > 2 && last >= 0x40 && last <= 0x7e
  return last < 0x20 || last > 0x2f
}
