/** The tools over the real server with scripted children, for tests in virtual time. */
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as ExecClient from "../../client/ExecClient.ts"
import * as TestServer from "../../testing/TestServer.ts"
import * as UnifiedExec from "../UnifiedExec.ts"

export const make = (options?: UnifiedExec.Options, ...server: Parameters<typeof TestServer.make>) =>
  Effect.gen(function* () {
    const { fake, connect } = yield* TestServer.make(...server)
    const client = yield* ExecClient.make(yield* connect)
    const tools = yield* UnifiedExec.make(client, options)
    return { fake, client, tools }
  })

/** True once the fiber has ended. */
export const ended = (fiber: Fiber.Fiber<unknown, unknown>) =>
  Effect.map(Fiber.poll(fiber), ({ _tag }) => _tag === "Some")
