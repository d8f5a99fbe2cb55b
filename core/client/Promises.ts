/** Turns effects into promises, and events into async iterables. */
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import { identity } from "effect/Function"
import * as Exit from "effect/Exit"
import * as Pull from "effect/Pull"
import * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import { utf8Decoder } from "../protocol/Bytes.ts"
import type { OutputStream } from "../protocol/Process.ts"
import { type Subscription, toError } from "./EventFeed.ts"
import { type CallOptions, inSteps } from "./GivingUp.ts"
import { invalid, shown } from "./OptionNames.ts"
import { type LineOptions, TextLines } from "./TextLines.ts"
import type { ProcessEvent } from "./ProcessEvent.ts"

/**
 * The members of an interface in Effect as programs without it have them: promises in place of effects, loops in place
 * of streams, and functions in place of both; the last argument says how a call is given up.
 */
export type Promised<T> = {
  readonly [K in keyof T]: T[K] extends (...args: infer P) => infer R
    ? (...args: [...P, how?: CallOptions]) => Plain<R>
    : (how?: CallOptions) => Plain<T[K]>
}

/** An effect is a stream as well. */
type Plain<R> =
  R extends Effect.Effect<infer A, infer _E>
    ? Promise<A>
    : R extends Stream.Stream<infer A, infer _E>
      ? AsyncIterable<A>
      : never

/**
 * Each member as promises have it: the number of its arguments (0 for an effect or a stream), or `value` for an effect
 * whose promise is a property, which may be left unawaited.
 */
export type Arities<T> = {
  readonly [K in keyof T]: T[K] extends (...args: infer P) => unknown
    ? Required<P>["length"]
    : T[K] extends Effect.Effect<unknown, unknown>
      ? 0 | "value"
      : T[K] extends Stream.Stream<unknown, unknown>
        ? 0
        : never
}

type ValuesOf<A> = { readonly [K in keyof A]: A[K] extends "value" ? K : never }[keyof A]

type Values<T> = { readonly [K in keyof T]: Plain<T[K]> }

/** The members of an interface in Effect with these arities, as programs without it have them. */
export type ByArity<T, A> = Promised<Pick<T, keyof T & Exclude<keyof A, ValuesOf<A>>>> &
  Values<Pick<T, keyof T & ValuesOf<A>>>

/** Those members of `source`, effects and streams or functions that make them, as promises; beside members of `own`. */
export const promised = <T extends object, const A extends Partial<Arities<T>>, O extends object>(
  source: T,
  arities: A,
  own: O,
): ByArity<T, A> & O => {
  for (const [name, arity] of Object.entries<number | "value" | undefined>(arities)) {
    const member = source[name as keyof T] as Running | ((...args: unknown[]) => Running)
    const call = (...args: ReadonlyArray<unknown>) => {
      const running = typeof member === "function" ? member(...args.slice(0, arity as number)) : member
      const how = args[arity as number] as CallOptions | undefined
      return Effect.isEffect(running) ? promise(running, how) : loop(running, how)
    }
    const value = { get: () => unawaited(member as Effect.Effect<unknown>) }
    Object.defineProperty(own, name, {
      ...(arity === "value" ? value : { value: call }),
      enumerable: true,
      configurable: true,
    })
  }
  return own as ByArity<T, A> & O
}

type Running = Effect.Effect<unknown> | Stream.Stream<unknown>

/** The items of a stream, which ends with the loop. */
export async function* loop<A, E>(
  stream: Stream.Stream<A, E>,
  how?: CallOptions,
): AsyncGenerator<A, void, void> {
  const step = steps(how)
  const [pull, end] = await step(scoped(Stream.toPull(stream)))
  const next = Pull.catchDone(pull, () => Effect.succeed(undefined))
  try {
    for (let items = await step(next); items !== undefined; items = await step(next)) yield* items
  } finally {
    await ending(end, how).catch(() => {})
  }
}

/** A process with events. */
export interface EventSource {
  readonly subscribe: Effect.Effect<Subscription>
}

/** The results of `pick` for the events, without undefined. */
export async function* iterate<A>(
  process: EventSource,
  pick: (event: ProcessEvent) => A | undefined,
  how?: CallOptions,
): AsyncGenerator<A, void, void> {
  const step = steps(how)
  const { next, close } = await step(process.subscribe)
  try {
    for (let batch = await step(next); batch !== undefined; batch = await step(next)) {
      for (const event of batch) {
        const picked = pick(event)
        if (picked !== undefined) yield picked
      }
    }
  } finally {
    close()
  }
}

