/**
 * The login for browsers: the page of a server, and the admission of its connections.
 *
 * A visitor logs in with a token of the server, or with the secret of a one-time link, and gets a cookie that names a
 * session. Only a page of this server may log in, log out and connect (`Requests`). No address that is ever requested
 * has a secret in it.
 */
import type { IncomingMessage, ServerResponse } from "node:http"
import * as Effect from "effect/Effect"
import * as Clock from "effect/Clock"
import type * as Scope from "effect/Scope"
import type { SessionScope } from "../../../core/protocol/SessionScope.ts"
import type * as Bearer from "../auth/Bearer.ts"
import type { Site, SiteAt } from "../transport/Site.ts"
import * as Answer from "./Answer.ts"
import * as Handlers from "./Handlers.ts"
import * as Links from "./Links.ts"
import * as Names from "./Names.ts"
import type { PageFiles } from "./PageFiles.ts"
import * as Requests from "./Requests.ts"
import * as Visitors from "./Visitors.ts"
import * as WrongTokens from "./WrongTokens.ts"

export interface Options {
  readonly files: PageFiles
  /** The tokens that let in; undefined if none does. */
  readonly rule: Bearer.Rule | undefined
  readonly hosts: ReadonlyArray<Names.Name>
  /** The prefix of the page behind a proxy: `/p`; empty at the root. */
  readonly prefix: string
  /** The time that a visitor stays logged in, in milliseconds. */
  readonly sessionMillis: number
  /** The rights of every client over the sessions of others. */
  readonly scope: SessionScope
  readonly name: string
}

export interface WebLogin {
  readonly site: Site
  /** The secret of a new one-time link, whose visitor may do so much with the sessions of others. */
  readonly issue: (scope: SessionScope) => string
}

/** Opens it until the scope closes. */
export const make = (options: Options): Effect.Effect<WebLogin, never, Scope.Scope> =>
  Effect.gen(function* () {
    const clock = yield* Clock.Clock
    const now = () => clock.currentTimeMillisUnsafe()
    const fork = Effect.runForkWith(yield* Effect.context<never>())
    const links = Links.make(now)
    const shared = {
      ...options,
      instance: Links.makeSecret(),
      links,
      wrong: WrongTokens.make(now),
      visitors: yield* Visitors.make(options.sessionMillis),
      log: (message: string, address: string) =>
        void fork(Effect.annotateLogs(Effect.logInfo(message), { address })),
    }
    const site: Site = (place) => {
      const jar = { port: place.port, path: `${options.prefix}/` }
      return siteAt(options, { ...shared, place, jar, names: Names.make(place, options.hosts) })
    }
    return { site, issue: links.issue }
  })

interface Route {
  readonly methods: ReadonlyArray<string>
  readonly answer: (request: IncomingMessage, response: ServerResponse) => Promise<void>
}

const siteAt = ({ files, prefix }: Options, at: Handlers.At): SiteAt => {
  const reading = (answer: Route["answer"]): Route => ({ methods: ["GET", "HEAD"], answer })
  const posted = (answer: Route["answer"]): Route => ({ methods: ["POST"], answer })
  const toPage = reading(async (_, response) => Answer.text(response, 308, "", { location: at.jar.path }))
  const routes = new Map<string, Route>([
    ["/info", reading((request, response) => Handlers.info(at, request, response))],
    ["/login", posted((request, response) => Handlers.login(at, request, response))],
    ["/logout", posted((request, response) => Handlers.logout(at, request, response))],
    ["/ws", reading(async (_, response) => Answer.text(response, 426, "", { upgrade: "websocket" }))],
  ])
  for (const [path, file] of files)
    routes.set(
      path,
      reading((request, response) => Answer.file(request, response, file)),
    )
  return {
    respond: (request, response) => {
      const path = Requests.pathOf(request, prefix)
      const route = path === prefix ? toPage : routes.get(path ?? "")
      if (route === undefined) return false
      const refused = Requests.refusal(request, at.names)
      if (refused !== undefined) Answer.refused(response, refused)
      else if (!route.methods.includes(request.method ?? ""))
        Answer.text(response, 405, "", { allow: route.methods.join(", ") })
      else void route.answer(request, response).catch(() => response.destroy())
      request.resume()
      return true
    },
    admit: (request) =>
      Requests.pathOf(request, prefix) === "/ws" ? Handlers.admit(at, request) : undefined,
  }
}
