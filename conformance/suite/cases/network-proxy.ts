/**
 * `networkProxy` of `process/start`: a proxy for one process that asks the client for each host.
 *
 * The processes are the Node that runs the suite, because not every machine has a command line client for HTTP.
 */
import { Check, Child, isObject, table, type Json, type JsonObject, type Wire } from "../Vocabulary.ts"

const proxied = { requires: ["network-proxy"], server: "owned" } as const

const proxy = {
  enabled: true,
  enableSocks5: false,
  enableSocks5Udp: false,
  allowUpstreamProxy: false,
  dangerouslyAllowAllUnixSockets: false,
  mode: "full",
  allowLocalBinding: false,
}

/** Asks for a page of a host that does not exist through the proxy in HTTP_PROXY, and prints the status. */
const page = `
  const proxy = new URL(process.env.HTTP_PROXY)
  const path = "http://example.invalid/"
  require("node:http")
    .get({ host: proxy.hostname, port: proxy.port, path, headers: { host: "example.invalid" } }, (answer) => {
      process.stdout.write("status " + answer.statusCode)
      process.exit(0)
    })
    .on("error", (error) => process.stdout.write("error " + error.message))
`

const start = (wire: Wire, policyDecisionTimeoutMs: number): Promise<Child.Child> =>
  Child.start(wire, {
    argv: [process.execPath, "-e", page],
    params: { networkProxy: { proxy, policyDecisionTimeoutMs } },
  })

/** The params of every notification with this method, or the next request with it. */
const seen = (wire: Wire, method: string): ReadonlyArray<JsonObject> =>
  wire.inbox.messages.flatMap(({ json }) => (isObject(json) && json["method"] === method ? [json] : []))

const question = (wire: Wire): Promise<JsonObject> =>
  wire.inbox.wait("network/policyRequest", wire.timeoutMs, () => seen(wire, "network/policyRequest")[0])

