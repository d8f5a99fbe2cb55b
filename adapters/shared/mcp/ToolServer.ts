/**
 * The tools for one MCP client, and the output of its commands as resources, with the official SDK's server.
 *
 * A cancelled call stops waiting and leaves the process alone, unless it has `kill_on_cancel`. MCP forbids an answer to
 * it, so the next answer names the session that it began.
 */
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import * as Notices from "../../../core/agent/Notices.ts"
import type { Watcher } from "../../../core/agent/Session.ts"
import type { UnifiedExec } from "../../../core/agent/UnifiedExec.ts"
import type { Transport, TransportError } from "../../../core/transport/Transport.ts"
import type * as McpSdk from "./McpSdk.ts"
import * as McpTransport from "./McpTransport.ts"
import * as ProgressNotifier from "./ProgressNotifier.ts"
import * as Resources from "./Resources.ts"
import type { CallToolResult, Server, Tool } from "./McpSdk.ts"
import * as ToolResult from "./ToolResult.ts"

/** The name card of the server. */
export interface About {
  /** The version of procwire. */
  readonly version: string
  /** Tells the model where commands run. */
  readonly instructions: string
}

/** The SDK is an optional peer of the package; the bundled command brings its own copy. */
const loadSdk = Effect.promise(() =>
  import("./McpSdk.ts").catch((cause: unknown) => {
    const words = "procwire/mcp needs the MCP SDK: npm install @modelcontextprotocol/sdk"
    throw new Error(words, { cause })
  }),
)

/** A server of the SDK that offers the tools. It is not connected to a transport yet. */
export const make = (
  tools: UnifiedExec,
  { version, instructions }: About,
): Effect.Effect<Server, never, Scope.Scope> =>
  Effect.gen(function* () {
    const context = yield* Effect.context<never>()
    const sdk = yield* loadSdk
    const resources = tools.offer === "all" ? { resources: { subscribe: true, listChanged: true } } : {}
    const server = new sdk.Server(
      { name: "procwire", version },
      { capabilities: { tools: {}, ...resources }, instructions },
    )
    const call = makeCall(tools)
    const offered = ToolResult.listing(tools.definitions, tools.offer)
    if (tools.offer === "all") yield* offerResources(sdk, server, tools)
    // oxlint-disable-next-line unicorn/prefer-add-event-listener -- it is no event target
    server.onerror = ({ message }) => void Effect.runForkWith(context)(Effect.logWarning(message))
    server.setRequestHandler(sdk.ListToolsRequestSchema, () => ({ tools: offered }))
    server.setRequestHandler(sdk.CallToolRequestSchema, ({ params }, { signal, sendNotification }) => {
      const { name, arguments: args } = params
      const tool = offered.find((tool) => tool.name === name)
      if (tool === undefined) {
        throw new sdk.McpError(sdk.ErrorCode.InvalidParams, `Tool ${name} not found`)
      }
      const progressToken = params._meta?.progressToken
      const watching =
        progressToken === undefined
          ? Effect.succeed({})
          : ProgressNotifier.make((about) =>
              Effect.promise(() =>
                sendNotification({
                  method: "notifications/progress",
                  params: { progressToken, ...about },
                }),
              ),
            )
      const answer = Effect.flatMap(watching, (watcher) => call(tool, args, watcher))
      return Effect.runPromiseWith(context)(Effect.scoped(answer), { signal })
    })
    return server
  })

/** Answers the requests for resources, and tells of their changes until the scope closes. */
const offerResources = (sdk: typeof McpSdk, server: Server, tools: UnifiedExec) =>
  Effect.gen(function* () {
    const context = yield* Effect.context<never>()
    const subscribed = new Set<number>()
    /** A client that has not asked for resources gets no notifications of them. */
    let asked = false
    const find = (uri: string) => {
      const args = Resources.argumentsOf(uri)
      if (args === undefined || tools.commands.get(args.session_id) === undefined)
        throw new sdk.McpError(
          resourceNotFound,
          `Resource ${uri} not found: resources/list tells which there are`,
        )
      return args
    }
    server.setRequestHandler(sdk.ListResourcesRequestSchema, () => {
      asked = true
      return { resources: Resources.list(tools.commands) }
    })
    server.setRequestHandler(sdk.ListResourceTemplatesRequestSchema, () => {
      asked = true
      return { resourceTemplates: [Resources.template] }
    })
    server.setRequestHandler(sdk.ReadResourceRequestSchema, ({ params: { uri } }) =>
      Effect.runPromiseWith(context)(Resources.read(tools, uri, find(uri))),
    )
    server.setRequestHandler(sdk.SubscribeRequestSchema, ({ params: { uri } }) => {
      subscribed.add(find(uri).session_id)
      return {}
    })
    server.setRequestHandler(sdk.UnsubscribeRequestSchema, ({ params: { uri } }) => {
      subscribed.delete(Resources.argumentsOf(uri)?.session_id ?? -1)
      return {}
    })
    // A client that is gone, or not there yet, gets nothing.
    const send = (sent: () => Promise<void>) => Effect.ignore(Effect.tryPromise(sent))
    yield* Resources.watch(tools.commands, subscribed, {
      updated: (uri) => send(() => server.sendResourceUpdated({ uri })),
      listChanged: Effect.suspend(() => (asked ? send(() => server.sendResourceListChanged()) : Effect.void)),
    })
  })

/** The code that MCP has for it. */
const resourceNotFound = -32002

/** Serves the tools over a transport until the peer disconnects. */
export const serve = (
  tools: UnifiedExec,
  transport: Transport,
  about: About,
): Effect.Effect<void, TransportError> =>
  Effect.gen(function* () {
    const server = yield* make(tools, about)
    const mcp = McpTransport.make(yield* loadSdk, transport)
    yield* Effect.acquireRelease(
      Effect.promise(() => server.connect(mcp)),
      () => Effect.promise(() => server.close()),
    )
    yield* mcp.run
  }).pipe(Effect.scoped)

/** Calls a tool. Sessions of cancelled calls are kept in a list until an answer can name them. */
const makeCall = (tools: UnifiedExec) => {
  const untold = new Map<number, string>()

  /** The notices for an answer that itself names the session `known`. */
  const notices = (known: number | undefined) =>
    Effect.map(tools.sessionIds, (ids) => {
      const all = [...untold].filter(([id]) => id !== known && ids.includes(id))
      untold.clear()
      return all.map(([id, command]) =>
        tools.commands.get(id)?.stopping === undefined
          ? Notices.cancelled(id, command)
          : Notices.stopped(id, command),
      )
    })

  return (tool: Tool, args: object = {}, watcher: Watcher = {}): Effect.Effect<CallToolResult> => {
    const { name } = tool
    let session: number | undefined
    const onSession = (id: number) => {
      session = id
      watcher.onSession?.(id)
    }
    const remember = () => {
      if (name === "exec_command" && session !== undefined) untold.set(session, String(Object(args).cmd))
    }
    const run = Effect.suspend(
      () => ToolResult.unknownArgument(tool, args) ?? tools.call(name, args, { ...watcher, onSession }),
    )
    return run.pipe(
      Effect.onInterrupt(() => Effect.sync(remember)),
      Effect.matchEffect({
        onSuccess: (reply) => Effect.map(notices(session), (more) => ToolResult.fromReply(reply, more)),
        onFailure: (error) =>
          Effect.map(notices(session), (more) =>
            ToolResult.fromError(tools.offer === "all" ? ToolResult.naming(error, tool, args) : error, more),
          ),
      }),
    )
  }
}
