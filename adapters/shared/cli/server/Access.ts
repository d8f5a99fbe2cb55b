/** Ways of commands to their server, which is found, or started if it is that of one's own; and its capabilities. */
import process from "node:process"
import * as Clock from "effect/Clock"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import { ClientError } from "../../../../core/client/ClientError.ts"
import type * as ExecClient from "../../../../core/client/ExecClient.ts"
import type * as Reconnect from "../../../../core/client/Reconnect.ts"
import type { Capabilities } from "../../../../core/protocol/Environment.ts"
import { TransportError } from "../../../../core/transport/Transport.ts"
import type * as Connect from "../../Connect.ts"
import * as Lazy from "../../Lazy.ts"
import type { Platform } from "../../Platform.ts"
import type { Options as CommandOptions } from "../../transport/CommandTransport.ts"
import * as Colours from "../show/Colours.ts"
import type { ConfigurationError } from "../Flags.ts"
import type { Target } from "../TargetFlags.ts"
import * as OwnServer from "./OwnServer.ts"
import { type Unable, unable } from "./Unable.ts"

/**
 * The server of a target for commands that only look; undefined if it is that of one's own, and does not run. That is
 * started only if a dead one has left processes, and a platform is given.
 */
export const existing = (
  target: Target,
  platform?: Platform,
): Effect.Effect<Connect.RemoteTarget | undefined, Unable | ConfigurationError> => {
  if ("own" in target)
    return Effect.map(platform === undefined ? OwnServer.find : OwnServer.revive(platform), (url) =>
      url === undefined ? undefined : ownAt(url, platform),
    )
  return "inProcess" in target ? unable("a server in this process has no processes") : Effect.succeed(target)
}

/** The target of a connection; the server of one's own is started if it does not run. */
export const settle = (platform: Platform, target: Target) =>
  "own" in target
    ? Effect.map(OwnServer.ensure(platform), ({ url, started }): Connect.Target => {
        if (started && process.stderr.isTTY)
          process.stderr.write(Colours.of("stderr").dim(`started a server of your own at ${url}\n`))
        return ownAt(url, platform)
      })
    : Effect.succeed<Connect.Target>(target)

/** The server of one's own, which `revive` starts again if it has died and left processes. */
interface OwnTarget extends Connect.UrlTarget {
  readonly revive: Effect.Effect<string | undefined, Unable | ConfigurationError>
}

const ownAt = (url: string, platform: Platform | undefined): Connect.UrlTarget | OwnTarget =>
  platform === undefined ? { url } : { url, revive: OwnServer.revive(platform) }

/**
 * The transport to a running server, by `opened`, for the first time and after each loss. After the end of a server of
 * one's own that has left no process, no other attempt follows.
 */
export const transport = (opened: Reconnect.Open, target: Connect.UrlTarget): Reconnect.Open => {
  if (!("revive" in target)) return opened
  const { revive } = target as OwnTarget
  let again = false
  return Effect.suspend(() => {
    if (!again) {
      again = true
      return opened
    }
    const found = Effect.mapError(revive, ({ message }) => new TransportError({ reason: "Open", message }))
    return Effect.flatMap(found, (url): Reconnect.Open => (url === undefined ? ended : opened))
  })
}

const ended = Effect.fail(
  new ClientError({ reason: "SessionLost", message: "the server of your own has ended" }),
)

/** Connects. A lost connection to a URL is replaced; `onStatus` gets that. */
export const connect = (target: Connect.RemoteTarget, options: ExecClient.Options) =>
  Lazy.use(
    () => import("../../Connect.ts"),
    ({ openRemote }) =>
      Effect.gen(function* () {
        const noServer = Effect.mapError((error: TransportError | ClientError) => noServerAt(target, error))
        const isUrl = "url" in target
        const source = isUrl ? transport(openRemote(target), target) : yield* noServer(openRemote(target))
        return yield* noServer(make(source, { reconnect: isUrl && {}, ...options }))
      }),
  )

/** Makes a client; what becomes of its connection is logged, which `--verbose` shows. */
export const make = (source: Parameters<typeof ExecClient.make>[0], options: ExecClient.Options) =>
  Effect.gen(function* () {
    const context = yield* Effect.context<never>()
    const log = (message: string, annotations: Readonly<Record<string, unknown>>) =>
      Effect.annotateLogs(Effect.logDebug(message), annotations)
    const onStatus = (status: Reconnect.Status) => {
      Effect.runSyncWith(context)(log(status.kind, "message" in status ? { why: status.message } : {}))
      options.onStatus?.(status)
    }
    const begun = yield* Clock.currentTimeMillis
    const client = yield* Lazy.use(
      () => import("../../../../core/client/ExecClient.ts"),
      (module) => module.make(source, { ...options, onStatus }),
    )
    const { executorVersion: version = "unknown", platformOs: os } = client.environmentInfo
    const millis = (yield* Clock.currentTimeMillis) - begun
    yield* log("connected", { millis, version, os: os ?? "unknown" })
    return client
  })

/** The error for a server that knows no processes but those of its clients. */
export const listsNothing = "this server cannot list what runs: it is an older one, or of another make"

export const sessionsOf = ({ environmentInfo }: Pick<ExecClient.ExecClient, "environmentInfo">) =>
  environmentInfo.capabilities?.processListAll === true ? "all" : "own"

/** Fails for a server that lacks a capability; `message` names the lack and the remedy. */
export const need = (
  client: Pick<ExecClient.ExecClient, "environmentInfo">,
  capability: keyof Capabilities,
  message: string,
): Effect.Effect<void, Unable> =>
  client.environmentInfo.capabilities?.[capability] === true ? Effect.void : unable(message)

/** There is no session with the server of a target. */
export class NoServer extends Data.TaggedError("NoServer")<{
  readonly message: string
  readonly cause: unknown
}> {}

/** The error of a client without a session. */
export const noServerAt = (target: Connect.Target, cause: TransportError | ClientError): NoServer => {
  const what = "command" in target ? `no server ${placeOf(target)}: ` : ""
  return new NoServer({ message: `${what}${cause.message}${remedy(target, cause)}`, cause })
}

const remedy = (target: Connect.Target, error: TransportError | ClientError): string => {
  if ("command" in target && target.command === "ssh")
    return "; try the same with ssh itself: procwire has to be in the PATH there"
  if ("command" in target)
    return "; it has to speak the protocol on its stdin and stdout, as `procwire serve --listen stdio` does"
  const { reason } = error.cause instanceof TransportError ? error.cause : error
  return reason === "Unauthorized" ? "; give it with --token-file FILE or in the variable PROCWIRE_TOKEN" : ""
}

/** As it was given: the shell gets the command behind `exec`. */
const placeOf = ({ command, args = [] }: CommandOptions): string =>
  command === "ssh"
    ? `behind '${["ssh", ...args].join(" ")}'`
    : `at --server-cmd '${(args[1] ?? "").replace(/^exec /, "")}'`