export const networkProxy = table("process/networkProxy", {
  "client-denies": {
    ...proxied,
    spec: ["b77"],
    says: `With policyDecisionTimeoutMs an unknown host makes the server send the request
      network/policyRequest; after a deny the process sees 403, and network/policyDecision is notified once.`,
    play: async (wire, t) => {
      const child = await start(wire, t.timeoutMs)
      const { id = null, params } = await question(wire)
      const asked = Check.object(params, "params of network/policyRequest")
      Check.equal(asked["processId"], child.id, "processId")
      const wanted = { protocol: "http", host: "example.invalid", port: 80 }
      Check.equal(asked["request"], wanted, "request")
      wire.send({ id, result: { decision: { type: "deny", reason: "no" } } })
      await child.ended()
      Check.equal(child.text("stdout"), "status 403", "what the process saw")
      const decisions = seen(wire, "network/policyDecision")
      Check.equal(decisions.length, 1, "the number of network/policyDecision")
      const told = Check.object(decisions[0]?.["params"], "params of network/policyDecision")
      Check.has(told, { processId: child.id, decision: "deny", host: "example.invalid" }, "the told")
    },
  },
  "client-does-not-know-the-method": {
    ...proxied,
    spec: ["b77"],
    says: "An answer to network/policyRequest with the error -32601 allows nothing: the process sees 403.",
    play: async (wire, t) => {
      const child = await start(wire, t.timeoutMs)
      const { id = null } = await question(wire)
      wire.send({ id, error: { code: -32601, message: "unknown method" } })
      await child.ended()
      Check.equal(child.text("stdout"), "status 403", "what the process saw")
      await wire.barrier()
    },
  },
  "client-does-not-answer": {
    ...proxied,
    slow: true,
    spec: ["b77"],
    says: "When the client does not answer in time, nothing is allowed: the process sees 403.",
    run: async (t) => {
      const child = await start(await t.open(), 300)
      await child.ended()
      Check.equal(child.text("stdout"), "status 403", "what the process saw")
    },
  },
  "zero-timeout-refused": {
    ...proxied,
    spec: ["b78"],
    says: "policyDecisionTimeoutMs 0 is refused with -32602, and so is a networkProxy without proxy.",
    play: async (wire) => {
      const at = (networkProxy: JsonObject) => Child.params(wire, { id: "p", params: { networkProxy } })
      await wire.refused("process/start", at({ proxy, policyDecisionTimeoutMs: 0 }), -32602)
      const text = await wire.refused("process/start", at({}), -32602)
      Check.contains(text, "proxy", "the text")
      await Child.start(wire, { id: "p" })
    },
  },
  "transparent-tcp-needs-a-proxy": {
    peers: ["0.171"],
    says: `managedNetwork with transparentTcp true and without networkProxy is refused with -32602 and
      transparent TCP requires an executor-local managed proxy, whatever else is wrong; with false the
      process runs.`,
    play: async (wire) => {
      const at = (transparentTcp: boolean, more: JsonObject = {}) =>
        Child.params(wire, { id: "p", params: { managedNetwork: { transparentTcp }, ...more } })
      const text = "transparent TCP requires an executor-local managed proxy"
      for (const more of [{}, { argv: [] }, { cwd: "file://elsewhere/x" }, { enforceManagedNetwork: true }])
        await wire.refused("process/start", at(true, more), -32602, text)
      await wire.ok("process/start", at(false))
      Check.equal((await Child.attach(wire, "p").ended()).exitCode, 0, "the exit code")
    },
  },
  "transparent-tcp-needs-a-sandbox": {
    peers: ["0.171"],
    says: `A networkProxy whose proxy has transparentTcp true, without a sandbox, is refused with -32602 and
      transparent TCP requires a managed Linux sandbox, also if managedNetwork has it.`,
    play: async (wire) => {
      const networkProxy = { proxy: { ...proxy, transparentTcp: true } }
      const text = "transparent TCP requires a managed Linux sandbox"
      for (const more of [{}, { managedNetwork: { transparentTcp: true } }, { argv: [] }]) {
        const params = Child.params(wire, { params: { networkProxy, ...more } })
        await wire.refused("process/start", params, -32602, text)
      }
    },
  },
  "transparent-tcp-is-a-boolean": {
    peers: ["0.171"],
    says: `A transparentTcp of managedNetwork or of networkProxy.proxy that is no boolean is refused with
      -32602 and a text such as invalid type: sequence, expected a boolean; in an array it is the first
      field of managedNetwork.`,
    play: async (wire) => {
      const faults: ReadonlyArray<readonly [Json, string]> = [
        ["x", 'string "x"'],
        [1, "number"],
        [null, "null"],
        [[], "sequence"],
        [{}, "map"],
      ]
      for (const [transparentTcp, what] of faults) {
        for (const params of [
          { managedNetwork: { transparentTcp } },
          { managedNetwork: [transparentTcp] },
          { networkProxy: { proxy: { ...proxy, transparentTcp } } },
        ]) {
          const text = await wire.refused("process/start", Child.params(wire, { params }), -32602)
          Check.contains(text, `invalid type: ${what}, expected a boolean`, "the text")
        }
      }
      const managedNetwork = [false, [4500], false]
      const child = await Child.start(wire, { params: { managedNetwork } })
      Check.equal((await child.ended()).exitCode, 0, "the exit code with all three fields in an array")
    },
  },
  "refused-or-heeded": {
    server: "owned",
    spec: ["b77"],
    says: `A start with networkProxy is refused with -32602, or the process has HTTP_PROXY: it never runs
      without the proxy that was asked for.`,
    play: async (wire) => {
      const script = 'test -n "$HTTP_PROXY" || echo unguarded'
      const params = { networkProxy: { proxy, policyDecisionTimeoutMs: 300 } }
      const { error } = await wire.begin("process/start", Child.params(wire, { id: "p", script, params }))
      if (error !== undefined) return Check.equal(error.code, -32602, `the code ("${error.message}")`)
      const child = Child.attach(wire, "p")
      await child.ended()
      Check.equal(child.text(), "", "the output")
    },
  },
})
