/**
 * A child that is followed by another one when it has ended, in the same process: with the same id, output log and
 * terminal, so that clients see one process that goes on. Only a start that asks for it has this.
 *
 * The next child begins when nothing is left of the one before: its group is killed, and its output read to the end.
 * Between two children there is a pause, which doubles. The process ends for good by a SIGTERM, a SIGKILL or the
 * end of its scope, also in a pause.
 */
import * as Clock from "effect/Clock"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Latch from "effect/Latch"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Scope from "effect/Scope"
import type { SpawnError } from "../../spawn/SpawnError.ts"
import { streamsOf } from "../../process/Attachment.ts"
import { farewellMillis } from "../../process/Control.ts"
import type { Spawning } from "../../process/Extension.ts"
import type { Grace } from "../../process/Grace.ts"
import type { Process } from "../../process/Process.ts"
import type {
  ChildHandle,
  Ending,
  ExitStatus,
  OutputStream,
  SignalName,
  SpawnEvents,
  SpawnSpec,
  TerminalSize,
} from "../../spawn/Spawner.ts"

export interface Policy {
  /** `no`: only when a client asks for it. */
  readonly when: "no" | "onFailure" | "always"
  /** The most restarts that no client has asked for. */
  readonly most: number
}

/** The first pause before a restart, in milliseconds; each is twice the one before. */
const firstPauseMillis = 100

/** The longest pause: a minute. */
const longestPauseMillis = 60_000

/** A child that has run for so long was well: the pauses begin anew. */
const wellMillis = 10_000

/** The pause behind `before` (0 for none), after a child that ran for so long. */
const pauseAfter = (before: number, ranMillis: number): number =>
  before === 0 || ranMillis >= wellMillis ? firstPauseMillis : Math.min(before * 2, longestPauseMillis)

/** Signals after which no child follows, whatever the one that gets it does with it. */
export const isFinal = (name: SignalName): boolean => name === "SIGTERM" || name === "SIGKILL"

/** Signals that a program may handle and go on: one that a client sends ends the process only if the child dies of it. */
const deadly: Readonly<Record<string, number>> = { SIGINT: 2, SIGQUIT: 3 }

/** True for the end by a signal that a client has sent. */
const isEndBy = (status: ExitStatus, sent: ReadonlySet<SignalName>): boolean =>
  [...sent].some((name) => {
    const number = deadly[name]
    if (number === undefined) return false
    return status.kind === "signaled" ? status.signal === number : status.code === 128 + number
  })

/** True if the policy has another child follow one that has ended so, after so many restarts. */
const follows = ({ when, most }: Policy, status: ExitStatus, restarts: number): boolean => {
  if (when === "no" || restarts >= most) return false
  return when === "always" || status.kind === "signaled" || status.code !== 0
}

interface Life {
  readonly child: ChildHandle
  readonly scope: Scope.Closeable
  readonly begunAt: number
}

export class Restarts implements Spawning, Children {
  /** Number of children after the first. */
  count = 0
  /** Says when there is another one. */
  readonly policy: Policy
  /** @internal The child; undefined between two. */
  life: Life | undefined
  /** @internal Open while there is a child, and when none follows. */
  readonly up = Latch.makeUnsafe(false)
  /** @internal Settings of the next child, as those of the children before. */
  readonly kept: Kept = { paused: false, pauses: 0, stdinEnded: false, size: undefined }
  private readonly process: Pick<Process, "onChange">
  private readonly spawner: Spawning
  private told: ChildReports | undefined
  private isOver = false
  private isAsked = false
  private automatic = 0
  private readonly sent = new Set<SignalName>()
  private readonly hurry = Latch.makeUnsafe(false)
  private next = Deferred.makeUnsafe<void>()

  /** The children are those of `spawner`. */
  constructor(process: Pick<Process, "onChange">, spawner: Spawning, policy: Policy) {
    this.process = process
    this.spawner = spawner
    this.policy = policy
  }

  /** Starts the first child. The handle is that of whichever child there is. */
  spawn(spec: SpawnSpec, events: SpawnEvents): Effect.Effect<ChildHandle, SpawnError, Scope.Scope> {
    return Effect.gen({ self: this }, function* () {
      const scope = yield* Effect.scope
      const first = yield* this.begin(spec, events)
      const fiber = yield* Effect.forkIn(Effect.interruptible(this.follow(spec, events)), scope)
      yield* Scope.addFinalizer(
        scope,
        Effect.suspend(() => {
          this.isOver = true
          const { life } = this
          const close = life === undefined ? Effect.void : Scope.close(life.scope, Exit.void)
          return Effect.andThen(Fiber.interrupt(fiber), close)
        }),
      )
      return restarted(this, first)
    })
  }

  get isFinal(): boolean {
    return this.isOver || this.told?.isFinal === true
  }

  /** True if another child is expected to follow the one that there is. */
  get mayFollow(): boolean {
    return !this.isFinal && (this.isAsked || this.policy.when !== "no")
  }

  note(name: SignalName): void {
    if (isFinal(name)) this.stop()
    else this.sent.add(name)
  }

