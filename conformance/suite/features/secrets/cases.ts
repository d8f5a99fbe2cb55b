/** An extension that a server may announce as `processSecrets` in `capabilities`: `secrets` of `process/start`. */
import { Check, Child, table } from "../../Vocabulary.ts"

const secrets = { requires: ["process-secrets"] } as const

const value = "hunter22+value/"

const asking = (script: string) => ({ script, params: { secrets: { TOKEN: { value } } } })

export const processSecrets = table("process/secrets", secrets, {
  "cut-between-chunks": {
    says: `A secret of a start is a variable of the process, and ***TOKEN*** stands for its value in the output, also
      where that is cut within the value.`,
    run: async (t) => {
      const script = `printf "$TOKEN %.5s" "$TOKEN"; sleep 0.3; printf %s "\${TOKEN#?????}"`
      const child = await Child.start(await t.open(), asking(script))
      await child.ended()
      Check.equal(child.text(), "***TOKEN*** ***TOKEN***", "the output")
    },
  },
  "as-base64": {
    says: `The base64 of a secret is masked, also within a longer one.`,
    run: async (t) => {
      const script = `printf %s "$TOKEN" | base64; printf 'ab%s!' "$TOKEN" | base64`
      const child = await Child.start(await t.open(), asking(script))
      await child.ended()
      const [alone = "", within = ""] = child.text().split("\n")
      Check.equal(alone, "***TOKEN***", "the base64")
      Check.equal(/^.{1,4}\*\*\*TOKEN\*\*\*.{1,4}$/.test(within), true, `${within} is masked`)
    },
  },
  // guards: secret-hosts
  "hosts-are-kept": {
    says: `A secret with hosts is refused with -32602 by a server without processSecretHosts, in an error that names the
      secret and not its value; with it the process has a text in its place.`,
    run: async (t) => {
      const wire = await t.open()
      const { capabilities } = await wire.ok("environment/info", {})
      const { processSecretHosts } = Check.object(capabilities, "capabilities")
      const secrets = { TOKEN: { value, hosts: ["api.example.org"] } }
      if (processSecretHosts === true) {
        const child = await Child.start(wire, { script: 'printf %s "$TOKEN"', params: { secrets } })
        await child.ended()
        Check.lacks(child.text(), value, "the output")
        Check.lacks(child.text(), "***TOKEN***", "the output")
        Check.equal(child.text().length > 21, true, "128 bits have at least 22 characters")
        return
      }
      const params = Child.params(wire, { script: "exit 0", params: { secrets } })
      const message = await wire.refused("process/start", params, -32602)
      Check.contains(message, "TOKEN", "the error")
      Check.lacks(message, value, "the error")
    },
  },
})
