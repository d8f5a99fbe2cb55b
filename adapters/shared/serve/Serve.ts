/** `serve` for programs: the server of `procwire serve`, as an effect and as a promise. */
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { promise, scoped, unawaited } from "../../../core/client/Promises.ts"
import * as TextFile from "../host/TextFile.ts"
import type { Platform } from "../Platform.ts"
import type { Stats } from "../status/Stats.ts"
import * as Logging from "./Logging.ts"
import { type ServeError, invalid } from "./ServeError.ts"
import * as Server from "./Server.ts"
import type { CloseOptions, LinkOptions, ServerService } from "./ServerTag.ts"
import type { HandleUpgrade } from "./Upgrades.ts"
import * as OptionNames from "../../../core/client/OptionNames.ts"
import * as Given from "./Given.ts"
import * as Options from "./Options.ts"

/**
 * A server of this program. It keeps the program alive until it has ended; a program that exits without closing it
 * leaves no process behind on Linux, but grants none its grace period.
 */
export interface RunningServer {
  /** The addresses for clients, in the order of `listen`: `ws://127.0.0.1:39211`. */
  readonly addresses: ReadonlyArray<string>
  /** Its work so far and now, in numbers. */
  readonly stats: () => Stats
  /**
   * Takes an upgrade of the program's own HTTP server, whatever its path, and serves the WebSocket. The option `auth`
   * holds for it; requests with an `Origin` header are refused.
   */
  readonly handleUpgrade: HandleUpgrade
  /**
   * A new link to the page for browsers, which lets one in, once, in the next ten minutes; undefined without the
   * option `web`.
   */
  readonly webLink: (options?: LinkOptions) => string | undefined
  /**
   * Reads certificates, tokens and secrets again from the files of the options, for connections that begin later.
   * Rejects with `ServeError` if one is wrong; then nothing has changed.
   */
  readonly renewFiles: () => Promise<void>
  /**
   * Ends the server: it accepts nothing more, processes get SIGTERM and the grace period, then everything that is left
   * is killed. Resolves when it has ended.
   */
  readonly close: (options?: CloseOptions) => Promise<void>
  /** Resolves when the server has ended, by itself as well; rejects with `ServeError` if a listener has failed. */
  readonly closed: Promise<void>
  /** `close()`, for `await using`. */
  readonly [Symbol.asyncDispose]: () => Promise<void>
}

/** Starts a server until the scope closes. Logs go where those of the effect go, unless the options say otherwise. */
export const make = (
  platform: Platform,
  options?: Options.Options,
): Effect.Effect<ServerService, ServeError, Scope.Scope> =>
  Effect.gen(function* () {
    const settings = yield* settle(options)
    return yield* Effect.provide(Server.make(platform, settings), Logging.layer(settings.options))
  }).pipe(Effect.provide(TextFile.layer))

/** Starts a server. Logs go to stderr, unless the options say otherwise. */
export const serve = async (platform: Platform, options?: Options.Options): Promise<RunningServer> => {
  const [server, end] = await promise(scoped(Logging.withUsual(make(platform, options))))
  const close = (how?: CloseOptions) => promise(Effect.andThen(server.close(how), end))
  return {
    addresses: server.addresses,
    stats: server.stats,
    handleUpgrade: server.handleUpgrade,
    webLink: server.webLink,
    renewFiles: () => promise(server.files.renew),
    close,
    closed: unawaited(Effect.ensuring(server.closed, end)),
    [Symbol.asyncDispose]: () => close(),
  }
}

/** The options of a program; one that does not exist is refused by name. */
const fromProgram = (options: unknown): Effect.Effect<Given.Givens, ServeError> =>
  Effect.gen(function* () {
    const givens = new Map<Options.Path, Given.Given>()
    for (const [group, names] of Object.entries(Options.names)) {
      const values: unknown = group === "" ? options : Reflect.get(Object(options), group)
      const refusal = OptionNames.refusal(group === "" ? "serve" : group, names, values)
      if (refusal !== undefined) return yield* invalid(refusal.message)
      for (const [name, value] of Object.entries(Object(values))) {
        const path = group === "" ? name : `${group}.${name}`
        if (!Object.hasOwn(Options.names, path)) givens.set(path, { value, label: path })
      }
    }
    return givens
  })

/** The options of a program, above those of the file that it names. */
const settle = (options: unknown): Effect.Effect<Given.Settings, ServeError, TextFile.TextFiles> =>
  Effect.gen(function* () {
    const given = yield* fromProgram(options)
    const config = given.get("config")?.value
    const sources = typeof config === "string" ? [yield* Given.fromFile(config, "config")] : []
    return yield* Given.settle([...sources, given], ({ path }) => path)
  })
