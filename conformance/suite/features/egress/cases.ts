/**
 * An extension that a server with rules for the hosts that processes reach may announce as `processEgress` in
 * `environmentInfo.capabilities`. The cases ask by rules of a start alone, so any rules of the server will do. A child
 * asks the proxy that its environment names.
 */
import { Check, Child, table, type JsonObject } from "../../Vocabulary.ts"

const rules = { requires: ["process-egress"] } as const

/** Asks for each of these URLs in turn, and prints the status and the text of each answer, and at last `end`. */
const asking = (
  wire: Child.Child["wire"],
  urls: ReadonlyArray<string>,
  egress: ReadonlyArray<string> = [],
  params: JsonObject = {},
) => {
  const script = `
    const { hostname, port } = new URL(process.env.http_proxy)
    const ask = ([path, ...others]) => path === undefined ? console.log("end") :
      require("http").get({ hostname, port, path, headers: { host: new URL(path).host } }, (answer) => {
        answer.setEncoding("utf8")
        let text = ""
        answer.on("data", (more) => (text += more))
        answer.on("end", () => (console.log(answer.statusCode, text.trim()), ask(others)))
      })
    ask(process.argv.slice(1))`
  return Child.start(wire, { argv: [process.execPath, "-e", script, ...urls], params: { egress, ...params } })
}

/** The denials that the client was told of. */
const told = (child: Child.Child): ReadonlyArray<JsonObject> =>
  Child.notified(child.wire, "process/egress", child.id)

const withoutId = (event: JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(event).filter(([name]) => name !== "processId"))

export const processEgress = table("process/egress", rules, {
  "tells-what-no-rule-allows": {
    says: `A process whose start allows nothing gets a 403 with one sentence, and its client process/egress with
      protocol, host, port, reason and the sentence, with a seq before that of the output that follows.`,
    play: async (wire) => {
      const child = await asking(wire, ["http://Example.ORG.:8080/x"])
      await child.ended()
      const [event, ...more] = told(child)
      Check.equal(more.length, 0, "further denials")
      const found = Check.object(event ?? null, "process/egress")
      const target = { protocol: "http", host: "example.org", port: 8080, reason: "not_allowed", rule: null }
      Check.has(found, target, "the denial")
      const sentence = Check.text(found["message"], "message")
      Check.contains(sentence, "example.org:8080", "the sentence")
      Check.equal(child.text("stdout"), `403 ${sentence}\nend\n`, "what the program gets")
      const seq = Check.integer(found["seq"], "seq")
      const first = Check.integer(
        child.events().find(({ kind }) => kind === "output")?.seq ?? null,
        "the seq of the first output",
      )
      Check.isTrue(seq < first, `the denial has the seq ${seq}, and the output behind it ${first}`)
    },
  },
  "tells-a-target-once": {
    says: `A target is told once for a reason; process/read has the same denials as blocked, and the counts of a
      closed process have each attempt.`,
    play: async (wire) => {
      const urls = ["http://a.example.org/", "http://b.example.org/", "http://a.example.org/2"]
      const child = await asking(wire, urls, ["deny:b.example.org"])
      await child.ended()
      const events = told(child)
      Check.equal(
        events.map(({ host }) => host ?? null),
        ["a.example.org", "b.example.org"],
        "the denials",
      )
      const read = await child.read()
      Check.equal(read["blocked"] ?? null, events.map(withoutId), "blocked")
      Check.equal(read["egress"] ?? null, { allowed: 0, denied: 3 }, "the counts of process/read")
      const [closed] = Child.notified(wire, "process/closed", child.id)
      Check.has(closed ?? {}, { egress: { allowed: 0, denied: 3 } }, "process/closed")
    },
  },
  "unknown-to-a-client-takes-no-seq": {
    says: `A client whose start does not ask to hear of denials gets no process/egress, and no seq is missing among its
      events.`,
    play: async (wire) => {
      const child = await asking(wire, ["http://a.example.org/"], ["allow:b.example.org"], {
        egressEvents: false,
      })
      await child.ended()
      Check.equal(told(child).length, 0, "the number of process/egress")
      const seqs = child.events().map(({ seq }) => seq)
      Check.equal(
        seqs,
        seqs.map((_, index) => index + 1),
        "the seqs of its events",
      )
      const [closed] = Child.notified(wire, "process/closed", child.id)
      Check.has(closed ?? {}, { egress: { allowed: 0, denied: 1 } }, "process/closed")
    },
  },
  "refuses-rules-that-are-none": {
    says: "A start with a rule that allows everything, or is none, is refused (-32602), and nothing is started.",
    play: async (wire) => {
      for (const rule of ["allow:*", "allow:*.com", "x.org", "allow:http://x.org/"]) {
        const params = Child.params(wire, { argv: ["true"], params: { egress: [rule] } })
        await wire.refused("process/start", params, -32602)
      }
    },
  },
})
