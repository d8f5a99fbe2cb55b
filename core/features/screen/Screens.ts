/**
 * The pictures that terminals show, of all processes of one server.
 *
 * A process has no terminal before the first request for its picture, which opens one. The terminal then follows the
 * output on a fiber of its own, a piece at a time, so that later requests find it painted and nothing of it lost; it
 * is disposed after a while without requests, or when others are asked for more. A picture of the past is painted from
 * what the log or the history has, in a terminal of its own.
 */
import * as Effect from "effect/Effect"
import * as Latch from "effect/Latch"
import * as Semaphore from "effect/Semaphore"
import type { Format, ScreenResult } from "./wire.ts"
import type * as Fork from "../../protocol/Fork.ts"
import * as Turn from "../../protocol/Turn.ts"
import type { Process } from "../../process/Process.ts"
import { Sizes } from "../../process/Sizes.ts"
import { Feed, type Subject } from "./Feed.ts"
import * as Picture from "./Picture.ts"
import { ScreenError, type TerminalsService } from "./Terminals.ts"

/** Time for which a terminal follows its process after the last request, in milliseconds. */
export const idleMillis = 30_000

/** The most terminals that follow processes; the one that was not asked for the longest time makes room. */
export const mostFollowing = 16

/** The most pictures of the past that are painted at once. */
export const mostReplays = 2

/** A request for a picture. */
export interface ScreenRequest {
  /** The last output of the picture; undefined is now. */
  readonly seq: number | undefined
  /** The forms of the answer. */
  readonly formats: ReadonlyArray<Format>
  /** The most lines from above the screen. */
  readonly scrollback: number
}

/** The pictures of one server. */
export class Screens {
  /** @internal Those that follow, the one that was asked last at the end. */
  readonly following = new Set<Screen>()
  /** The factory of terminals. */
  readonly terminals: TerminalsService
  /** Held while a picture of the past is painted. */
  readonly replaying = Semaphore.makeUnsafe(mostReplays)
  /** @internal Runs what follows a process. */
  readonly fork: Fork.Fork
  private readonly screens = new WeakMap<Process, Screen>()

  constructor(terminals: TerminalsService, fork: Fork.Fork) {
    this.terminals = terminals
    this.fork = fork
  }

  of(process: Process, request: ScreenRequest): Effect.Effect<ScreenResult, ScreenError> {
    return Effect.suspend(() => {
      const { stdio, log } = process
      if (stdio.kind !== "pty") return Effect.fail(noTerminal(process.id))
      const sizes = stdio.sizes ?? new Sizes(log, stdio.size)
      process.stdio = { ...stdio, sizes }
      return (this.screens.get(process) ?? this.begin(process, sizes)).ask(request)
    })
  }

  private begin(process: Process, sizes: Sizes): Screen {
    const screen = new Screen(this, { process, sizes })
    this.screens.set(process, screen)
    process.whenForgotten(() => screen.close())
    return screen
  }

  /** @internal Notes that one is asked for now. */
  asked(screen: Screen): void {
    this.following.delete(screen)
    this.following.add(screen)
    for (const other of this.following) {
      if (this.following.size <= mostFollowing) return
      other.close()
    }
  }
}

/** The picture of one process. */
class Screen {
  private readonly screens: Screens
  private readonly subject: Subject
  private readonly turn = Turn.make()
  private readonly news = Latch.makeUnsafe(true)
  private feed: Feed | undefined
  private asking = 0
  private askedAt = 0

  constructor(screens: Screens, subject: Subject) {
    this.screens = screens
    this.subject = subject
  }

  ask(request: ScreenRequest): Effect.Effect<ScreenResult, ScreenError> {
    const count = (change: number) =>
      Effect.map(now, (millis) => {
        this.asking += change
        this.askedAt = millis
      })
    return Effect.acquireUseRelease(
      count(1),
      () => this.answer(request),
      () => count(-1),
    )
  }

  /** Gives the terminal back, unless somebody waits for it. */
  close(): void {
    if (this.asking > 0) return
    this.screens.following.delete(this)
    this.feed?.release()
    this.feed = undefined
    this.news.openUnsafe()
  }

