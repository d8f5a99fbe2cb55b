/**
 * An extension that a server may announce as `processChanges` in `environmentInfo.capabilities`: `process/changes`
 * tells starts, restarts, exits and removals of processes, in order.
 */
import { table } from "../Case.ts"
import * as Check from "../Check.ts"
import * as Child from "../Child.ts"
import type { JsonObject } from "../Json.ts"
import type { Wire } from "../wire/Wire.ts"

const changes = { requires: ["process-changes"] } as const

const begin = async (wire: Wire): Promise<number> =>
  Check.integer((await wire.ok("process/changes", {}))["nextSeq"], "nextSeq")

/** The changes from a seq on, up to the one that is wanted. */
const until = async (
  wire: Wire,
  nextSeq: number,
  isLast: (change: JsonObject) => boolean,
): Promise<ReadonlyArray<JsonObject>> => {
  const found: Array<JsonObject> = []
  for (let next = nextSeq; !found.some(isLast);) {
    const answer = await wire.ok("process/changes", { afterSeq: next - 1, waitMs: wire.timeoutMs })
    Check.equal(answer["missed"] ?? null, null, "missed")
    found.push(...Check.list(answer["changes"], "changes").map((one) => Check.object(one, "a change")))
    next = Check.integer(answer["nextSeq"], "nextSeq")
  }
  return found
}

const rowOf = (change: JsonObject): JsonObject => Check.object(change["process"], "process")

const kindsOf = (found: ReadonlyArray<JsonObject>, id: string) =>
  found.filter((change) => rowOf(change)["processId"] === id).map(({ kind }) => Check.text(kind, "kind"))

export const processChanges = table("process/changes", {
  "tells-what-happens-in-order": {
    ...changes,
    requires: ["process-changes", "process-auto-remove"],
    says:
      "Each of many processes that are removed as soon as they have ended is told as started, exited and removed, in " +
      "order, with seqs that grow; the row of an exit has the exit code.",
    play: async (wire) => {
      const from = await begin(wire)
      const ids = Array.from({ length: 20 }, (_, at) => `p${at}`)
      const asked = { script: "exit 3", params: { autoRemove: true } }
      await Promise.all(ids.map((id) => wire.ok("process/start", Child.params(wire, { id, ...asked }))))
      let gone = 0
      const found = await until(wire, from, ({ kind }) => kind === "removed" && (gone += 1) >= ids.length)
      for (const id of ids) Check.equal(kindsOf(found, id), ["started", "exited", "removed"], `of ${id}`)
      const seqs = found.map(({ seq }) => Check.integer(seq, "seq"))
      Check.isTrue(
        seqs.every((seq, at) => seq >= from && seq > (seqs[at - 1] ?? 0)),
        `the seqs are ${seqs.join(", ")}`,
      )
      for (const change of found.filter(({ kind }) => kind === "exited"))
        Check.equal(rowOf(change)["exitCode"], 3, "the exit code")
    },
  },
  "waits-for-news": {
    ...changes,
    says: "With waitMs a request for changes above the last one waits, and is answered when there is one.",
    play: async (wire) => {
      const nextSeq = await begin(wire)
      // Other sessions go on, and seqs are counted over all of them.
      const idle = await wire.ok("process/changes", { afterSeq: nextSeq - 1, waitMs: 50 })
      Check.equal(idle["changes"], [], "the changes when nothing happens")
      const next = Check.integer(idle["nextSeq"], "nextSeq")
      const waiting = wire.ok("process/changes", { afterSeq: next - 1, waitMs: wire.timeoutMs })
      const child = await Child.start(wire, { script: "read -r line", pipeStdin: true })
      const [first] = Check.list((await waiting)["changes"], "changes")
      Check.equal(kindsOf([Check.object(first, "the change")], child.id), ["started"], "the change")
    },
  },
  "tells-what-is-missed": {
    ...changes,
    says: "A request for changes above a seq that is not among those that are kept is answered at once, with missed.",
    play: async (wire) => {
      const nextSeq = await begin(wire)
      const afterSeq = nextSeq + 1_000_000
      const answer = await wire.ok("process/changes", { afterSeq, waitMs: wire.timeoutMs })
      Check.equal(answer["changes"], [], "changes")
      Check.equal(answer["missed"], true, "missed")
      const next = Check.integer(answer["nextSeq"], "nextSeq")
      Check.isTrue(next >= nextSeq && next <= afterSeq, `nextSeq is ${next}`)
    },
  },
})
