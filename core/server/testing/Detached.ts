/** A session whose connection has ended, for tests of resumption. */
import * as Effect from "effect/Effect"
import { settle } from "../../testing/Effects.ts"
import { event, ready, start } from "./Client.ts"

/** A server with one detached session, in which these processes run. */
export const detached = (...ids: ReadonlyArray<string>) =>
  Effect.gen(function* () {
    const { connect, client, fake, sessionId } = yield* ready()
    for (const id of ids) yield* client.ask("process/start", start(id))
    yield* client.transport.close
    yield* settle
    const [child, ...others] = fake.children
    if (child === undefined) return yield* Effect.die(new Error("no child"))
    /** Resumes the session; returns what was received, in order. */
    const resume = (replayAfter: unknown) =>
      Effect.gen(function* () {
        const next = yield* connect
        next.send({
          id: 1,
          method: "initialize",
          params: { clientName: "again", resumeSessionId: sessionId, replayAfter },
        })
        return { next, came: (yield* next.received).map((one) => (one.id === 1 ? "answer" : event(one))) }
      })
    return { child, others, connect, fake, resume, sessionId }
  })
