/**
 * This terminal at an attached process: shows what was printed, then what is, and sends what is typed.
 *
 * The terminal is in raw mode for a terminal process, and is restored at any end: by the detach keys, by the end of the
 * process, of its server, or of this program by a signal.
 */
import process from "node:process"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import * as Fork from "../../../../core/protocol/Fork.ts"
import * as Turn from "../../../../core/protocol/Turn.ts"
import { toError } from "../../../../core/client/EventStreams.ts"
import type { ListedProcess } from "../../../../core/client/Lists.ts"
import type { ProcessEvent } from "../../../../core/client/ProcessEvent.ts"
import type * as Reconnect from "../../../../core/client/Reconnect.ts"
import type { RemoteProcess } from "../../../../core/client/RemoteProcess.ts"
import { concat } from "../../../../core/protocol/Bytes.ts"
import { mostScrollback, type ScreenResult } from "../../../../core/protocol/Screen.ts"
import type { TerminalSize } from "../../../../core/spawn/Spawner.ts"
import * as LocalTerminal from "../LocalTerminal.ts"
import { Unable } from "../server/Unable.ts"
import * as Keys from "../words/Keys.ts"
import * as Message from "../words/Message.ts"
import * as Replay from "../words/Replay.ts"

/** How it has ended. */
export type Ended = { readonly kind: "exited"; readonly code: number } | { readonly kind: "left" }

/** Whether the connection is there. */
export interface Link {
  readonly status: (status: Reconnect.Status) => void
  readonly isCut: () => boolean
  /** Called when it is there again. */
  back: () => void
}

/** A connection that is there. */
export const link = (): Link => {
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

/** What it is about. */
export interface Options {
  readonly row: ListedProcess
  readonly keys: Uint8Array
  readonly readOnly: boolean
  /** Whether the server can paint the terminal of the process. */
  readonly paints: boolean
  readonly link: Link
}

/** Ctrl-C on a terminal in raw mode, and what moves it up when it is at the bottom. */
const [controlC, lineFeed] = [3, 10]

/** Shows and sends until either side ends it. */
export const run = (child: RemoteProcess, options: Options) =>
  Effect.gen(function* () {
    const { row, link, readOnly } = options
    const left = yield* Deferred.make<Ended>()
    const modes = yield* LocalTerminal.modes
    if (row.tty) yield* LocalTerminal.rawMode
    const output = yield* onTerminal(row, modes)
    const redraw = readOnly || !row.tty ? Effect.void : redrawing(child)
    const picture = (scrollback: number) => Effect.orElse(painting(child, output, scrollback), () => redraw)
    const repaint = options.paints ? picture(0) : redraw
    yield* Effect.forkScoped(typed(child, options, Deferred.succeed(left, { kind: "left" })))
    if (!readOnly) yield* Effect.forkScoped(roles(child))
    if (!readOnly && row.tty) {
      const resize = (size: TerminalSize | undefined) =>
        size === undefined ? Effect.void : Effect.ignore(child.resize(size))
      yield* resize(LocalTerminal.size())
      yield* Effect.forkScoped(Stream.runForEach(LocalTerminal.resizes, resize))
    }
    yield* options.paints ? Effect.zipRight(output.begin, picture(mostScrollback)) : redraw
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
    return Effect.ignore(Effect.zipRight(child.resize(other), child.resize(size)))
  })

type Printed = Extract<ProcessEvent, { kind: "output" }>

/** What this terminal shows of the process, one piece after another. */
interface OnTerminal {
  /** Moves what is there up, out of the way of the first picture. */
  readonly begin: Effect.Effect<void, LocalTerminal.OutputFailed>
  /** Shows output, unless a picture has it already. */
  readonly print: (output: Printed) => Effect.Effect<void, LocalTerminal.OutputFailed>
  /** Paints over what is there. False, and nothing, if the terminal shows more than the picture has. */
  readonly paint: (picture: ScreenResult) => Effect.Effect<boolean, LocalTerminal.OutputFailed>
}

/** This terminal, which shows nothing of the process yet. */
const onTerminal = (row: ListedProcess, modes: LocalTerminal.Modes) =>
  Effect.sync((): OnTerminal => {
    const inTurn = Turn.make()
    const replay = Replay.make()
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
    const paint = ({ seq, ansi = "" }: ScreenResult) => {
      if (seq < printed) return Effect.succeed(false)
      painted = seq
      const bytes = new TextEncoder().encode(ansi)
      modes.scan(bytes)
      return Effect.as(LocalTerminal.write("stdout", concat([...over(), bytes])), true)
    }
    return {
      begin: LocalTerminal.write("stdout", new Uint8Array(LocalTerminal.size()?.rows ?? 0).fill(lineFeed)),
      print: (output) => inTurn(Effect.suspend(() => print(output))),
      paint: (picture) => inTurn(Effect.suspend(() => paint(picture))),
    }
  })

/** How often a picture is asked for that is older than what the terminal shows by then. */
const mostPictures = 3

/** What the terminal of the process shows now, below lines that have left it at its top. */
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

/** What the user reads, on a terminal that is restored by then. */
const gone = (event: Extract<ProcessEvent, { kind: "failed" }>) =>
  event.reason === "Disconnected"
    ? new Unable({
        message: "the server has ended, or the connection to it; procwire ps -a shows what is there",
      })
    : toError(event)

const resetRegion = new TextEncoder().encode("\u001b7\u001b[r\u001b8")

/** Sends what is typed, but for the detach keys; `leave` is for those, and for Ctrl-C where nothing is sent. */
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
  return Effect.zipRight(sent, end)
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
