/**
 * The output of each command as a resource: listed while the command is known, read as text, and a client that
 * subscribes to it gets a notification when it has grown or the command has ended.
 *
 * The rate is bounded whatever a command prints: at most one notification per 100 ms for each resource, none while the
 * previous one waits to be sent.
 */
import * as Effect from "effect/Effect"
import * as Latch from "effect/Latch"
import type * as Scope from "effect/Scope"
import type { Change, Commands, Known } from "../../../core/agent/Commands.ts"
import * as Notices from "../../../core/agent/Notices.ts"
import * as Reply from "../../../core/agent/Reply.ts"
import type { ToolError } from "../../../core/agent/ToolError.ts"
import type { ReadOutput } from "../../../core/agent/Tools.ts"
import type { UnifiedExec } from "../../../core/agent/UnifiedExec.ts"
import type { ReadResourceResult, Resource } from "./McpSdk.ts"

/** The pause between two notifications, in milliseconds. */
export const pauseMillis = 100

export const template = {
  uriTemplate: "procwire://commands/{session_id}/output",
  name: "command output",
  description:
    "What the command with this session ID has printed. ?from_byte=N&to_byte=N reads a part of it.",
  mimeType: "text/plain",
}

export const uriOf = (id: number): string => `procwire://commands/${id}/output`

/** The arguments of `read_output` in an address; undefined for one of something else. */
export const argumentsOf = (uri: string): ReadOutput | undefined => {
  const [, id, query = ""] = /^procwire:\/\/commands\/(\d+)\/output(?:\?(.*))?$/.exec(uri) ?? []
  if (id === undefined) return undefined
  const given = new URLSearchParams(query)
  const part: { from_byte?: number; to_byte?: number } = {}
  for (const name of ["from_byte", "to_byte"] as const) {
    const text = given.get(name)
    if (text === null) continue
    if (!/^\d{1,15}$/.test(text)) return undefined
    part[name] = Number(text)
  }
  return { session_id: Number(id), ...part }
}

export const list = (commands: Commands): Array<Resource> => commands.all.map(resourceOf)

const resourceOf = ({ about, state, transcript }: Known): Resource => ({
  uri: uriOf(about.id),
  name: Notices.summary(about.command),
  description:
    state.kind === "running"
      ? `Output of session ID ${about.id}, which is running`
      : state.kind === "exited"
        ? `Output of session ID ${about.id}, which has exited with code ${state.exitCode}`
        : `Output of session ID ${about.id}, which is lost: ${state.failure}`,
  mimeType: "text/plain",
  size: transcript.written,
})

/** Most tokens of one answer. */
const mostTokens = 64 * 1024

/** Reads a part of the output. The missing part is in contents of its own, with the call that gets it. */
export const read = (
  tools: UnifiedExec,
  uri: string,
  args: ReadOutput,
): Effect.Effect<ReadResourceResult, ToolError> =>
  Effect.map(tools.readOutput({ ...args, max_output_tokens: mostTokens }), (reply) => {
    const [, ...rest] = Reply.toTexts(reply)
    const next = reply.rest?.call?.arguments
    const at = next && `${uriOf(args.session_id)}?from_byte=${next["from_byte"]}&to_byte=${next["to_byte"]}`
    return {
      contents: [
        { uri, mimeType: "text/plain", text: reply.output },
        ...rest.map((text) => ({ uri: at ?? uri, mimeType: "text/plain", text })),
      ],
    }
  })

export interface Notifications {
  /** The output of a command that it has subscribed to has grown, or the command has ended. */
  readonly updated: (uri: string) => Effect.Effect<void>
  /** There are others than before. */
  readonly listChanged: Effect.Effect<void>
}

/** Tells of changes until the scope closes. `subscribed` has the ids of those that the client has subscribed to. */
export const watch = (
  commands: Commands,
  subscribed: ReadonlySet<number>,
  send: Notifications,
): Effect.Effect<void, never, Scope.Scope> =>
  Effect.gen(function* () {
    const changed = new Set<number>()
    let list = false
    const news = yield* Latch.make(false)
    const listener = (change: Change) => {
      if (change.kind === "list") list = true
      else if (subscribed.has(change.id)) changed.add(change.id)
      else return
      news.openUnsafe()
    }
    yield* Effect.acquireRelease(
      Effect.sync(() => commands.listen(listener)),
      (stop) => Effect.sync(stop),
    )
    const next = Effect.gen(function* () {
      yield* news.await
      news.closeUnsafe()
      const ids = [...changed]
      changed.clear()
      const lists = list
      list = false
      if (lists) yield* send.listChanged
      yield* Effect.forEach(ids, (id) => send.updated(uriOf(id)), { discard: true })
      yield* Effect.sleep(pauseMillis)
    })
    yield* Effect.forkScoped(Effect.forever(next))
  })
