/**
 * Headers of `http/request` that take their value from the environment of the server.
 */
import * as Check from "../Check.ts"
import * as HttpOrigin from "../wire/HttpOrigin.ts"
import { originTable } from "./origin.ts"

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
    says:
      "A valueEnvVar that is not set, is empty, or is one of the protected OPENAI_API_KEY and CODEX_API_KEY " +
      "is refused with -32602, and nothing is sent.",
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
