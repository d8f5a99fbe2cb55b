/**
 * The page of a server, as its options ask for it. Options that only the page has start no server without it, and
 * neither does the page without a place to be.
 */
import { hostname } from "node:os"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type * as Scope from "effect/Scope"
import type { SessionScope } from "../../../core/protocol/SessionScope.ts"
import * as WebLogin from "../weblogin/WebLogin.ts"
import * as Names from "../weblogin/Names.ts"
import * as PageFiles from "../weblogin/PageFiles.ts"
import type { Site } from "../transport/Site.ts"
import * as Given from "./Given.ts"
import type { Settings } from "./Given.ts"
import type { Listening } from "./Listening.ts"
import { web as rows } from "./OptionTable.ts"
import { invalid, misconfigured, type ServeError } from "./ServeError.ts"

/** The page of a server. */
export interface WebPage {
  /** Undefined where there is none. */
  readonly site: Site | undefined
  /** A new one-time link, for a server with these addresses; undefined where there is no page. */
  readonly link: (addresses: ReadonlyArray<string>, scope: SessionScope) => string | undefined
}

/** Makes it, until the scope closes. */
export const make = (
  settings: Settings,
  { addresses, rule }: Pick<Listening, "addresses" | "rule">,
): Effect.Effect<WebPage, ServeError, Scope.Scope> =>
  Effect.gen(function* () {
    const { options, label } = settings
    const { web, webSessionMs = rows.webSessionMs.default, scope = "own" } = options
    if (web !== true) {
      const parts = ["webHost", "webPrefix", "webSessionMs"] as const
      const idle = parts.find((name) => options[name] !== undefined)
      return idle === undefined ? none : yield* invalid(`${label(idle)} needs ${label("web")}`)
    }
    if (!addresses.some(({ kind }) => kind === "ws"))
      return yield* invalid(`${label("web")} needs a ws:// address: add ${label("listen")} ws://127.0.0.1:0`)
    const hosts = yield* hostsOf(settings)
    const prefix = yield* prefixOf(settings)
    const files = PageFiles.read()
    if (files === undefined) {
      return yield* misconfigured(
        `${label("web")}: the files of the page are not there: an executable of one file has none, ` +
          "the package has them (npx procwire serve)",
      )
    }
    // Deno may not tell it.
    const name = Result.getOrElse(Result.try(hostname), () => "procwire")
    const login = yield* WebLogin.make({
      files,
      rule,
      hosts,
      prefix,
      sessionMillis: webSessionMs,
      scope,
      name,
    })
    const publicOne = hosts.find(({ scheme }) => scheme !== undefined)
    return {
      site: login.site,
      link: (bound, scope) => {
        const own = bound.find((address) => /^wss?:/.test(address))
        const base = publicOne === undefined ? own && urlOf(own) : Names.format(publicOne)
        return base && `${base}${prefix}/#once=${login.issue(scope)}`
      },
    }
  })

const none: WebPage = { site: undefined, link: () => undefined }

/** The URL of a listener for a browser of this host: the loopback address, if it listens at every one. */
const urlOf = (address: string): string =>
  address.replace(/^ws/, "http").replace("//0.0.0.0:", "//127.0.0.1:").replace("//[::]:", "//[::1]:")

const hostsOf = ({ options: { webHost = [] }, label }: Settings) =>
  Effect.forEach([webHost].flat(), (value) => {
    const name = Names.parse(value)
    const expected = "a name, NAME:PORT or https://NAME[:PORT]"
    return name === undefined
      ? Effect.fail(Given.refuse({ value, label: label("webHost") }, { expected }))
      : Effect.succeed(name)
  })

const prefixOf = ({ options: { webPrefix = rows.webPrefix.default }, label }: Settings) => {
  const prefix = webPrefix.replace(/\/$/, "")
  return /^(\/[\w.~-]+)*$/.test(prefix) && !/\/\.\.?(\/|$)/.test(prefix)
    ? Effect.succeed(prefix)
    : Effect.fail(
        Given.refuse(
          { value: webPrefix, label: label("webPrefix") },
          { expected: "a path of letters, digits, '.', '_', '~' and '-' that begins with /" },
        ),
      )
}
