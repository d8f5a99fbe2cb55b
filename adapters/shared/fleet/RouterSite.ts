/**
 * The site of a router for hosts, other routers and operators with the token of hosts: their upgrades, the list of
 * hosts (`GET /hosts`), and the change of what is started there (`POST /drain?host=NAME&draining=true`).
 */
import type { IncomingMessage, ServerResponse } from "node:http"
import * as Effect from "effect/Effect"
import type { DirectoryService, HostRecord } from "../../../core/directory/Directory.ts"
import type { Router } from "../../../core/fleet/Router.ts"
import type { Site } from "../transport/Site.ts"
import * as UpgradeAdmission from "../transport/UpgradeAdmission.ts"
import * as FleetUrl from "./FleetUrl.ts"

/** A host, as operators see it. */
export interface ShownHost extends Pick<
  HostRecord,
  "hostId" | "epoch" | "state" | "draining" | "used" | "capacity" | "failures" | "labels" | "address"
> {
  /** True if it has a tunnel to this router. */
  readonly tunnel: boolean
}

/** A router, when it is there. */
type Running = () => { readonly router: Router; readonly directory: DirectoryService } | undefined

/** The site; `admit` asks for the token of hosts. */
export const make =
  (admit: UpgradeAdmission.Admit, running: Running): Site =>
  () => ({
    respond: (message, response) => {
      const { pathname, searchParams } = new URL(message.url ?? "/", "http://router")
      const asked = `${message.method} ${pathname}`
      if (asked !== "GET /hosts" && asked !== "POST /drain") return false
      message.resume()
      void answer(admit, running, message, searchParams).then(
        ({ status, body }) => send(response, status, body),
        () => send(response, 500, "the router has failed"),
      )
      return true
    },
    admit: (message) => {
      const request = UpgradeAdmission.requestOf(message)
      const role = FleetUrl.read(request.url)?.role
      if (role === undefined || role === "client") return undefined
      if (request.header("origin") !== undefined) return Promise.resolve({ reply: { status: 403, body: "" } })
      const reply = UpgradeAdmission.malformed(request)
      return reply === undefined ? admit(request) : Promise.resolve({ reply })
    },
  })

const answer = async (
  admit: UpgradeAdmission.Admit,
  running: Running,
  message: IncomingMessage,
  query: URLSearchParams,
): Promise<UpgradeAdmission.Reply> => {
  const request = UpgradeAdmission.requestOf(message)
  if (request.header("origin") !== undefined) return { status: 403, body: "" }
  const { reply } = await admit(request)
  if (reply !== undefined) return reply
  const found = running()
  if (found === undefined) return { status: 503, body: "the router has not begun" }
  const { directory, router } = found
  if (message.method === "GET") return { status: 200, body: JSON.stringify({ hosts: shown(router) }) }
  const drained = await Effect.runPromise(
    Effect.result(directory.drain(query.get("host") ?? "", query.get("draining") !== "false")),
  )
  return drained._tag === "Success"
    ? { status: 200, body: JSON.stringify({ host: show(router)(drained.success) }) }
    : { status: drained.failure.reason === "Unavailable" ? 503 : 404, body: drained.failure.message }
}

const send = (response: ServerResponse, status: number, body: string): void => {
  const type = status === 200 ? "application/json" : "text/plain; charset=utf-8"
  response.writeHead(status, {
    "content-type": type,
    "cache-control": "no-store",
    "content-length": Buffer.byteLength(body),
  })
  response.end(body)
}

const shown = (router: Router): ReadonlyArray<ShownHost> =>
  [...router.view.hosts.values()].map(show(router)).sort((one, other) => (one.hostId < other.hostId ? -1 : 1))

const show =
  ({ tunnels }: Router) =>
  ({ hostId, epoch, state, draining, used, capacity, failures, labels, address }: HostRecord): ShownHost => {
    const tunnel = tunnels.of(hostId) !== undefined
    return { hostId, epoch, state, draining, used, capacity, failures, labels, address, tunnel }
  }
