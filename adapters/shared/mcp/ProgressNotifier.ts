/**
 * Progress notifications of a call: its session, its output as it comes, and a heartbeat while there is none, so that a
 * client whose timeout is reset by progress does not give up.
 *
 * The rate is bounded whatever a program prints: at most one notification per 100 ms, none while the previous one waits
 * to be sent, each with the last 4096 characters since.
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Latch from "effect/Latch"
import type * as Scope from "effect/Scope"
import type { Watcher } from "../../../core/agent/Session.ts"

export interface Notification {
  /** Milliseconds since the call began; grows with each notification. */
  readonly progress: number
  readonly message?: string
}

/** The pause between notifications, the silence before a heartbeat, and the longest message in UTF-16 units. */
export const bounds = { pauseMillis: 100, silenceMillis: 5_000, characters: 4_096 }

/** Watches a call until the scope closes; the next notification waits until `send` is done. */
export const make = (
  send: (notification: Notification) => Effect.Effect<void>,
): Effect.Effect<Watcher, never, Scope.Scope> =>
  Effect.gen(function* () {
    const begun = yield* Clock.currentTimeMillis
    const news = yield* Latch.make(false)
    let message = ""
    let last = 0

    const tell = (text: string) => {
      message = tail(message + text)
      news.openUnsafe()
    }

    const next = Effect.gen(function* () {
      yield* Effect.timeoutOption(news.await, bounds.silenceMillis)
      news.closeUnsafe()
      last = Math.max(last + 1, (yield* Clock.currentTimeMillis) - begun)
      const taken = message
      message = ""
      yield* send({ progress: last, ...(taken === "" ? {} : { message: taken }) })
      yield* Effect.sleep(bounds.pauseMillis)
    })
    yield* Effect.forkScoped(Effect.forever(next))

    return {
      onSession: (id) => tell(`Process running with session ID ${id}\n`),
      onOutput: ({ text }) => tell(text),
    }
  })

/** The end of a text, without half a surrogate pair at its beginning. */
const tail = (text: string): string =>
  text.length <= bounds.characters ? text : text.slice(-bounds.characters).replace(/^[\uDC00-\uDFFF]/, "")