  private answer(request: ScreenRequest): Effect.Effect<ScreenResult, ScreenError> {
    const last = this.subject.process.log.nextSeq() - 1
    const target = Math.min(request.seq ?? last, last)
    const present = Effect.gen({ self: this }, function* () {
      const feed = yield* this.follow
      yield* feed.through(target)
      if (request.seq === undefined) yield* feed.some()
      const isLate = request.seq !== undefined && !shows(feed, target)
      return isLate ? undefined : pictureOf(feed, request)
    })
    return Effect.flatMap(this.turn(present), (picture) =>
      picture === undefined ? this.past(target, request) : Effect.succeed(picture),
    )
  }

  /** Paints in a terminal of its own what the log retains up to `target`. */
  private past(target: number, request: ScreenRequest): Effect.Effect<ScreenResult, ScreenError> {
    const { screens, subject } = this
    const replay = Effect.acquireUseRelease(
      Feed.open(subject, screens.terminals),
      (feed) =>
        Effect.flatMap(feed.through(target), () =>
          shows(feed, target)
            ? Effect.sync(() => pictureOf(feed, request))
            : Effect.fail(evicted(subject, target, feed)),
        ),
      (feed) => Effect.sync(() => feed.release()),
    )
    return screens.replaying.withPermits(1)(replay)
  }

  /** The fed terminal, which follows the process from now on. */
  private readonly follow = Effect.suspend(() => {
    const { screens, subject } = this
    if (this.feed !== undefined && !this.feed.released) {
      screens.asked(this)
      return Effect.succeed(this.feed)
    }
    return Effect.map(Feed.open(subject, screens.terminals), (feed) => {
      this.feed = feed
      screens.asked(this)
      screens.fork(this.following(feed))
      return feed
    })
  })

  /** Until the terminal was given back, or is not wanted any more. */
  private following(feed: Feed): Effect.Effect<void> {
    return Effect.acquireUseRelease(
      Effect.sync(() => this.subject.process.subscribe(() => this.news.openUnsafe())),
      () => Effect.raceFirst(this.catchUp(feed), this.untilIdle),
      (unsubscribe) =>
        Effect.sync(() => {
          unsubscribe()
          if (this.feed === feed) this.close()
          feed.release()
        }),
    )
  }

  private catchUp(feed: Feed): Effect.Effect<void> {
    return Effect.gen({ self: this }, function* () {
      for (;;) {
        // Not within the code that has appended, which may have more.
        yield* Effect.andThen(this.news.await, Effect.yieldNow)
        this.news.closeUnsafe()
        while (yield* this.turn(this.piece(feed))) yield* Effect.yieldNow
        if (feed.released) return
      }
    })
  }

  /** Feeds one piece; true if there may be more. A terminal that cannot go on is given back. */
  private piece(feed: Feed): Effect.Effect<boolean> {
    return Effect.suspend(() => {
      const target = this.subject.process.log.nextSeq() - 1
      if (feed.released || !feed.isBehind(target)) return Effect.succeed(false)
      return Effect.match(feed.piece(target), {
        onFailure: () => {
          feed.release()
          return false
        },
        onSuccess: () => true,
      })
    })
  }

  private readonly untilIdle: Effect.Effect<void> = Effect.gen({ self: this }, function* () {
    for (;;) {
      const left = this.askedAt + idleMillis - (yield* now)
      if (left <= 0 && this.asking === 0) return
      yield* Effect.sleep(left <= 0 ? idleMillis : left)
    }
  })
}

/** False if the terminal has output behind `target`, or none up to it although there was some. */
const shows = ({ seq, fromSeq }: Feed, target: number): boolean =>
  seq === target && (fromSeq <= target || target === 0)

const now = Effect.clockWith((clock) => clock.currentTimeMillis)

const pictureOf = ({ terminal, seq, fromSeq }: Feed, { formats, scrollback }: ScreenRequest): ScreenResult =>
  Picture.from(terminal.snapshot(scrollback), { seq, fromSeq }, formats)

const noTerminal = (id: string) =>
  new ScreenError({
    reason: "NoTerminal",
    message: `process ${id} has no terminal: it was started without tty`,
  })

const evicted = ({ process: { id } }: Subject, seq: number, { fromSeq }: Feed) =>
  new ScreenError({
    reason: "Evicted",
    message:
      `the output of process ${id} up to seq ${seq} is no longer retained: ` +
      `what is begins with seq ${fromSeq} (the start option history keeps more)`,
  })
