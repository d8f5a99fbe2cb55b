/** From effects to promises and async iterables, for the clients of programs without Effect. */
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Scope from "effect/Scope"
import { utf8Decoder } from "../protocol/Bytes.ts"
import type { OutputStream } from "../protocol/Process.ts"
import type { Subscription } from "./EventFeed.ts"
import { toError } from "./EventStreams.ts"
import type { ProcessEvent } from "./ProcessEvent.ts"

/** A process with events to take a place in. */
export interface Subscribed {
  readonly subscribe: Effect.Effect<Subscription>
}

/** The events that `pick` answers for, in a place of its own that is given up with the loop. */
export async function* iterate<A>(
  process: Subscribed,
  pick: (event: ProcessEvent) => A | undefined,
): AsyncGenerator<A, void, void> {
  const { next, close } = await promise(process.subscribe)
  try {
    for (let batch = await promise(next); batch !== undefined; batch = await promise(next)) {
      for (const event of batch) {
        const picked = pick(event)
        if (picked !== undefined) yield picked
      }
    }
  } finally {
    close()
  }
}

export async function* text(
  process: Subscribed,
  stream: OutputStream | undefined,
): AsyncGenerator<string, void, void> {
  const decoders = { stdout: utf8Decoder(), stderr: utf8Decoder(), pty: utf8Decoder() }
  for await (const { stream: from, bytes } of iterate(process, (event) => outputOf(event, stream))) {
    const piece = decoders[from].decode(bytes, { stream: true })
    if (piece !== "") yield piece
  }
  const rest = Object.values(decoders)
    .map((decoder) => decoder.decode())
    .join("")
  if (rest !== "") yield rest
}

/** Output of the wanted stream; a failure is thrown, because bytes cannot tell of it. */
export const outputOf = (event: ProcessEvent, wanted: OutputStream | undefined) => {
  if (event.kind === "failed") throw toError(event)
  return event.kind === "output" && (wanted === undefined || event.stream === wanted) ? event : undefined
}

/** The edge: an effect as a promise that rejects with the error itself. */
export const promise = <A, E>(effect: Effect.Effect<A, E>): Promise<A> =>
  Effect.runPromiseExit(effect).then((exit) => {
    if (Exit.isSuccess(exit)) return exit.value
    throw Cause.squash(exit.cause)
  })

/** What lives in a scope, and the end of that scope. */
export const scoped = <A, E>(
  effect: Effect.Effect<A, E, Scope.Scope>,
): Promise<readonly [value: A, close: () => Promise<void>]> =>
  promise(
    Effect.gen(function* () {
      const scope = yield* Scope.make()
      const value = yield* effect.pipe(
        Scope.extend(scope),
        Effect.onError((cause) => Scope.close(scope, Exit.failCause(cause))),
      )
      return [value, () => promise(Scope.close(scope, Exit.void))] as const
    }),
  )
