/** The requests of the login at one listener: logging in and out, the rights of a visitor, and admitting WebSockets. */
import type { IncomingMessage, ServerResponse } from "node:http"
import { greater, includes, type SessionScope, scopes } from "../../../core/protocol/SessionScope.ts"
import type { Credential } from "../../../core/transport/Transport.ts"
import type * as Bearer from "../auth/Bearer.ts"
import type { Place } from "../transport/Site.ts"
import * as UpgradeAdmission from "../transport/UpgradeAdmission.ts"
import * as Answer from "./Answer.ts"
import * as Cookie from "./Cookie.ts"
import type { Links } from "./Links.ts"
import type { Names } from "./Names.ts"
import * as Requests from "./Requests.ts"
import type { Visitor, Visitors, VisitorSession } from "./Visitors.ts"
import type { WrongTokens } from "./WrongTokens.ts"

interface Keys {
  /** The tokens; undefined if there are none. */
  readonly rule: Bearer.Rule | undefined
  readonly links: Links
  readonly wrong: WrongTokens
}

/** The login at one listener. */
export interface At extends Keys {
  readonly place: Place
  readonly names: Names
  readonly jar: Cookie.Jar
  readonly visitors: Visitors
  /** The rights of every client over the sessions of others. */
  readonly scope: SessionScope
  readonly name: string
  /** Random for each start of the server: a page knows by it that the processes it shows are gone. It is no credential. */
  readonly instance: string
  readonly log: (message: string, address: string) => void
}

type Handler = (at: At, request: IncomingMessage, response: ServerResponse) => Promise<void>

/** Tells the page whether somebody has to log in, by what, and what the visitor may do. */
export const info: Handler = async (at, request, response) => {
  const { instance, name, rule, scope } = at
  const credential = (await visitOf(at, request))?.credential
  const has = greater(credential?.scope ?? "own", scope)
  Answer.json(response, {
    name,
    instance,
    login: credential === undefined,
    tokens: rule !== undefined,
    scopes: credential === undefined ? [] : scopes.filter((one) => includes(has, one)),
  })
}

/** Takes `{"token": …}`, a token of the server or the secret of a link, and gives a cookie for it. */
export const login: Handler = async (at, request, response) => {
  const { jar, log, visitors } = at
  const body = await bodyOf(at, request)
  if (body.status !== undefined) return Answer.refused(response, body)
  const token: unknown = Object(body.value).token
  if (typeof token !== "string" || token === "")
    return Answer.text(response, 400, 'the body has to be {"token": "…"}')
  const address = request.socket.remoteAddress ?? ""
  const identity = await identify(at, token, address)
  if (identity.visitor === undefined) return refuse(at, response, identity.waitMillis, address)
  for (const secret of secretsOf(at, request)) visitors.end(secret)
  const { secret, millis } = visitors.begin(identity.visitor)
  log("a browser has logged in", address)
  Answer.text(response, 204, "", { "set-cookie": Cookie.set(jar, secret, millis, isSecure(at, request)) })
}

const refuse = ({ log }: At, response: ServerResponse, waitMillis: number, address: string): void => {
  log("a browser was not let in: there is no such token or link", address)
  if (waitMillis === 0) return Answer.text(response, 401, "there is no such token or link")
  const seconds = Math.ceil(waitMillis / 1000)
  Answer.text(response, 429, `too many wrong tokens: try again in ${seconds} seconds`, {
    "retry-after": seconds,
  })
}

/** Ends the visit: its cookie and its WebSockets. */
export const logout: Handler = async (at, request, response) => {
  const body = await bodyOf(at, request)
  if (body.status !== undefined) return Answer.refused(response, body)
  for (const secret of secretsOf(at, request)) at.visitors.end(secret)
  Answer.text(response, 204, "", { "set-cookie": Cookie.clear(at.jar, isSecure(at, request)) })
}

/** Admits a WebSocket of a visitor, with what its token is good for now. */
export const admit = async (at: At, request: IncomingMessage): Promise<UpgradeAdmission.Admission> => {
  const refused = Requests.refusal(request, at.names)
  if (refused !== undefined) return { reply: refused }
  if (!Requests.isFromPage(request, at.names)) return { reply: { status: 403, body: "" } }
  const reply = UpgradeAdmission.malformed(UpgradeAdmission.requestOf(request))
  if (reply !== undefined) return { reply }
  const visit = await visitOf(at, request)
  if (visit === undefined) return { reply: { status: 401, body: "log in first" } }
  return { credential: visit.credential, opened: visit.session.hold }
}

/** The body of a request that a page of ours has sent, or the refusal. */
const bodyOf = async ({ names }: At, request: IncomingMessage): Promise<Requests.JsonBody> => {
  if (!Requests.isFromPage(request, names))
    return { status: 403, body: "a page of this server has to send this: the header Origin is missing" }
  if (!Requests.isJson(request.headers["content-type"]))
    return { status: 415, body: "the header Content-Type has to be application/json" }
  return Requests.readJson(request)
}

const secretsOf = ({ jar }: At, request: IncomingMessage): ReadonlyArray<string> =>
  Cookie.read(jar, request.headers.cookie)

interface Visit {
  readonly session: VisitorSession
  readonly credential: Credential
}

/** The visit of a request. It ends if its token is no longer valid. */
const visitOf = async (at: At, request: IncomingMessage): Promise<Visit | undefined> => {
  for (const secret of secretsOf(at, request)) {
    const session = at.visitors.find(secret)
    const credential = await session?.current()
    if (session !== undefined && credential !== undefined) return { session, credential }
    at.visitors.end(secret)
  }
  return undefined
}

/** A proxy may speak TLS in place of the server: then the origin of its page says so. */
const isSecure = ({ place }: At, { headers: { origin } }: IncomingMessage): boolean =>
  place.secure || origin?.startsWith("https:") === true

/** A visitor, or after how many milliseconds the address may try again: 0 where it may at once. */
type Identity = { readonly visitor: Visitor } | { readonly visitor?: undefined; readonly waitMillis: number }

/**
 * The visitor with a token from the form or the secret of a link. A link is used up; a wrong token counts against the
 * address that has sent it.
 */
const identify = async ({ links, rule, wrong }: Keys, token: string, address: string): Promise<Identity> => {
  const scope = links.redeem(token)
  if (scope !== undefined) {
    const credential: Credential = { kind: "link", ...(scope === "own" ? {} : { scope }) }
    return { visitor: { current: async () => credential } }
  }
  const waitMillis = wrong.take(address)
  if (waitMillis > 0) return { waitMillis }
  const judge = async () => rule?.(`Bearer ${token}`)
  const verdict = await judge()
  if (verdict === undefined || verdict.refusal !== undefined) return { waitMillis: 0 }
  wrong.giveBack(address)
  const current = async () => {
    const now = await judge()
    return now?.refusal === undefined ? now?.credential : undefined
  }
  return { visitor: { current, until: verdict.until } }
}
