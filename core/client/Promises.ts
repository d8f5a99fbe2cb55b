/** Turns effects into promises, and events into async iterables. */
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import { identity } from "effect/Function"
import * as Exit from "effect/Exit"
import * as Scope from "effect/Scope"
import type * as Stream from "effect/Stream"
import { utf8Decoder } from "../protocol/Bytes.ts"
import type { OutputStream } from "../protocol/Process.ts"
import { type Pull, type Subscription, toError } from "./EventFeed.ts"
import { type CallOptions, inSteps } from "./GivingUp.ts"
import { invalid, shown } from "./OptionNames.ts"
import { type LineOptions, TextLines } from "./TextLines.ts"
import type { Page, Pages } from "./Lists.ts"
import type { ProcessEvent } from "./ProcessEvent.ts"
import type { RoleSubscription } from "./ProcessFollower.ts"

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
 * Each member as promises have it: the number of its arguments (0 for an effect), or `value` for an effect whose
 * promise is a property, which may be left unawaited.
 */
export type Arities<T> = {
  readonly [K in keyof T]: T[K] extends (...args: infer P) => unknown
    ? Required<P>["length"]
    : T[K] extends Effect.Effect<unknown, unknown>
      ? 0 | "value"
      : never
}

type ValuesOf<A> = { readonly [K in keyof A]: A[K] extends "value" ? K : never }[keyof A]

type Values<T> = { readonly [K in keyof T]: Plain<T[K]> }

/** The members of an interface in Effect with these arities, as programs without it have them. */
export type ByArity<T, A> = Promised<Pick<T, keyof T & Exclude<keyof A, ValuesOf<A>>>> &
  Values<Pick<T, keyof T & ValuesOf<A>>>

/** Those members of `source`, each of which is an effect or makes one, as promises; beside members of `own`. */
export const promised = <T extends object, const A extends Partial<Arities<T>>, O extends object>(
  source: T,
  arities: A,
  own: O,
): ByArity<T, A> & O => {
  for (const [name, arity] of Object.entries<number | "value" | undefined>(arities)) {
    const member = source[name as keyof T] as
      | Effect.Effect<unknown>
      | ((...args: unknown[]) => Effect.Effect<unknown>)
    const call = (...args: ReadonlyArray<unknown>) =>
      promise(
        typeof member === "function" ? member(...args.slice(0, arity as number)) : member,
        args[arity as number] as CallOptions | undefined,
      )
    const value = { get: () => unawaited(member as Effect.Effect<unknown>) }
    Object.defineProperty(own, name, {
      ...(arity === "value" ? value : { value: call }),
      enumerable: true,
      configurable: true,
    })
  }
  return own as ByArity<T, A> & O
}

/** A process with events. */
export interface EventSource {
  readonly subscribe: Effect.Effect<Subscription>
}

/** The pieces of a subscription, which ends with the loop. */
async function* subscribed<A>(
  subscribe: Effect.Effect<Pull<A>>,
  how?: CallOptions,
): AsyncGenerator<A, void, void> {
  const step = steps(how)
  const { next, close } = await step(subscribe)
  try {
    for (let one = await step(next); one !== undefined; one = await step(next)) yield one
  } finally {
    close()
  }
}

/** The results of `pick` for the events, without undefined. */
export async function* iterate<A>(
  process: EventSource,
  pick: (event: ProcessEvent) => A | undefined,
  how?: CallOptions,
): AsyncGenerator<A, void, void> {
  for await (const batch of subscribed(process.subscribe, how)) {
    for (const event of batch) {
      const picked = pick(event)
      if (picked !== undefined) yield picked
    }
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

/** True while the client writes to a process, at each change. */
export const roles = (
  process: { readonly subscribeWriting: Effect.Effect<RoleSubscription> },
  how?: CallOptions,
): AsyncGenerator<boolean, void, void> => subscribed(process.subscribeWriting, how)

/** The rows of all pages; a page is asked for when the rows before it are taken. */
export async function* paged<Row>(pages: Pages<Row>, how?: CallOptions): AsyncGenerator<Row, void, void> {
  const step = steps(how)
  for (let cursor: string | null = null; ;) {
    const { rows, next }: Page<Row> = await step(pages(cursor))
    yield* rows
    if (next === null) return
    cursor = next
  }
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
