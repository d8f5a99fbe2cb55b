/**
 * A WebSocket server that requires a signed token: a JWT with HS256, and its claims.
 */
import type { CaseContext } from "../CaseContext.ts"
import { table } from "../Case.ts"
import * as Check from "../Check.ts"
import type { JsonObject } from "../Json.ts"
import * as Jwt from "../wire/Jwt.ts"
import { start, withFile, type Guarded } from "./guarded.ts"

const auth = { transports: "ws", requires: ["ws-auth"], server: "owned" } as const

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

export const websocketJwt = table("websocket/jwt", {
  "signed-token-accepted": {
    ...auth,
    level: "must",
    spec: [65],
    says:
      "With --ws-auth signed-bearer-token an upgrade with a JWT signed with HS256 that expires in a minute " +
      "succeeds; a typ header is not needed, and iat and unknown claims are ignored.",
    run: (t) =>
      signed(t, [], async (server) => {
        await server.accepts(bearer(claims()), "a token that expires in a minute")
        await server.accepts(`Bearer ${Jwt.sign(secret, claims(), { alg: "HS256" })}`, "no typ header")
        await server.accepts(bearer(claims({ iat: Jwt.at(9_000), x: [1] })), "iat and another claim")
        await server.accepts(bearer(claims({ iss: "any", aud: "any" })), "iss and aud that nobody asks for")
      }),
  },
  "token-required": {
    ...auth,
    level: "must",
    spec: [58],
    says: "An upgrade without a token, or with a token that is not a JWT, is answered with 401.",
    run: (t) =>
      signed(t, [], async (server) => {
        await server.refuses(undefined, "no Authorization header")
        for (const text of ["x", "a.b.c", secret]) await server.refuses(`Bearer ${text}`, text)
      }),
  },
  "exp-required-as-integer": {
    ...auth,
    level: "must",
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
    ...auth,
    level: "must",
    spec: [67],
    says:
      "A token that expired 35 seconds ago is refused, one that expired 25 seconds ago is accepted: the " +
      "clocks may differ by 30 seconds.",
    run: (t) =>
      signed(t, [], async (server) => {
        await server.refuses(bearer({ exp: Jwt.at(-35) }), "exp 35 s ago")
        await server.accepts(bearer({ exp: Jwt.at(-25) }), "exp 25 s ago")
      }),
  },
  "not-before-with-skew": {
    ...auth,
    level: "must",
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
    ...auth,
    level: "must",
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
    ...auth,
    level: "must",
    spec: [70],
    says:
      "With --ws-issuer a token with another iss, or with none, is refused; with a blank --ws-issuer, iss " +
      "is ignored.",
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
    ...auth,
    level: "must",
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
    ...auth,
    level: "must",
    spec: [72],
    says:
      "With --ws-max-clock-skew-seconds 5 a token that expired 3 seconds ago is accepted, and one that " +
      "expired 9 seconds ago refused.",
    run: (t) =>
      signed(t, ["--ws-max-clock-skew-seconds", "5"], async (server) => {
        await server.accepts(bearer({ exp: Jwt.at(-3) }), "exp 3 s ago")
        await server.refuses(bearer({ exp: Jwt.at(-9) }), "exp 9 s ago")
      }),
  },
  "texts-of-refusals": {
    ...auth,
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