/** The output as it comes. */
export const output = (
  process: EventSource,
  stream: OutputStream | undefined,
  how?: CallOptions,
): AsyncGenerator<Uint8Array, void, void> => {
  const subscribe = Effect.suspend(() => {
    checkStream(stream)
    return process.subscribe
  })
  return iterate({ subscribe }, (event) => outputOf(event, stream)?.bytes, how)
}

/** The output as UTF-8 text, in pieces that never cut a character. */
export async function* text(
  process: EventSource,
  stream: OutputStream | undefined,
  how?: CallOptions,
): AsyncGenerator<string, void, void> {
  checkStream(stream)
  const decoders = { stdout: utf8Decoder(), stderr: utf8Decoder(), pty: utf8Decoder() }
  for await (const { stream: from, bytes } of iterate(process, (event) => outputOf(event, stream), how)) {
    const piece = decoders[from].decode(bytes, { stream: true })
    if (piece !== "") yield piece
  }
  const rest = Object.values(decoders)
    .map((decoder) => decoder.decode())
    .join("")
  if (rest !== "") yield rest
}

/** The output as lines; those of two streams are not mixed. */
export async function* lines(
  process: EventSource,
  stream: OutputStream | undefined,
  { maxLineLength, ...how }: LineOptions = {},
): AsyncGenerator<string, void, void> {
  checkStream(stream)
  const texts = new Map<OutputStream, TextLines>()
  const step = Object.keys(how).length === 0 ? undefined : how
  for await (const { stream: from, bytes } of iterate(process, (event) => outputOf(event, stream), step)) {
    const mine = texts.get(from) ?? new TextLines(maxLineLength)
    texts.set(from, mine)
    yield* mine.push(bytes)
  }
  for (const rest of texts.values()) yield* rest.end()
}

/** Programs in JavaScript may name another one, from which nothing would ever come. */
const checkStream = (stream: string | undefined): void => {
  if (stream === undefined || stream === "stdout" || stream === "stderr" || stream === "pty") return
  throw invalid(`the streams of a process are stdout, stderr and pty, and none is ${shown(stream)}`)
}

/** The event if it is output of the wanted stream. Throws for `failed`: bytes cannot express it. */
const outputOf = (event: ProcessEvent, wanted: OutputStream | undefined) => {
  if (event.kind === "failed") throw toError(event)
  return event.kind === "output" && (wanted === undefined || event.stream === wanted) ? event : undefined
}

/** Runs an effect as a promise that rejects with the error itself; it is given up as `how` says. */
export const promise = <A, E>(effect: Effect.Effect<A, E>, how?: CallOptions): Promise<A> =>
  steps(how)(effect)

/** The same for the effects of one loop, which is given up as a whole. */
export const steps = (how: CallOptions | undefined): (<A, E>(effect: Effect.Effect<A, E>) => Promise<A>) => {
  const givenUp = inSteps(how)
  return (effect) =>
    Effect.runPromiseExit(givenUp(effect)).then((exit) => {
      if (Exit.isSuccess(exit)) return exit.value
      throw Cause.squash(exit.cause)
    })
}

/** The same for a promise that a program need not await: its rejection is never an unhandled one. */
export const unawaited = <A, E>(effect: Effect.Effect<A, E>): Promise<A> => {
  const made = promise(effect)
  made.catch(() => {})
  return made
}

/** Begins an end, whatever `how` says: an end that is given up is not waited for, and goes on. */
export const ending = <E>(end: Effect.Effect<void, E>, how?: CallOptions): Promise<void> => {
  const ended = unawaited(end)
  return promise(Effect.tryPromise({ try: () => ended, catch: identity }), how)
}

/** Acquires a value in a scope of its own, which `close` ends. */
export const scoped = <A, E>(
  effect: Effect.Effect<A, E, Scope.Scope>,
): Effect.Effect<readonly [value: A, close: Effect.Effect<void>], E> =>
  Effect.gen(function* () {
    const scope = yield* Scope.make()
    const value = yield* effect.pipe(
      Scope.provide(scope),
      Effect.onError((cause) => Scope.close(scope, Exit.failCause(cause))),
    )
    return [value, Scope.close(scope, Exit.void)] as const
  })
