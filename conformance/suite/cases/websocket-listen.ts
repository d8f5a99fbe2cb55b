/**
 * `--listen` with an address that cannot be listened on: the server must not start, and must report why. Flags for
 * authentication that contradict each other: the server must not start, and must report why. The status pages of a
 * WebSocket listener, /healthz and /metrics, which Codex does not have.
 */
import { Check, Child, table, type CaseContext, type CaseSpec } from "../Vocabulary.ts"
import { probe } from "../wire/HttpProbe.ts"
import { playStart, start, withFile } from "./guarded.ts"
import { createHash } from "node:crypto"

const ws = { transports: "ws", server: "fresh" } as const

/** With each of these the server must exit with 1, or 2 as for wrong use, and print the text. */
const refused = async (
  t: CaseContext,
  urls: ReadonlyArray<string>,
  text: (url: string) => string,
): Promise<void> => {
  for (const url of urls) {
    const { code, out, said } = await playStart(t, [], url)
    Check.isTrue(code === 1 || code === 2, `the exit code for ${url} is ${code}`)
    Check.equal(out, "", `the standard output for ${url}`)
    Check.contains(said, text(url), `the standard error for ${url}`)
  }
}

/** Starts the server, once for all cases, at the port of the one that cases share. */
const onBusyPort = (t: CaseContext) =>
  t.once("a busy port", async () => playStart(t, [], (await t.withArgs([])).url))

export const websocketListen = table("websocket/listen", ws, {
  "unknown-schemes-refused": {
    level: "should",
    spec: [73],
    says: `A --listen URL with an unknown scheme, or with WS in capitals, makes the server exit with 1 or 2
      and the text unsupported --listen URL.`,
    run: (t) =>
      refused(
        t,
        ["off", "http://127.0.0.1:0", "wss://127.0.0.1:0", "WS://127.0.0.1:0"],
        (url) => `unsupported --listen URL \`${url}\`; expected \`ws://IP:PORT\` or \`stdio\``,
      ),
  },
  "bad-addresses-refused": {
    level: "should",
    spec: [73],
    says: `A --listen URL with a host name, with a path, or without a port makes the server exit with 1 or 2
      and the text invalid websocket --listen URL.`,
    run: (t) =>
      refused(
        t,
        ["ws://localhost:0", "ws://127.0.0.1:0/x", "ws://127.0.0.1"],
        (url) => `invalid websocket --listen URL \`${url}\`; expected \`ws://IP:PORT\``,
      ),
  },
  "busy-port-refused": {
    spec: [73],
    says: "A server whose port is in use exits with a code other than 0 and prints no URL.",
    run: async (t) => {
      const { code, out } = await onBusyPort(t)
      Check.isTrue(code !== 0 && code !== null, `the exit code is ${code}`)
      Check.equal(out, "", "the standard output")
    },
  },
  "busy-port-text": {
    level: "should",
    spec: [73],
    says: "A server whose port is in use prints that the address is in use, with os error 98.",
    run: async (t) => {
      const { said } = await onBusyPort(t)
      Check.isTrue(/address (already )?in use .*os error 98/i.test(said), `the standard error is ${said}`)
    },
  },
})

const capability = ["--ws-auth", "capability-token"]
const signed = ["--ws-auth", "signed-bearer-token"]
const digest = "ab".repeat(32)
const signedFlags =
  "`--ws-shared-secret-file`, `--ws-issuer`, `--ws-audience`, and `--ws-max-clock-skew-seconds`"

interface Conflict {
  readonly when: string
  /** The flags; FILE stands for the path of a file. */
  readonly flags: ReadonlyArray<string>
  readonly content?: string
  /** The error text; FILE stands for the path. */
  readonly text: string
}

const conflicts: { readonly [name: string]: Conflict } = {
  "no-mode": {
    when: "A token flag without --ws-auth",
    flags: ["--ws-token-sha256", digest],
    text: "websocket auth flags require `--ws-auth capability-token` or `--ws-auth signed-bearer-token`",
  },
  "no-token-source": {
    when: "capability-token without a token",
    flags: capability,
    text: "`--ws-token-file` or `--ws-token-sha256` is required when `--ws-auth capability-token` is set",
  },
  "two-token-sources": {
    when: "capability-token with both token flags",
    flags: [...capability, "--ws-token-sha256", digest, "--ws-token-file", "FILE"],
    text: "`--ws-token-file` and `--ws-token-sha256` are mutually exclusive",
  },
  "capability-with-signed-flags": {
    when: "capability-token with a flag for signed tokens",
    flags: [...capability, "--ws-token-sha256", digest, "--ws-issuer", "me"],
    text: `${signedFlags} require \`--ws-auth signed-bearer-token\``,
  },
  "signed-with-token-flags": {
    when: "signed-bearer-token with a token flag",
    flags: [...signed, "--ws-shared-secret-file", "FILE", "--ws-token-sha256", digest],
    text: "`--ws-token-file` and `--ws-token-sha256` require `--ws-auth capability-token`, not `signed-bearer-token`",
  },
  "no-secret": {
    when: "signed-bearer-token without a secret",
    flags: signed,
    text: "`--ws-shared-secret-file` is required when `--ws-auth signed-bearer-token` is set",
  },
  "unreadable-file": {
    when: "A token file that does not exist",
    flags: [...capability, "--ws-token-file", "FILE.none"],
    text: "failed to read websocket auth secret FILE.none: No such file or directory (os error 2)",
  },
  "blank-file": {
    when: "A token file with nothing but white space",
    flags: [...capability, "--ws-token-file", "FILE"],
    content: " \n",
    text: "websocket auth secret FILE must not be empty",
  },
  "short-secret": {
    when: "A shared secret of less than 32 bytes without the white space around it",
    flags: [...signed, "--ws-shared-secret-file", "FILE"],
    content: `${"x".repeat(31)}\n\n`,
    text: "signed websocket bearer secret FILE must be at least 32 bytes",
  },
  "bad-digest": {
    when: "A digest that is not 64 hexadecimal digits",
    flags: [...capability, "--ws-token-sha256", "xyz"],
    text: "--ws-token-sha256 must be a 64-character hex SHA-256 digest",
  },
}

