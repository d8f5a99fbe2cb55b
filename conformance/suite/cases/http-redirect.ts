/**
 * `http/request` and redirects: method, body and credentials of the next request. Headers of `http/request` that
 * take their value from the environment of the server.
 */
import * as Check from "../Check.ts"
import * as HttpOrigin from "../wire/HttpOrigin.ts"
import { bodyOf, originTable } from "./origin.ts"

/** `/303/POST` and the like redirect by that status to /end; `/N` redirects N times more. */
const elsewhere: HttpOrigin.Answer = ({ path }, response) => {
  const [, first = "", second] = path.split("/")
  if (first === "end" || first === "0") return void response.end("end")
  const [status, location] = second === undefined ? [302, `/${Number(first) - 1}`] : [Number(first), "/end"]
  response.writeHead(status, { location })
  response.end()
}

export const httpRedirect = originTable("http/redirect", {
  "method-and-body": {
    spec: ["b59"],
    serve: elsewhere,
    says: `After 303 every method but HEAD becomes a GET without a body, after 301 and 302 only a POST; 307
      and 308 change nothing.`,
    run: async ({ ask, origin }) => {
      const bodyBase64 = Buffer.from("body").toString("base64")
      const expected: ReadonlyArray<readonly [string, string, string]> = [
        ["301", "POST", "GET"],
        ["302", "POST", "GET"],
        ["303", "PUT", "GET"],
        ["301", "PUT", "PUT"],
        ["307", "POST", "POST"],
        ["308", "PUT", "PUT"],
      ]
      for (const [status, method, then] of expected) {
        const headers = [{ name: "content-type", value: "text/plain" }]
        await ask(`/${status}/x`, { method, bodyBase64, headers })
        const seen = origin.seen.at(-1)
        if (seen === undefined) return Check.fail("no request arrived")
        Check.equal([seen.method, seen.path], [then, "/end"], `what ${status} makes of ${method}`)
        const kept = then === method
        Check.equal(seen.body.toString("utf8"), kept ? "body" : "", `the body behind ${status}`)
        Check.equal(HttpOrigin.names(seen).includes("content-type"), kept, `content-type behind ${status}`)
      }
    },
  },
  "see-other-has-no-body": {
    level: "should",
    spec: ["b59"],
    serve: elsewhere,
    says: "Behind a 303 a GET or HEAD with a body goes on as it is, without the body and the headers about it.",
    run: async ({ ask, origin }) => {
      const bodyBase64 = Buffer.from("body").toString("base64")
      const headers = [
        { name: "content-type", value: "text/plain" },
        { name: "x-mine", value: "1" },
      ]
      for (const method of ["GET", "HEAD"]) {
        await ask("/303/x", { method, bodyBase64, headers })
        const seen = origin.seen.at(-1)
        if (seen === undefined) return Check.fail("no request arrived")
        const said = HttpOrigin.names(seen).filter((name) => /^(?:content-|transfer-|x-mine)/.test(name))
        Check.equal(
          [seen.method, seen.path, ...said],
          [method, "/end", "x-mine"],
          `what 303 makes of ${method}`,
        )
        Check.equal(seen.body.toString("utf8"), "", `the body of ${method} behind 303`)
      }
    },
  },
  "no-length-without-a-body": {
    level: "should",
    serve: elsewhere,
    says: "A request without a body has no content-length, whatever its method, and neither has the one behind a redirect.",
    run: async ({ ask, origin }) => {
      for (const method of ["POST", "PUT", "PATCH", "DELETE"]) {
        await ask(`/307/x`, { method })
        for (const seen of origin.seen.slice(-2)) {
          const said = HttpOrigin.names(seen).filter((name) =>
            /^(?:content-length|transfer-encoding)$/.test(name),
          )
          Check.equal([seen.method, ...said], [method], `what is said of the body of ${method} ${seen.path}`)
        }
      }
      Check.equal(origin.seen.length, 8, "the number of requests")
    },
  },
  "ten-at-most": {
    spec: ["b59"],
    serve: elsewhere,
    says: "Ten redirects are followed; the eleventh fails with -32603 and too many redirects.",
    run: async ({ ask, wire, params }) => {
      Check.equal(bodyOf(await ask("/10")).toString("utf8"), "end", "the body")
      const text = await wire.refused("http/request", params("/11"), -32603)
      Check.equal(text, "http/request failed: too many redirects", "the text")
    },
  },
  "credentials-stay-at-home": {
    spec: ["b59"],
    serve: ({ path }, response) => {
      if (path !== "/end") response.writeHead(302, { location: "/end" })
      response.end()
    },
    says: "authorization and cookie are sent on after a redirect to the same host and port, and dropped for another.",
    run: async ({ ask, origin }) => {
      const headers = ["authorization", "cookie", "x-mine"].map((name) => ({ name, value: "1" }))
      await ask("/start", { headers })
      const here = origin.seen.at(-1)
      const far = await HttpOrigin.start((_, response) => response.end())
      const away = await HttpOrigin.start((_, response) => {
        response.writeHead(302, { location: `${far.url}/end` })
        response.end()
      })
      try {
        await ask("/", { url: `${away.url}/start`, headers })
      } finally {
        for (const one of [far, away]) one.close()
      }
      const there = far.seen.at(-1)
      if (here === undefined || there === undefined) return Check.fail("no request arrived")
      const carried = (seen: HttpOrigin.Seen) =>
        HttpOrigin.names(seen).filter((name) => headers.some((one) => one.name === name))
      Check.equal([...carried(here)], ["authorization", "cookie", "x-mine"], "what went to the same origin")
      Check.equal([...carried(there)], ["x-mine"], "what went to another")
    },
  },
  "other-scheme": {
    level: "peer",
    spec: ["b59"],
    serve: (_, response) => {
      response.writeHead(302, { location: "ftp://127.0.0.1/x" })
      response.end()
    },
    says: "A redirect to another scheme fails with -32603 and the exact text of Codex.",
    run: async ({ wire, params }) => {
      const text = "http/request failed: redirect target uses unsupported URL scheme: ftp"
      await wire.refused("http/request", params("/"), -32603, text)
    },
  },
  "method-as-it-is": {
    spec: ["b54"],
    says: "An unusual method is sent unchanged, and a response whose body is cut off fails with -32603.",
    serve: (_, response) => {
      response.writeHead(200, { "content-length": "10" })
      response.write("some", () => setTimeout(() => response.destroy(), 50))
    },
    run: async ({ wire, params, origin }) => {
      const text = await wire.refused("http/request", params("/", { method: "PURGE" }), -32603)
      Check.equal(text, "failed to read http/request response body: error decoding response body", "the text")
      Check.equal(origin.seen[0]?.method, "PURGE", "the method")
    },
  },
})

