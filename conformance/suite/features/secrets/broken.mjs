// @ts-check
// Servers that tell secrets.
import { bytesOf, fault, less } from "../../../lab/faults/wire/changes.mjs"

/** @import { WireFault } from "../../../lab/faults/wire/changes.mjs" */

/** A start whose process has the secrets as mere variables. @param {any} asked */
const unmasked = (asked) => ({
  ...less(asked, "secrets"),
  env: { ...asked.env, TOKEN: asked.secrets.TOKEN.value },
})

/** True for a start whose process would have the secret, also of a right server. @param {any} asked */
const isPlain = (asked) => asked.secrets != null && asked.secrets.TOKEN?.hosts == null

/** @type {readonly WireFault[]} */
export const broken = [
  fault`secrets-cut: Each chunk is masked for itself, so that a value which is cut is told.
    process/secrets/cut-between-chunks process/secrets/as-base64`.by(() => ({
    asked: (m, known) => {
      if (m.method !== "process/start" || !isPlain(m.params)) return undefined
      known.value = m.params.secrets.TOKEN.value
      return { ...m, params: unmasked(m.params) }
    },
    told: (m, known) => {
      if (m.method !== "process/output" || known.value === undefined) return undefined
      const text = bytesOf(m.params.chunk).toString("latin1").replaceAll(known.value, "***TOKEN***")
      return { ...m, params: { ...m.params, chunk: Buffer.from(text, "latin1").toString("base64") } }
    },
  })),
  fault`secrets-told: Secrets are variables, and nothing masks them.
    process/secrets/cut-between-chunks process/secrets/as-base64`.params("process/start", (asked) =>
    isPlain(asked) ? unmasked(asked) : asked,
  ),
  fault`secrets-unguarded: The hosts of a secret are not looked at, and its process has the value.
    process/secrets/hosts-are-kept`.params("process/start", (asked) =>
    asked.secrets?.TOKEN?.hosts == null
      ? asked
      : { ...asked, secrets: { TOKEN: less(asked.secrets.TOKEN, "hosts") } },
  ),
]
