/**
 * The order of notifications: it depends on races, so every case runs many rounds and reports how many it saw.
 */
import type { CaseContext } from "../CaseContext.ts"
import { table } from "../Case.ts"
import * as Check from "../Check.ts"
import * as Child from "../Child.ts"

const rounds = 60

/** Runs many short processes, a few at a time, and counts for how many `holds` is false. */
const manyRounds = async (
  t: CaseContext,
  what: string,
  script: string,
  holds: (child: Child.Child, end: Child.End) => boolean,
): Promise<void> => {
  const wire = await t.open()
  let bad = 0
  for (let round = 0; round < rounds; round += 6) {
    const children = await Promise.all(Array.from({ length: 6 }, () => Child.start(wire, { script })))
    const ends = await Promise.all(children.map((child) => child.ended()))
    for (const [index, child] of children.entries()) {
      const end = ends[index]
      if (end !== undefined && !holds(child, end)) bad++
    }
  }
  t.note(`${what}: ${bad} of ${rounds}`)
  Check.equal(bad, 0, `rounds with ${what}, of ${rounds}`)
}

export const outputOrder = table("process/output/order", {
  "start-answered-first": {
    level: "should",
    spec: [97],
    says: "The answer to a start comes before any notification of that process.",
    run: (t) =>
      manyRounds(t, "notifications before the answer", "echo a", (child, end) => {
        const answered = child.wire.inbox.messages.findIndex(({ text }) => {
          return text.includes('"result"') && text.includes(`"${child.id}"`)
        })
        return end.events.every(({ index }) => index > answered)
      }),
  },
  // guards: order
  "in-order-of-seq": {
    level: "should",
    spec: [95],
    says: "On one connection the notifications of a process come in the order of their seqs.",
    run: (t) =>
      manyRounds(t, "notifications out of order", "echo a; echo b >&2", (_, { events }) =>
        events.every(({ seq }, index) => seq === index + 1),
      ),
  },
  "output-before-exited": {
    level: "should",
    spec: [96],
    says: "The output of a process without descendants has lower seqs than exited.",
    run: (t) =>
      manyRounds(t, "output above exited", "echo a; echo b >&2", (_, { events, exitedSeq }) =>
        events.every(({ kind, seq }) => kind !== "output" || seq < exitedSeq),
      ),
  },
  // guards: closed
  "closed-has-the-highest-seq": {
    spec: [94, 96],
    says: "No output and no exited has a seq above closed, in many rounds.",
    run: (t) =>
      manyRounds(t, "seqs above closed", "echo a; echo b >&2", (_, { events, closedSeq }) =>
        events.every(({ seq }) => seq <= closedSeq),
      ),
  },
})