const fromEnv = (valueEnvVar: string) => ({
  headers: [{ name: "Authorization", value: "Bearer ", valueEnvVar }],
})

export const httpHeaderEnv = originTable("http/request", {
  "header-from-a-variable": {
    spec: ["b60"],
    requires: ["http-header-env"],
    says: "A header with valueEnvVar has its value followed by the value of that variable of the server.",
    run: async ({ ask, origin }) => {
      await ask("/", fromEnv("FROM_SERVER"))
      const [seen] = origin.seen
      if (seen === undefined) return Check.fail("no request arrived")
      Check.equal([...HttpOrigin.values(seen, "authorization")], ["Bearer yes"], "authorization")
    },
  },
  "missing-empty-and-protected-variables-refused": {
    spec: ["b60"],
    requires: ["http-header-env"],
    says: `A valueEnvVar that is not set, is empty, or is one of the protected OPENAI_API_KEY and
      CODEX_API_KEY is refused with -32602, and nothing is sent.`,
    run: async ({ wire, params, origin }) => {
      for (const name of ["PROCWIRE_UNSET", "EMPTY_VARIABLE", "OPENAI_API_KEY", "CODEX_API_KEY"]) {
        await wire.refused("http/request", params("/", fromEnv(name)), -32602)
      }
      Check.equal(origin.seen.length, 0, "requests that arrived")
    },
  },
  "variable-texts-of-the-peer": {
    level: "peer",
    spec: ["b60"],
    requires: ["http-header-env"],
    says: "Refused variables have the exact texts of Codex.",
    run: async ({ wire, params }) => {
      const texts = {
        PROCWIRE_UNSET: "requires executor environment variable PROCWIRE_UNSET",
        EMPTY_VARIABLE: "requires a non-empty executor environment variable EMPTY_VARIABLE",
        OPENAI_API_KEY: "cannot use executor environment variable OPENAI_API_KEY",
      }
      for (const [name, text] of Object.entries(texts)) {
        const whole = `http/request header Authorization ${text}`
        await wire.refused("http/request", params("/", fromEnv(name)), -32602, whole)
      }
    },
  },
})
