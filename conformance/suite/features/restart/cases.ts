/**
 * An extension that a server may announce as `processRestart` in `environmentInfo.capabilities`: `restart` of
 * `process/start` lets the child of a process be followed by another one in the same process, by its policy or by
 * `process/restart`.
 */
import { Check, Child, table, type JsonObject } from "../../Vocabulary.ts"

const restarts = { requires: ["process-restart"] } as const

const starting = (wire: Child.Child["wire"], script: string, restart: JsonObject): Promise<Child.Child> =>
  Child.start(wire, { script, params: { restart } })

/** The read of a process that is closed. */
const closed = async (child: Child.Child): Promise<JsonObject> => {
  for (let afterSeq = 0; ;) {
    const state = await child.read({ waitMs: 1000, afterSeq })
    if (state["closed"] === true) return child.read()
    afterSeq = Check.integer(state["nextSeq"], "nextSeq") - 1
  }
}

const again = (child: Child.Child, params: JsonObject = {}): Promise<JsonObject> =>
  child.wire.ok("process/restart", { processId: child.id, ...params })

/** Prints its pid, and says bye when it is asked to end. */
const talker = "trap 'echo bye; exit 0' TERM; echo pid $$; while :; do sleep 0.05; done"

const pidsIn = (text: string): ReadonlyArray<string> => text.match(/pid \d+/g) ?? []

export const processRestart = table("process/restart", restarts, {
  "goes-on-in-the-same-process": {
    says: `process/restart asks the child to end (SIGTERM), and is answered when another one runs: its
      output follows in the same process, behind that of the one before, and the process neither exits nor
      closes.`,
    run: async (t) => {
      const child = await starting(await t.open(), talker, { policy: "no" })
      await child.says("pid ")
      await again(child)
      await child.wire.inbox.wait("the output of a second child", child.wire.timeoutMs, () =>
        pidsIn(child.text()).length === 2 ? true : undefined,
      )
      Check.contains(child.text(), "bye\npid ", "the output")
      const [first, second] = pidsIn(child.text())
      Check.isTrue(first !== second, "the second child has the pid of the first one")
      Check.equal(
        child
          .events()
          .map(({ kind }) => kind)
          .filter((kind) => kind !== "output").length,
        0,
        "events beside output",
      )
      await child.terminate()
      const { exitCode } = await child.ended()
      Check.equal(exitCode, 137, "the exit code")
    },
  },
  "follows-a-failure": {
    says:
      "With the policy onFailure a child that exits with another code than 0 is followed by another one, at most `most` " +
      "times; the exit code is that of the last one, and it is told once.",
    run: async (t) => {
      const child = await starting(await t.open(), "echo run; exit 3", { policy: "onFailure", most: 2 })
      const { exitCode, events } = await child.ended()
      Check.equal(exitCode, 3, "the exit code")
      Check.equal(child.text(), "run\nrun\nrun\n", "the output of three children")
      Check.equal(events.filter(({ kind }) => kind === "exited").length, 1, "exits")
    },
  },
  "leaves-a-success": {
    says: "With the policy onFailure a child that exits with 0 is the last one.",
    run: async (t) => {
      const child = await starting(await t.open(), "echo run", { policy: "onFailure", most: 1 })
      const { exitCode } = await child.ended()
      Check.equal(exitCode, 0, "the exit code")
      Check.equal(child.text(), "run\n", "the output of one child")
    },
  },
  "ends-with-a-terminate": {
    says: "process/terminate ends a process for good, whatever its policy is, also between two children.",
    play: async (wire) => {
      const child = await starting(wire, "echo run; exec sleep 600", { policy: "always" })
      await child.says("run\n")
      Check.isTrue(await child.terminate(), "running must be true")
      Check.equal((await child.ended()).exitCode, 137, "the exit code of what was killed")
      Check.equal(child.text(), "run\n", "the output of one child")
      // A child that ends at once is mostly not there: its pauses grow.
      const brief = await starting(wire, "echo run; exit 4", { policy: "always" })
      await brief.says("run\nrun\nrun\n")
      Check.isTrue(await brief.terminate(), "running must be true between two children")
      await brief.ended()
    },
  },
  "replaces-one-that-is-closed": {
    says: `process/restart of a process that is closed starts a new one of its id, with the same arguments,
      whose log begins anew; nobody is attached to it.`,
    run: async (t) => {
      const child = await starting(await t.open(), "echo run; exit 5", { policy: "no" })
      const { closedSeq } = await child.ended()
      await again(child)
      const state = await closed(child)
      Check.has(state, { exitCode: 5, nextSeq: closedSeq + 1 }, "the state")
      Check.equal(
        Buffer.concat(Child.chunks(state).map(({ bytes }) => bytes)).toString(),
        "run\n",
        "its output",
      )
    },
  },
  "needs-to-be-asked-for": {
    says: "process/restart of a process whose start has had no `restart` is refused with -32600, and changes nothing.",
    run: async (t) => {
      const child = await Child.start(await t.open(), { script: talker })
      await child.says("pid ")
      await child.wire.refused("process/restart", { processId: child.id }, -32600)
      Check.isTrue(await child.terminate(), "the process must still run")
    },
  },
})
