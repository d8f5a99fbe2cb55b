/** `procwire fleet`: the hosts behind a router, for those who run them. */
import * as http from "node:http"
import * as https from "node:https"
import * as Effect from "effect/Effect"
import * as Schedule from "effect/Schedule"
import * as FleetUrl from "../fleet/FleetUrl.ts"
import type { ShownHost } from "../fleet/RouterSite.ts"
import * as Secrets from "../fleet/Secrets.ts"
import * as Command from "./Command.ts"
import * as Flags from "./Flags.ts"
import * as LocalTerminal from "./LocalTerminal.ts"
import { type Unable, unable } from "./server/Unable.ts"
import * as Table from "./show/Table.ts"

/** Between two looks at a host that is drained. */
const pause = "500 millis"

export const fleet = Command.make({
  name: "fleet",
  summary: "List the hosts behind a router, or let none of them begin new sessions",
  usage: "hosts | drain HOST [OPTIONS]",
  flags: {
    router: Flags.text("URL", "a router of the fleet: ws://HOST:PORT or wss://HOST:PORT"),
    "token-file": Flags.file("the token that the router asks hosts for"),
    "router-ca": Flags.text("FILE", "its authority, as PEM [default: those of the system]"),
    undo: Flags.toggle("with drain: the host takes sessions again"),
    wait: Flags.toggle("with drain: end only when the host has no session any more"),
    json: Flags.toggle("with hosts: a line of JSON for each"),
  },
  operands: ["hosts", "drain"],
  text: `
A host that is drained starts no new sessions, also after a restart; those that it has go on, and can be resumed. One
whose client has gone counts until it can no longer be resumed.`,
  examples: [
    "procwire fleet hosts --router ws://127.0.0.1:7100",
    "procwire fleet drain builder-7 --router wss://r1.internal:7100 --token-file hosts.token",
    "procwire fleet drain builder-7 --wait --router wss://r1.internal:7100 && ssh builder-7 reboot",
    "procwire fleet drain builder-7 --undo --router wss://r1.internal:7100 --token-file hosts.token",
  ],
  run: ({ values, operands: [what, host, ...more] }) =>
    Effect.gen(function* () {
      const { router, undo = false, wait = false } = values
      if (router === undefined || !/^wss?:\/\/[^/]/.test(router) || !URL.canParse(router))
        return yield* Flags.wrong("--router needs a URL: ws://HOST:PORT or wss://HOST:PORT")
      const ask = {
        ca: yield* Secrets.readText(values["router-ca"], "--router-ca"),
        token: yield* Secrets.read(values["token-file"], "--token-file"),
      }
      const list = Effect.map(
        request("GET", FleetUrl.of(router, "hosts"), ask),
        (answer) => (answer as { readonly hosts: ReadonlyArray<ShownHost> }).hosts,
      )
      if (what === "hosts" && host === undefined) {
        return yield* Table.print(yield* list, values, { columns })
      }
      if (what !== "drain" || host === undefined || more.length > 0)
        return yield* Flags.wrong("expected hosts, or drain and the name of a host")
      yield* request("POST", FleetUrl.of(router, "drain", { host, draining: String(!undo) }), ask)
      if (wait && !undo)
        yield* Effect.repeat(list, {
          // The router hears of claims in their order, so its view of a drained host has all of them.
          until: (hosts) =>
            hosts.every(({ hostId, draining, used }) => hostId !== host || (draining && used === 0)),
          schedule: Schedule.spaced(pause),
        })
      return yield* LocalTerminal.print(`${host} ${undo ? "takes sessions again" : "starts nothing new"}\n`)
    }),
})

const columns: ReadonlyArray<Table.Column<ShownHost>> = [
  { title: "HOST", text: ({ hostId }) => hostId },
  { title: "STATE", text: ({ state, draining }) => (draining ? `${state}, draining` : state) },
  { title: "SESSIONS", text: ({ used, capacity }) => `${used}/${capacity}`, right: true },
  { title: "FAILED", text: ({ failures }) => String(failures), right: true },
  { title: "ROUTER", text: ({ address = "" }) => address },
  {
    title: "LABELS",
    text: ({ labels }) =>
      Object.entries(labels)
        .map(([name, value]) => `${name}=${value}`)
        .join(" "),
    least: 10,
  },
]

interface Asking {
  readonly ca: string | undefined
  readonly token: string | undefined
}

/** One exchange; the answer as JSON. */
const request = (method: string, url: string, { ca, token }: Asking): Effect.Effect<unknown, Unable> =>
  Effect.callback((resume) => {
    const fail = (why: string) => resume(unable(`${url.replace(/\?.*/s, "")}: ${why}`))
    const headers = token === undefined ? {} : { authorization: `Bearer ${token}` }
    const options = { method, headers, timeout: 10_000, ...(ca === undefined ? {} : { ca }) }
    const { request: open } = url.startsWith("wss:") ? https : http
    const asked = open(url.replace(/^ws/, "http"), options, (response) => {
      const parts: Array<Buffer> = []
      response.on("data", (part: Buffer) => parts.push(part))
      response.on("end", () => {
        const text = Buffer.concat(parts).toString()
        if (response.statusCode !== 200) return fail(text || `HTTP status ${response.statusCode}`)
        resume(
          Effect.try({
            try: () => JSON.parse(text),
            catch: () => unable("no router answers"),
          }),
        )
      })
    })
    asked.on("timeout", () => asked.destroy(new Error("no answer within 10 s")))
    asked.on("error", (error) => fail(error.message))
    asked.end()
    return Effect.sync(() => asked.destroy())
  })
