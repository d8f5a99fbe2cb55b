/**
 * Detects the loss of a server. A silent one is asked, and is gone when nothing comes from it for as long again: no
 * answer, no event, no byte.
 *
 * That is judged only where an answer is due: not while this client does not read (then it only shows the server that
 * it is there), and not while a server that may answer one request after the other has another one to answer. If a
 * long answer on its way looks like silence, it has more time. A program that was stopped for a while is no reason
 * either: the silence is looked at several times, each after a wait.
 */
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { ClientError } from "./ClientError.ts"
import { invalid } from "./OptionNames.ts"

/** The connection, as the heartbeat sees it. */
export interface Line {
  /** Grows with everything that comes from the server. */
  readonly received: () => number
  /** True while this client does not read. */
  readonly held: () => boolean
  /** True while an answer may be delayed by other requests. */
  readonly busy: () => boolean
  /** True while an answer that has come in part may be all that comes. */
  readonly slow: () => boolean
  /** Sends a request that every server answers. */
  readonly ask: () => void
  /** Sends something that needs no answer. */
  readonly show: () => void
}

/** The looks at the silence after a question. */
const looks = 3

/** So many times as often where the link is slow: 256 KiB/s bring a frame of 16 MiB in time with the usual heartbeat. */
const patience = 4

/** Completes when the server is gone; asks after each `every` of silence. */
export const watch = (every: Duration.Duration, line: Line): Effect.Effect<void> =>
  Effect.gen(function* () {
    const part = Duration.millis(Math.ceil(Duration.toMillis(every) / looks))
    for (;;) {
      const before = line.received()
      yield* Effect.sleep(every)
      if (line.held()) line.show()
      if (line.held() || line.received() !== before || line.busy()) continue
      line.ask()
      let silent = 0
      const most = () => looks * (line.slow() ? patience : 1)
      while (silent < most() && line.received() === before && !line.held() && !line.busy()) {
        yield* Effect.sleep(part)
        silent += 1
      }
      if (silent >= most() && line.received() === before) return
    }
  })

/** The bounds of `heartbeat`. */
const [least, most] = [Duration.millis(100), Duration.hours(1)]

/** 15 seconds. */
export const defaultEvery = Duration.seconds(15)

/** The option as a time; undefined if there is no heartbeat. Fails with `InvalidOption`. */
export const parse = (
  option: Duration.Input | false = defaultEvery,
): Effect.Effect<Duration.Duration | undefined, ClientError> => {
  if (option === false) return Effect.succeed(undefined)
  const every = Option.getOrUndefined(Duration.fromInput(option))
  return every !== undefined && Duration.between(every, { minimum: least, maximum: most })
    ? Effect.succeed(every)
    : Effect.fail(
        invalid(
          `heartbeat must be a time from 100 milliseconds to 1 hour, or false: ${JSON.stringify(String(option))}`,
        ),
      )
}
