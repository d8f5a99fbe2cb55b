/**
 * A WebSocket server that requires a capability token, and the paths that are open without one. A WebSocket server
 * that requires a signed token: a JWT with HS256, and its claims.
 */
import { Check, table, type CaseContext, type JsonObject } from "../Vocabulary.ts"
import * as Jwt from "../wire/Jwt.ts"
import { type Guarded, start, withFile } from "./guarded.ts"
import { createHash } from "node:crypto"

const auth = { transports: "ws", requires: ["ws-auth"], server: "owned" } as const

const token = "open-sesame-0123456789"
const sha256 = createHash("sha256").update(token).digest("hex")
const byDigest = ["--ws-auth", "capability-token", "--ws-token-sha256", sha256]

export const websocketAuth = table("websocket/auth", auth, {
  // guards: wrong-token
  "missing-token-refused": {
    spec: [58, "b76"],
    says: "With --ws-auth capability-token an upgrade without an Authorization header is answered with 401.",
    run: async (t) => {
      const server = await start(t, byDigest)
      await server.refuses(undefined, "no Authorization header")
    },
  },
  "wrong-token-refused": {
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
    requires: ["ws-auth", "http-endpoints"],
    spec: [62, "b76"],
    says: "GET /readyz without a token is answered with 200.",
    run: async (t) => {
      Check.equal((await (await start(t, byDigest)).get("/readyz")).status, 200, "GET /readyz")
    },
  },
  // guards: page-origin
  "origin-refused-with-token": {
    spec: [63, "b76"],
    says: "An upgrade with the right token and an Origin header is answered with 403.",
    run: async (t) => {
      const server = await start(t, byDigest)
      const answer = await server.upgrade(`Bearer ${token}`, { origin: "http://evil.example" })
      Check.equal(answer.status, 403, "the status of the upgrade")
    },
  },
  "digest-in-capitals": {
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
    args: byDigest,
    says: "A client with the right token can do the handshake and ask for environment/status.",
    run: async (t) => {
      const wire = await t.connect({ authorization: `Bearer ${token}` })
      await wire.handshake()
      await wire.barrier()
    },
  },
  "texts-of-refusals": {
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

const secret = "a secret of at least 32 bytes, well, 42 of them"

/** A server with this secret and further flags, which cases with the same flags share. */
const signed = async <A>(
  t: CaseContext,
  flags: ReadonlyArray<string>,
  use: (server: Guarded) => Promise<A>,
): Promise<A> =>
  use(
    await t.once(["a server with a shared secret", ...flags].join("\0"), () =>
      withFile(`${secret}\n`, (path) =>
        start(t, ["--ws-auth", "signed-bearer-token", "--ws-shared-secret-file", path, ...flags]),
      ),
    ),
  )

const bearer = (claims: JsonObject): string => `Bearer ${Jwt.sign(secret, claims)}`

/** Valid claims, with these instead of the usual ones. */
const claims = (other: JsonObject = {}): JsonObject => ({ exp: Jwt.at(60), ...other })

export const websocketJwt = table("websocket/jwt", auth, {
  "signed-token-accepted": {
    spec: [65],
    says: `With --ws-auth signed-bearer-token an upgrade with a JWT signed with HS256 that expires in a
      minute succeeds; a typ header is not needed, and iat and unknown claims are ignored.`,
    run: (t) =>
      signed(t, [], async (server) => {
        await server.accepts(bearer(claims()), "a token that expires in a minute")
        await server.accepts(`Bearer ${Jwt.sign(secret, claims(), { alg: "HS256" })}`, "no typ header")
        await server.accepts(bearer(claims({ iat: Jwt.at(9_000), x: [1] })), "iat and another claim")
        await server.accepts(bearer(claims({ iss: "any", aud: "any" })), "iss and aud that nobody asks for")
      }),
  },
  "token-required": {
    spec: [58],
    says: "An upgrade without a token, or with a token that is not a JWT, is answered with 401.",
    run: (t) =>
      signed(t, [], async (server) => {
        await server.refuses(undefined, "no Authorization header")
        for (const text of ["x", "a.b.c", secret]) await server.refuses(`Bearer ${text}`, text)
      }),
  },
  "exp-required-as-integer": {
    spec: [66],
    says: "A token without exp, or whose exp is a string or a fraction, is refused with 401.",
    run: (t) =>
      signed(t, [], async (server) => {
        await server.refuses(bearer({}), "no exp")
        await server.refuses(bearer({ exp: String(Jwt.at(60)) }), "a text for exp")
        await server.refuses(bearer({ exp: Jwt.at(60) + 0.5 }), "a fraction for exp")
      }),
  },
  // guards: wrong-token
  "expiry-with-skew": {
    spec: [67],
    says: `A token that expired 35 seconds ago is refused, one that expired 25 seconds ago is accepted: the
      clocks may differ by 30 seconds.`,
    run: (t) =>
      signed(t, [], async (server) => {
        await server.refuses(bearer({ exp: Jwt.at(-35) }), "exp 35 s ago")
        await server.accepts(bearer({ exp: Jwt.at(-25) }), "exp 25 s ago")
      }),
  },
  "not-before-with-skew": {
    spec: [68],
    says: "A token whose nbf is 40 seconds ahead is refused, one whose nbf is 25 seconds ahead is accepted.",
    run: (t) =>
      signed(t, [], async (server) => {
        await server.refuses(bearer(claims({ nbf: Jwt.at(40) })), "nbf in 40 s")
        await server.accepts(bearer(claims({ nbf: Jwt.at(25) })), "nbf in 25 s")
      }),
  },
  // guards: wrong-token
  "only-hs256": {
    spec: [69],
    says: "A token with the algorithm none or HS512, or signed with another key, is refused with 401.",
    run: (t) =>
      signed(t, [], async (server) => {
        for (const alg of ["none", "HS512", "HS384"]) {
          await server.refuses(`Bearer ${Jwt.sign(secret, claims(), { alg })}`, `the algorithm ${alg}`)
        }
        await server.refuses(`Bearer ${Jwt.sign(`${secret}x`, claims())}`, "another key")
        const [header, body] = Jwt.sign(secret, claims()).split(".")
        await server.refuses(`Bearer ${header}.${body}.`, "no signature")
      }),
  },
  "issuer-checked": {
    spec: [70],
    says: `With --ws-issuer a token with another iss, or with none, is refused; with a blank --ws-issuer,
      iss is ignored.`,
    run: async (t) => {
      await signed(t, ["--ws-issuer", "me"], async (server) => {
        await server.accepts(bearer(claims({ iss: "me" })), "the right iss")
        await server.refuses(bearer(claims({ iss: "you" })), "another iss")
        await server.refuses(bearer(claims()), "no iss")
      })
      await signed(t, ["--ws-issuer", " "], (server) =>
        server.accepts(bearer(claims()), "a blank --ws-issuer"),
      )
    },
  },
  "audience-checked": {
    spec: [71],
    says: "With --ws-audience the aud of a token must be that string or an array that contains it.",
    run: (t) =>
      signed(t, ["--ws-audience", "here"], async (server) => {
        await server.accepts(bearer(claims({ aud: "here" })), "the right aud")
        await server.accepts(bearer(claims({ aud: ["there", "here"] })), "aud with it in an array")
        await server.refuses(bearer(claims({ aud: "there" })), "another aud")
        await server.refuses(bearer(claims({ aud: ["there"] })), "aud without it in an array")
        await server.refuses(bearer(claims()), "no aud")
      }),
  },
  "skew-flag": {
    spec: [72],
    says: `With --ws-max-clock-skew-seconds 5 a token that expired 3 seconds ago is accepted, and one that
      expired 9 seconds ago refused.`,
    run: (t) =>
      signed(t, ["--ws-max-clock-skew-seconds", "5"], async (server) => {
        await server.accepts(bearer({ exp: Jwt.at(-3) }), "exp 3 s ago")
        await server.refuses(bearer({ exp: Jwt.at(-9) }), "exp 9 s ago")
      }),
  },
  "texts-of-refusals": {
    level: "should",
    spec: [66, 67, 68, 69, 70, 71],
    says: "The body of a refused upgrade is the exact text of Codex.",
    run: (t) =>
      signed(t, ["--ws-issuer", "me", "--ws-audience", "here"], async (server) => {
        const mine = claims({ iss: "me", aud: "here" })
        const texts: ReadonlyArray<readonly [JsonObject, string]> = [
          [{}, "invalid websocket jwt"],
          [{ ...mine, exp: Jwt.at(-90) }, "expired websocket jwt"],
          [{ ...mine, nbf: Jwt.at(90) }, "websocket jwt is not valid yet"],
          [{ ...mine, iss: "you" }, "websocket jwt issuer mismatch"],
          [{ ...mine, aud: "there" }, "websocket jwt audience mismatch"],
        ]
        for (const [given, text] of texts) {
          Check.equal((await server.refuses(bearer(given), text)).body, text, "the body")
        }
      }),
  },
})
