/**
 * A WebSocket server that requires a capability token, and the paths that are open without one.
 */
import { createHash } from "node:crypto"
import { table } from "../Case.ts"
import * as Check from "../Check.ts"
import { start, withFile } from "./guarded.ts"

const auth = { transports: "ws", requires: ["ws-auth"], server: "owned" } as const

const token = "open-sesame-0123456789"
const sha256 = createHash("sha256").update(token).digest("hex")
const byDigest = ["--ws-auth", "capability-token", "--ws-token-sha256", sha256]

export const websocketAuth = table("websocket/auth", {
  // guards: wrong-token
  "missing-token-refused": {
    ...auth,
    level: "must",
    spec: [58, "b76"],
    says: "With --ws-auth capability-token an upgrade without an Authorization header is answered with 401.",
    run: async (t) => {
      const server = await start(t, byDigest)
      await server.refuses(undefined, "no Authorization header")
    },
  },
  "wrong-token-refused": {
    ...auth,
    level: "must",
    spec: [59, "b76"],
    says: "An upgrade with a wrong token, or with a prefix of the right one, is answered with 401.",
    run: async (t) => {
      const server = await start(t, byDigest)
      for (const wrong of ["nope", token.slice(0, -1), `${token}x`, token.toUpperCase(), sha256]) {
        await server.refuses(`Bearer ${wrong}`, `the token ${wrong}`)
      }
    },
  },
  "other-schemes-refused": {
    ...auth,
    level: "must",
    spec: [60],
    says: "An upgrade with the scheme Basic, with a token but no scheme, or with a blank token is answered with 401.",
    run: async (t) => {
      const server = await start(t, byDigest)
      for (const header of [`Basic ${token}`, token, "Bearer ", "Bearer"]) {
        await server.refuses(header, `the header ${JSON.stringify(header)}`)
      }
    },
  },
  "scheme-in-any-case": {
    ...auth,
    level: "must",
    spec: [61],
    says: "The scheme Bearer may be in any case, and spaces around the token are ignored.",
    run: async (t) => {
      const server = await start(t, byDigest)
      for (const header of [
        `Bearer ${token}`,
        `bearer ${token}`,
        `BEARER ${token}`,
        `Bearer  ${token}`,
        `Bearer ${token} `,
      ]) {
        await server.accepts(header, `the header ${JSON.stringify(header)}`)
      }
    },
  },
  "readyz-needs-no-token": {
    ...auth,
    level: "must",
    requires: ["ws-auth", "http-endpoints"],
    spec: [62, "b76"],
    says: "GET /readyz without a token is answered with 200.",
    run: async (t) => {
      Check.equal((await (await start(t, byDigest)).get("/readyz")).status, 200, "GET /readyz")
    },
  },
  // guards: page-origin
  "origin-refused-with-token": {
    ...auth,
    level: "must",
    spec: [63, "b76"],
    says: "An upgrade with the right token and an Origin header is answered with 403.",
    run: async (t) => {
      const server = await start(t, byDigest)
      const answer = await server.upgrade(`Bearer ${token}`, { origin: "http://evil.example" })
      Check.equal(answer.status, 403, "the status of the upgrade")
    },
  },
  "digest-in-capitals": {
    ...auth,
    level: "must",
    spec: [64],
    says: "The digest of --ws-token-sha256 may be in capitals.",
    run: async (t) => {
      const flags = ["--ws-auth", "capability-token", "--ws-token-sha256", sha256.toUpperCase()]
      const server = await start(t, flags)
      await server.accepts(`Bearer ${token}`, "the right token")
      await server.refuses("Bearer nope", "a wrong token")
    },
  },
  "token-file-is-trimmed": {
    ...auth,
    level: "must",
    spec: ["b76"],
    says: "--ws-token-file names a file with the token; whitespace around the token is trimmed.",
    run: (t) =>
      withFile(`\n ${token} \r\n`, async (path) => {
        const server = await start(t, ["--ws-auth", "capability-token", "--ws-token-file", path])
        await server.accepts(`Bearer ${token}`, "the token of the file")
        await server.refuses("Bearer nope", "a wrong token")
        await server.refuses(undefined, "no Authorization header")
      }),
  },
  "works-after-the-upgrade": {
    ...auth,
    level: "must",
    args: byDigest,
    spec: [],
    says: "A client with the right token can do the handshake and ask for environment/status.",
    run: async (t) => {
      const wire = await t.connect({ authorization: `Bearer ${token}` })
      await wire.handshake()
      await wire.barrier()
    },
  },
  "texts-of-refusals": {
    ...auth,
    level: "should",
    spec: [58, 59, 60],
    says: "The body of a refused upgrade is the exact text of Codex, and there is no WWW-Authenticate header.",
    run: async (t) => {
      const server = await start(t, byDigest)
      const texts = [
        [undefined, "missing websocket bearer token"],
        ["Bearer nope", "invalid websocket bearer token"],
        ["Basic x", "invalid authorization header"],
        [token, "invalid authorization header"],
        ["Bearer ", "invalid authorization header"],
      ] as const
      for (const [header, text] of texts) {
        const answer = await server.refuses(header, `the header ${JSON.stringify(header)}`)
        Check.equal(answer.body, text, `the body for the header ${JSON.stringify(header)}`)
        Check.equal(answer.headers["www-authenticate"] ?? null, null, "the WWW-Authenticate header")
      }
    },
  },
})
