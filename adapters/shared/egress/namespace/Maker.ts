/**
 * A process of our own in other namespaces, `procwire netns`, which makes descriptors there for this one. They are
 * copied out of it with `pidfd_getfd`, which needs Linux 5.6.
 */
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Queue from "effect/Queue"
import * as RcRef from "effect/RcRef"
import type * as Scope from "effect/Scope"
import type * as Spawner from "../../../../core/spawn/Spawner.ts"
import * as OwnProgram from "../../confine/OwnProgram.ts"
import type { Ffi } from "../../process/posix/Ffi.ts"
import * as ForeignDescriptors from "../../process/posix/ForeignDescriptors.ts"
import * as Mint from "./Mint.ts"

/** Makes the error of a text. */
export type Fail<E> = (why: string, cause?: unknown) => E

export interface Maker<E = unknown> {
  /** Sends a request, and gives the line of its answer. One at a time. */
  readonly ask: (request: number) => Effect.Effect<string, E>
  /** Has the descriptors of the last answer closed there. */
  readonly drop: Effect.Effect<void, E>
  /** A copy of a descriptor of it; it is closed on exec. Throws. */
  readonly copy: (fd: number) => number
  readonly close: (fd: number) => void
  readonly hasEnded: () => boolean
}

export interface Options {
  /** Starts it. */
  readonly spawner: Spawner.SpawnerService
  /** The program procwire. */
  readonly command: OwnProgram.Command
  readonly ffi: Ffi
  /** The command line that enters its namespaces, in front of its own. */
  readonly enter: ReadonlyArray<string>
}

/** Only a hang reaches this deadline of an answer: a starved machine takes its time. */
const longest = "60 seconds"

/** Starts one, until the scope ends. */
export const start = <E>(
  { spawner, command, ffi, enter }: Options,
  fail: Fail<E>,
): Effect.Effect<Maker<E>, E | Effect.Error<ReturnType<Spawner.SpawnerService["spawn"]>>, Scope.Scope> =>
  Effect.gen(function* () {
    const own = yield* attempt(fail, () => OwnProgram.make(command, true, ["netns"], ""))
    const calls = yield* attempt(fail, () => ForeignDescriptors.make(ffi))
    const lines = yield* Queue.unbounded<string, E>()
    const child = yield* spawner.spawn(
      {
        argv: [...enter, ...own.argv] as [string, ...Array<string>],
        cwd: "/",
        env: own.env,
        stdio: { kind: "pipe", stdin: true },
      },
      eventsInto(lines, fail),
    )
    const line = Effect.timeoutOrElse(Queue.take(lines), {
      duration: longest,
      orElse: () => Effect.fail(fail("the program for network namespaces does not answer in time")),
    })
    const send = (request: number) =>
      Effect.mapError(child.write(Uint8Array.of(request)), (cause) => fail(ended, cause))
    const pid = Number(yield* line)
    // It is opened before an answer comes, so it is of the process that answers.
    const pidfd = yield* Effect.acquireRelease(
      attempt(fail, () => calls.open(pid)),
      (fd) => Effect.sync(() => calls.close(fd)),
    )
    return {
      ask: (request) => Effect.andThen(send(request), line),
      drop: send(Mint.DROP),
      copy: (fd) => calls.copy(pidfd, fd),
      close: calls.close,
      hasEnded: () => lines.state._tag !== "Open",
    }
  })

/** The one that runs: another one where the one before has ended. */
export const living = <M extends { readonly hasEnded: () => boolean }, E>(
  ref: RcRef.RcRef<M, E>,
): Effect.Effect<M, E, Scope.Scope> =>
  Effect.flatMap(RcRef.get(ref), (each) =>
    each.hasEnded() ? Effect.andThen(RcRef.invalidate(ref), RcRef.get(ref)) : Effect.succeed(each),
  )

const ended = "what makes network namespaces has ended"

/** A value whose making may throw. */
export const attempt = <A, E>(fail: Fail<E>, evaluate: () => A): Effect.Effect<A, E> =>
  Effect.try({
    try: evaluate,
    catch: (cause) => fail(cause instanceof Error ? cause.message : String(cause), cause),
  })

/** The events of that process: its lines, and after its end a failure with its last words. */
const eventsInto = <E>(lines: Queue.Enqueue<string, E>, fail: Fail<E>): Spawner.SpawnEvents => {
  const texts = { stdout: "", stderr: "" }
  let open = 2
  return {
    output: (stream, bytes) => {
      const text = new TextDecoder().decode(bytes)
      if (stream === "stderr") texts.stderr += text
      if (stream !== "stdout") return
      const whole = (texts.stdout + text).split("\n")
      texts.stdout = whole.pop() ?? ""
      for (const each of whole) Queue.offerUnsafe(lines, each)
    },
    end: () => {
      open--
      if (open === 0) Queue.failCauseUnsafe(lines, Cause.fail(fail(texts.stderr.trim() || ended)))
    },
    exit: () => {},
  }
}