  /** No other child follows: the process ends with the one that there is, or has ended with the last one. */
  stop(): void {
    this.isOver = true
    this.told?.finish()
    this.hurry.openUnsafe()
    this.up.openUnsafe()
    Deferred.doneUnsafe(this.next, Effect.void)
  }

  /**
   * Ends the child with a signal, and what is left of it after the grace; completes when the next one runs. False if
   * none follows, since the process has ended or is asked to end.
   */
  restart({ signal, millis }: Grace): Effect.Effect<boolean> {
    return Effect.suspend(() => {
      if (this.isFinal) return Effect.succeed(false)
      const { life, told, next } = this
      // Another one begins at this moment.
      if (life === undefined && told?.exit === undefined) return Effect.as(this.up.await, true)
      this.isAsked = true
      this.hurry.openUnsafe()
      const ending = Effect.gen(function* () {
        if (life === undefined || told === undefined) return
        yield* Effect.ignore(millis === 0 ? life.child.kill : life.child.signal(signal))
        if (signal !== "SIGSTOP") yield* Effect.ignore(life.child.signal("SIGCONT"))
        yield* Effect.timeoutOption(told.whenExited, millis)
        if (told.exit === undefined) yield* life.child.kill
      })
      return Effect.map(Effect.andThen(ending, Deferred.await(next)), () => !this.isFinal)
    })
  }

  private begin(spec: SpawnSpec, events: SpawnEvents): Effect.Effect<ChildHandle, SpawnError> {
    const { kept, sent } = this
    const stdio =
      spec.stdio.kind === "pty" ? { ...spec.stdio, size: kept.size ?? spec.stdio.size } : spec.stdio
    return Effect.gen({ self: this }, function* () {
      const scope = yield* Scope.make()
      sent.clear()
      const told = new ChildReports(events, streamsOf(stdio), (status) => this.follows(status))
      this.told = told
      const child = yield* Scope.provide(this.spawner.spawn({ ...spec, stdio }, told.events), scope).pipe(
        Effect.onError(() => Scope.close(scope, Exit.void)),
      )
      this.life = { child, scope, begunAt: yield* Clock.currentTimeMillis }
      if (kept.paused) child.pause?.()
      if (kept.stdinEnded) yield* child.endStdin
      this.up.openUnsafe()
      return child
    }).pipe(Effect.uninterruptible)
  }

  private follows(status: ExitStatus): boolean {
    if (this.isOver) return false
    if (this.isAsked) return true
    return !isEndBy(status, this.sent) && follows(this.policy, status, this.automatic)
  }

  /** One child after the other, until none follows. */
  private follow(spec: SpawnSpec, events: SpawnEvents): Effect.Effect<void> {
    return Effect.gen({ self: this }, function* () {
      let pause = 0
      for (;;) {
        const { told, life } = this
        if (told === undefined) return
        yield* told.whenExited
        if (told.isFinal) return Deferred.doneUnsafe(this.next, Effect.void)
        const ran = life === undefined ? 0 : (yield* Clock.currentTimeMillis) - life.begunAt
        if (life !== undefined) yield* this.clear(life, told)
        pause = pauseAfter(pause, ran)
        if (!this.isAsked) yield* Effect.raceFirst(Effect.sleep(pause), this.hurry.await)
        if (this.isFinal) return
        if (this.isAsked) pause = 0
        else this.automatic += 1
        this.isAsked = false
        this.hurry.closeUnsafe()
        this.count += 1
        const next = this.next
        this.next = Deferred.makeUnsafe()
        const changed = Effect.sync(() => this.process.onChange("restarted"))
        yield* Effect.catch(Effect.tap(this.begin(spec, events), changed), (error) => this.failed(error))
        Deferred.doneUnsafe(next, Effect.void)
      }
    })
  }

  /** A child that could not be started counts as one that has failed. */
  private failed({ reason, message }: SpawnError): Effect.Effect<void> {
    this.told?.fail(reason === "NotFound" || reason === "NotInPath" ? 127 : 126)
    return Effect.logWarning(`a process could not be started again: ${message}`)
  }

  /** Completes when nothing is left of a child that has exited, and all that it has written was read. */
  private clear({ child, scope }: Life, told: ChildReports): Effect.Effect<void> {
    return Effect.gen({ self: this }, function* () {
      yield* child.kill
      while (told.isOpen) {
        const { pauses } = this.kept
        yield* Effect.timeoutOption(told.whenDrained, farewellMillis)
        // Nothing is read while a client lags.
        if (!this.kept.paused && this.kept.pauses === pauses) break
      }
      if (told.isOpen) yield* child.abandonOutput
      this.life = undefined
      if (!this.isFinal) this.up.closeUnsafe()
      yield* Scope.close(scope, Exit.void)
    })
  }
}

/**
 * The reports of one child on their way to the process: its output at once, its end only if no other child follows.
 * Then everything is passed on, as if nothing stood between.
 */
