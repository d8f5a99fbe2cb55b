/** Cases that provoke wrong orders of events. SpawnedChild.ts checks the order for every child of every case. */
import * as Check from "../../suite/Check.ts"
import { table, type SpawnerContext } from "../SpawnerContext.ts"
import { sh } from "../SpawnedChild.ts"

/** The scope of a child that prints without end closes after so many bytes. */
const closesWithin = async (t: SpawnerContext, bytes: number, pty: boolean): Promise<void> => {
  const child = await t.start({ argv: ["yes"], pty, onOutput: () => {} })
  await child.until(() => child.count > bytes, `${bytes} bytes`)
  await child.close()
  const told = child.log.length
  await t.others()
  Check.equal(child.log.length - told, 0, "events after the scope had closed")
}

export const events = table("spawner/events", {
  "none-before-spawn-has-succeeded": {
    says: "However fast a child prints and exits, no event comes before spawn has succeeded, in each of 50 runs.",
    run: async (t) => {
      await t.times(50, 4, async () => {
        const child = await t.run({ argv: ["/bin/echo", "x"] })
        Check.equal(child.text(), "x\n", "stdout")
      })
    },
  },
  "each-end-once-and-after-the-last-byte": {
    says: "Each stream ends once, after its last byte; a stream without output ends too.",
    run: async (t) => {
      await t.times(50, 4, async () => {
        const child = await t.run({ argv: sh("seq 1 2000") })
        Check.equal([...child.ended].sort(), ["stderr", "stdout"], "the streams that have ended")
        Check.equal(child.log.indexOf("/stdout") > child.log.lastIndexOf("stdout"), true, "the end is last")
      })
    },
  },
  "exit-once": {
    says: "The exit is reported once, even if the child is signalled and killed after it.",
    run: async (t) => {
      const child = await t.start({ argv: sh("exit 4") })
      await child.finished()
      await child.signal("SIGTERM")
      await child.effect(child.handle.kill, "kill")
      await t.others()
      Check.equal(child.log.filter((entry) => entry === "exit").length, 1, "exits")
      Check.equal(child.status as { kind: string; code: number }, { kind: "exited", code: 4 }, "the exit")
    },
  },
  "none-after-the-scope-has-closed": {
    says: "A child that prints without end causes no event after its scope has closed.",
    run: (t) => closesWithin(t, 1_000_000, false),
  },
  "none-after-the-scope-has-closed-on-a-pty": {
    requires: ["pty"],
    says: "A child that prints on a PTY without end causes no event after its scope has closed.",
    run: (t) => closesWithin(t, 100_000, true),
  },
  "no-empty-output": {
    level: "should",
    says: "A child that prints nothing causes no output event, not even an empty one.",
    run: async (t) => {
      const child = await t.run({ argv: ["true"] })
      Check.equal([...child.log].sort(), ["/stderr", "/stdout", "exit"], "the events")
    },
  },
})
