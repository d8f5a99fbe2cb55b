/** The tools over the real server with scripted children, for tests in virtual time. */
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as ExecClient from "../../client/ExecClient.ts"
import { settle } from "../../testing/Effects.ts"
import * as TestServer from "../../testing/TestServer.ts"
import type { ExecBackend } from "../ExecBackend.ts"
import type { ExecCommand } from "../Tools.ts"
import * as UnifiedExec from "../UnifiedExec.ts"

/** The client, on a host without a search for processes in the background. */
export const unwatched = <Client extends ExecBackend>(client: Client): Client => ({
  ...client,
  environmentInfo: { ...client.environmentInfo, platformOs: "other" },
})

export const make = (options?: UnifiedExec.Options, ...server: Parameters<typeof TestServer.make>) =>
  Effect.gen(function* () {
    const { fake, connect } = yield* TestServer.make(...server)
    const client = unwatched(yield* ExecClient.make(yield* connect))
    const tools = yield* UnifiedExec.make(client, options)
    return { fake, client, tools }
  })

/** True once the fiber has ended. */
export const ended = (fiber: Fiber.Fiber<unknown, unknown>) =>
  Effect.sync(() => fiber.pollUnsafe() !== undefined)

/** A call that has begun, and its child. */
export const begun = (args: Omit<ExecCommand, "cmd">, made: Effect.Success<ReturnType<typeof make>>) =>
  Effect.gen(function* () {
    const call = yield* Effect.forkChild(made.tools.execCommand({ cmd: "x", ...args }))
    return { ...made, call, child: yield* made.fake.next }
  })

/** A command that prints this and exits. */
export const printed = (
  made: Effect.Success<ReturnType<typeof make>>,
  text: string,
  max_output_tokens: number,
) =>
  Effect.gen(function* () {
    const call = yield* Effect.forkChild(made.tools.execCommand({ cmd: "seq", max_output_tokens }))
    const child = yield* made.fake.next
    child.output("stdout", text)
    child.finish(0)
    yield* settle
    return yield* Fiber.join(call)
  })
