/**
 * The status pages of a WebSocket listener, /healthz and /metrics, which Codex does not have.
 */
import { createHash } from "node:crypto"
import type { CaseContext } from "../CaseContext.ts"
import { table } from "../Case.ts"
import * as Check from "../Check.ts"
import * as Child from "../Child.ts"
import { probe } from "../wire/HttpProbe.ts"
import { start } from "./guarded.ts"

const status = { transports: "ws", requires: ["http-status"], spec: [], level: "must" } as const
const paths = ["/healthz", "/metrics"]

const get = async (t: CaseContext, path: string, headers = {}) =>
  probe((await t.server()).url ?? "", { path, headers }, t.timeoutMs)

/** The value of each sample of a text for Prometheus, by name and labels; every line must be well-formed. */
const samples = (text: string): ReadonlyMap<string, number> => {
  Check.isTrue(text.endsWith("\n"), "the text ends with a line feed")
  const found = new Map<string, number>()
  for (const line of text.split("\n").slice(0, -1)) {
    if (/^# (HELP|TYPE) [a-z_]+ /.test(line)) continue
    const [, name = "", value = ""] =
      /^([a-zA-Z_:][\w:]*(?:\{\w+="[^"]*"(?:,\w+="[^"]*")*\})?) (\S+)$/.exec(line) ?? []
    Check.isTrue(name !== "" && !Number.isNaN(Number(value)), `the line ${JSON.stringify(line)} is a sample`)
    found.set(name, Number(value))
  }
  return found
}

export const websocketStatus = table("websocket/status", {
  "healthz-counts": {
    ...status,
    server: "fresh",
    says:
      "GET /healthz is answered with JSON: the status ok, a version, the seconds since the start, and the " +
      "numbers of connections, sessions and processes.",
    play: async (wire, t) => {
      const child = await Child.start(wire, { script: "echo up.; exec sleep 300" })
      await child.says(".")
      await Child.start(wire, { script: "exit 0" }).then((other) => other.exited())
      const answer = await get(t, "/healthz")
      Check.equal(answer.status, 200, "GET /healthz")
      Check.contains(answer.headers["content-type"] ?? "", "application/json", "the content type")
      const { version, uptimeSeconds, ...rest } = JSON.parse(answer.body)
      Check.equal(typeof version, "string", "the type of the version")
      Check.isTrue(uptimeSeconds > 0, `the seconds since the start are ${uptimeSeconds}`)
      const processes = { running: 1, started: 2, exited: 1 }
      Check.equal(rest, { status: "ok", connections: 1, sessions: 1, processes }, "the rest of the body")
    },
  },
  "metrics-count": {
    ...status,
    server: "fresh",
    says:
      "GET /metrics is answered in the text format 0.0.4 of Prometheus: processes started, running and " +
      "ended, bytes of output, failed starts, connections, sessions and a histogram of how long starts " +
      "took.",
    play: async (wire, t) => {
      await Child.run(wire, { script: "printf 12345; exit 0" })
      await wire.begin("process/start", Child.params(wire, { argv: ["/no/such/program"] }))
      const answer = await get(t, "/metrics")
      Check.equal(answer.status, 200, "GET /metrics")
      Check.contains(answer.headers["content-type"] ?? "", "version=0.0.4", "the content type")
      const found = samples(answer.body)
      for (const [name, value] of [
        ["procwire_processes_started_total", 1],
        ["procwire_processes_exited_total", 1],
        ["procwire_processes_running", 0],
        ["procwire_output_bytes_total", 5],
        ["procwire_spawn_failures_total", 1],
        ["procwire_connections", 1],
        ["procwire_sessions", 1],
        ["procwire_spawn_seconds_count", 1],
        ['procwire_spawn_seconds_bucket{le="+Inf"}', 1],
      ] as const) {
        Check.equal(found.get(name) ?? null, value, name)
      }
    },
  },
  // guards: status-and-metrics
  "needs-a-token-where-upgrades-do": {
    ...status,
    requires: ["http-status", "ws-auth"],
    server: "owned",
    says:
      "With --ws-auth, /healthz and /metrics are answered with 401 without a token and with 200 with the " +
      "right one.",
    run: async (t) => {
      const sha256 = createHash("sha256").update("sesame").digest("hex")
      const server = await start(t, ["--ws-auth", "capability-token", "--ws-token-sha256", sha256])
      for (const path of paths) {
        const refused = await server.get(path)
        Check.equal(refused.status, 401, `GET ${path} without a token`)
        Check.equal(refused.body, "missing websocket bearer token", `the body of ${path}`)
        const wrong = await server.get(path, { authorization: "Bearer open" })
        Check.equal(wrong.status, 401, `GET ${path} with another token`)
        const right = await server.get(path, { authorization: "Bearer sesame" })
        Check.equal(right.status, 200, `GET ${path} with the token`)
      }
    },
  },
  // guards: page-origin
  "origin-refused": {
    ...status,
    says: "GET /healthz and /metrics with an Origin header are answered with 403.",
    run: async (t) => {
      for (const path of paths) {
        const answer = await get(t, path, { origin: "http://evil.example" })
        Check.equal(answer.status, 403, `GET ${path} with an Origin header`)
      }
    },
  },
  "only-read": {
    ...status,
    level: "should",
    says: "POST of /healthz and /metrics is answered with 405.",
    run: async (t) => {
      const { url = "" } = await t.server()
      for (const path of paths) {
        const answer = await probe(url, { method: "POST", path }, t.timeoutMs)
        Check.equal(answer.status, 405, `POST ${path}`)
      }
    },
  },
})
