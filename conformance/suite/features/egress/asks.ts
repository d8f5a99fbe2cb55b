/**
 * An extension that a server may announce as `processEgress` in `capabilities`: `network/policyRequest` for connections
 * that rules of the server leave to the client. The cases start servers with such rules.
 *
 * The processes are the Node that runs the suite, because not every machine has a command line client for HTTP.
 */
import { Check, Child, isObject, table, type JsonObject, type Wire } from "../../Vocabulary.ts"

const asks = {
  requires: ["egress-flags"],
  args: ["--confine", "no-network", "--egress", "ask,deny:no.invalid"],
} as const

/** Asks for pages through the proxy in HTTP_PROXY, one behind the other, and prints the status of each. */
const pages = (...hosts: ReadonlyArray<string>): string => `
  const proxy = new URL(process.env.HTTP_PROXY)
  const get = ([host, ...rest]) =>
    host === undefined
      ? process.exit(0)
      : require("node:http").get(
          { host: proxy.hostname, port: proxy.port, path: "http://" + host + "/", headers: { host }, agent: false },
          (answer) => {
            process.stdout.write(host + " " + answer.statusCode + "\\n")
            answer.resume().on("end", () => get(rest))
          },
        )
  get(${JSON.stringify(hosts)})
`

const start = (wire: Wire, hosts: ReadonlyArray<string>, params: JsonObject = { egressAsk: true }) =>
  Child.start(wire, { argv: [process.execPath, "-e", pages(...hosts)], params })

/** The messages with this method. */
const seen = (wire: Wire, method: string): ReadonlyArray<JsonObject> =>
  wire.inbox.messages.flatMap(({ json }) => (isObject(json) && json["method"] === method ? [json] : []))

/** The question of that number, from 0. */
const question = (wire: Wire, at = 0): Promise<JsonObject> =>
  wire.inbox.wait("network/policyRequest", wire.timeoutMs, () => seen(wire, "network/policyRequest")[at])

const answer = (wire: Wire, { id = null }: JsonObject, decision: JsonObject): void =>
  wire.send({ id, result: { decision } })

export const processEgressAsk = table("process/egress/ask", asks, {
  "client-denies": {
    says: `A connection that no rule names makes the server send network/policyRequest; after a deny with a reason the
      process sees 403, process/egress has the reason in its message, and network/policyDecision is notified once.`,
    play: async (wire) => {
      const child = await start(wire, ["a.invalid"])
      const asked = await question(wire)
      const wanted = { protocol: "http", host: "a.invalid", port: 80 }
      Check.equal(
        asked["params"],
        { processId: child.id, request: wanted },
        "params of network/policyRequest",
      )
      answer(wire, asked, { type: "deny", reason: "not today" })
      await child.ended()
      Check.equal(child.text("stdout"), "a.invalid 403\n", "what the process saw")
      const [blocked, ...others] = seen(wire, "process/egress")
      Check.equal(others.length, 0, "the number of further process/egress")
      const told = Check.object(blocked?.["params"], "params of process/egress")
      Check.has(told, { host: "a.invalid", reason: "not_allowed", rule: "ask" }, "process/egress")
      Check.contains(String(told["message"]), "not today", "the message")
      const decisions = seen(wire, "network/policyDecision")
      Check.equal(decisions.length, 1, "the number of network/policyDecision")
      const decision = Check.object(decisions[0]?.["params"], "params of network/policyDecision")
      Check.has(decision, { decision: "deny", source: "decider", reason: "not today" }, "the decision")
    },
  },
  "answer-holds": {
    says: `The answer to a question holds for later connections of the process to the same target, which is asked
      about once; after an allow the process sees what became of the connection, and no 403.`,
    play: async (wire) => {
      const child = await start(wire, ["a.invalid", "a.invalid", "b.invalid", "b.invalid"])
      answer(wire, await question(wire), { type: "allow" })
      answer(wire, await question(wire, 1), { type: "deny" })
      await child.ended()
      const statuses = child.text("stdout").split("\n")
      Check.equal(statuses.slice(0, 2), ["a.invalid 502", "a.invalid 502"], "what follows an allow")
      Check.equal(statuses.slice(2, 4), ["b.invalid 403", "b.invalid 403"], "what follows a deny")
      Check.equal(seen(wire, "network/policyRequest").length, 2, "the number of questions")
    },
  },
  "no-rule-is-lifted": {
    says: "A client is not asked about a host that a rule denies, or about an address that is not public.",
    play: async (wire) => {
      const child = await start(wire, ["no.invalid", "10.0.0.1"])
      await child.ended()
      Check.equal(child.text("stdout"), "no.invalid 403\n10.0.0.1 403\n", "what the process saw")
      Check.equal(seen(wire, "network/policyRequest").length, 0, "the number of questions")
    },
  },
  "nobody-asked-for-it": {
    says: "A client whose start has not asked for questions gets none, and the process sees 403.",
    play: async (wire) => {
      const child = await start(wire, ["a.invalid"], {})
      await child.ended()
      Check.equal(child.text("stdout"), "a.invalid 403\n", "what the process saw")
      Check.equal(seen(wire, "network/policyRequest").length, 0, "the number of questions")
    },
  },
})