class ChildReports {
  /** For the spawner. */
  readonly events: SpawnEvents
  /** Its end. */
  exit: { readonly status: ExitStatus; readonly ending: Ending | undefined } | undefined
  /** True once the end was passed to the process. */
  isFinal = false
  private readonly outer: SpawnEvents
  private readonly open: Set<OutputStream>
  private readonly ended = new Set<OutputStream>()
  private readonly exited = Deferred.makeUnsafe<void>()
  private readonly drained = Deferred.makeUnsafe<void>()

  /** `follows` says, at its exit, whether another child follows. */
  constructor(
    outer: SpawnEvents,
    streams: ReadonlyArray<OutputStream>,
    follows: (status: ExitStatus) => boolean,
  ) {
    this.outer = outer
    this.open = new Set(streams)
    this.events = {
      output: outer.output,
      end: (stream) => {
        this.open.delete(stream)
        this.ended.add(stream)
        if (this.isFinal) outer.end(stream)
        if (this.open.size === 0) Deferred.doneUnsafe(this.drained, Effect.void)
      },
      exit: (status, ending) => {
        if (this.exit !== undefined) return
        this.exit = { status, ending }
        if (!follows(status)) this.finish()
        Deferred.doneUnsafe(this.exited, Effect.void)
      },
    }
  }

  /** Tells the process what was held back; the child has ended. */
  finish(): void {
    if (this.isFinal || this.exit === undefined) return
    this.isFinal = true
    for (const stream of this.ended) this.outer.end(stream)
    this.outer.exit(this.exit.status, this.exit.ending)
  }

  /** It could not even be started: the code is that of a shell. */
  fail(code: number): void {
    for (const stream of this.open) this.events.end(stream)
    this.events.exit({ kind: "exited", code })
  }

  get whenExited(): Effect.Effect<void> {
    return Deferred.await(this.exited)
  }

  /** Completes when every stream is at EOF. */
  get whenDrained(): Effect.Effect<void> {
    return Deferred.await(this.drained)
  }

  /** True if some stream may still bring output. */
  get isOpen(): boolean {
    return this.open.size > 0
  }
}

/** The children of one process, as far as its handle needs them. */
export interface Children {
  /** The child; undefined between two. */
  readonly life: { readonly child: ChildHandle } | undefined
  /** Open while there is a child, and when none follows. */
  readonly up: Latch.Latch
  /** Settings of the next child, as those of the children before. */
  readonly kept: Kept
  /** True if no other child follows. */
  readonly isFinal: boolean
  /** True if another child is expected to follow the one that there is. */
  readonly mayFollow: boolean
  readonly note: (name: SignalName) => void
  /** No other child follows. */
  readonly stop: () => void
}

/** Settings of every child of a process from now on. */
export interface Kept {
  /** True if its output is not read now. */
  paused: boolean
  /** Number of pauses so far. */
  pauses: number
  /** Its stdin has ended. */
  stdinEnded: boolean
  /** The size of its terminal, if that was set. */
  size: TerminalSize | undefined
}

/** The handle of a process; `first` says what its children can do. */
export const restarted = (all: Children, first: ChildHandle): ChildHandle => {
  const { kept } = all
  /** Does it with the child, if there is one. */
  const now = <A, E>(use: (child: ChildHandle) => Effect.Effect<A, E>, otherwise: A): Effect.Effect<A, E> =>
    Effect.suspend(() => (all.life === undefined ? Effect.succeed(otherwise) : use(all.life.child)))

  const write: ChildHandle["write"] = (bytes, writeId) =>
    Effect.suspend(() => {
      if (all.life === undefined && !all.isFinal) return Effect.andThen(all.up.await, write(bytes, writeId))
      const { child } = all.life ?? { child: first }
      // Input that a child did not read is lost with it; the next one gets what is written then.
      return Effect.catch(child.write(bytes, writeId), (error) =>
        all.mayFollow ? Effect.void : Effect.fail(error),
      )
    })

  return {
    get pid() {
      return all.life?.child.pid
    },
    write,
    endStdin: Effect.suspend(() => {
      kept.stdinEnded = true
      return now((child) => child.endStdin, undefined)
    }),
    signal: (name) =>
      Effect.suspend(() => {
        all.note(name)
        return now((child) => child.signal(name), undefined)
      }),
    kill: Effect.suspend(() => {
      all.stop()
      return now((child) => child.kill, undefined)
    }),
    abandonOutput: now((child) => child.abandonOutput, undefined),
    lingering: now((child) => child.lingering, false),
    ...(first.unread && { unread: now((child) => child.unread ?? Effect.succeed(false), false) }),
    outlived: now((child) => child.outlived ?? Effect.succeed(false), false),
    ...(first.resize === undefined
      ? {}
      : {
          resize: (size) => {
            kept.size = size
            return now((child) => child.resize?.(size) ?? Effect.void, undefined)
          },
        }),
    ...(first.pause === undefined || first.resume === undefined
      ? {}
      : {
          pause: () => {
            kept.paused = true
            kept.pauses += 1
            all.life?.child.pause?.()
          },
          resume: () => {
            kept.paused = false
            all.life?.child.resume?.()
          },
        }),
  }
}