const overStdio = { transports: "stdio", server: "fresh", spec: [74] } as const

const stdioConflict: Conflict = {
  when: "Flags for authentication over stdio",
  flags: [...capability, "--ws-token-sha256", digest],
  text: "WebSocket auth requires a WebSocket listener, not stdio",
}

/** Starts the server with these flags, once for all cases; its exit code, its stderr, and the expected text. */
const play = (t: CaseContext, { when, flags, content = `${"x".repeat(40)}\n`, text }: Conflict) =>
  t.once(when, () =>
    withFile(content, async (path) => {
      const end = await playStart(
        t,
        flags.map((flag) => flag.replace("FILE", path)),
      )
      return { ...end, wanted: text.replace("FILE", path) }
    }),
  )

const saysWhy = (conflict: Conflict): CaseSpec => ({
  transports: "ws",
  requires: ["ws-auth"],
  server: "fresh",
  level: "should",
  spec: [73],
  says: `${conflict.when}: the server exits with 1 or 2 and writes to its stderr "${conflict.text}".`,
  run: async (t) => {
    const { code, said, wanted } = await play(t, conflict)
    Check.isTrue(code === 1 || code === 2, `the exit code is ${code}`)
    Check.contains(said, wanted, "the standard error")
  },
})

export const websocketAuthFlags = [
  ...table("websocket/auth/flags", {
    "contradictions-end-the-server": {
      transports: "ws",
      server: "fresh",
      spec: [73],
      says: `A server whose flags for authentication contradict each other, are incomplete, or are unknown,
        exits with a code other than 0 and prints no URL.`,
      run: async (t) => {
        for (const [name, conflict] of Object.entries(conflicts)) {
          const { code, out } = await play(t, conflict)
          Check.isTrue(code !== 0 && code !== null, `${name}: the exit code is ${code}`)
          Check.equal(out, "", `${name}: the standard output`)
        }
      },
    },
    "stdio-has-no-auth": {
      ...overStdio,
      level: "must",
      says: `A server on stdio that is given flags for authentication, which stdio cannot honour, exits with
        a code other than 0.`,
      run: async (t) => {
        const { code } = await play(t, stdioConflict)
        Check.isTrue(code !== 0 && code !== null, `the exit code is ${code}`)
      },
    },
    "stdio-has-no-auth-text": {
      ...overStdio,
      level: "peer",
      says: `A server on stdio that is given flags for authentication exits with 1 or 2 and writes "${stdioConflict.text}".`,
      run: async (t) => {
        const { code, said } = await play(t, stdioConflict)
        Check.isTrue(code === 1 || code === 2, `the exit code is ${code}`)
        Check.contains(said, stdioConflict.text, "the standard error")
      },
    },
  }),
  ...table(
    "websocket/auth/flags",
    Object.fromEntries(Object.entries(conflicts).map(([name, conflict]) => [name, saysWhy(conflict)])),
  ),
]

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

export const websocketStatus = table("websocket/status", status, {
  "healthz-counts": {
    server: "fresh",
    says: `GET /healthz is answered with JSON: the status ok, a version, the seconds since the start, and
      the numbers of connections, sessions and processes.`,
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
    server: "fresh",
    says: `GET /metrics is answered in the text format 0.0.4 of Prometheus: processes started, running and
      ended, bytes of output, failed starts, connections, sessions and a histogram of how long starts took.`,
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
    requires: ["http-status", "ws-auth"],
    server: "owned",
    says: `With --ws-auth, /healthz and /metrics are answered with 401 without a token and with 200 with the
      right one.`,
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
    says: "GET /healthz and /metrics with an Origin header are answered with 403.",
    run: async (t) => {
      for (const path of paths) {
        const answer = await get(t, path, { origin: "http://evil.example" })
        Check.equal(answer.status, 403, `GET ${path} with an Origin header`)
      }
    },
  },
  "only-read": {
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
