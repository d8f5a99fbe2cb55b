/** Cases about signals and process groups. */
import * as Effect from "effect/Effect"
import * as Check from "../../suite/Check.ts"
import { pause } from "../../suite/Deadline.ts"
import { table } from "../SpawnerContext.ts"
import { sh } from "../SpawnedChild.ts"

export const group = table("spawner/group", {
  "signal-arrives": {
    says: "A child receives a signal and may handle it.",
    run: async (t) => {
      const child = await t.start({ argv: sh(`trap 'echo caught; exit 3' USR1; echo up; ${t.idle}`) })
      await child.seen("up\n")
      await child.signal("SIGUSR1")
      await child.finished()
      Check.equal(child.text(), "up\ncaught\n", "stdout")
    },
  },
  "signal-ends": {
    says: "A signal that a child does not handle ends it, even right after its start.",
    run: async (t) => {
      const child = await t.start({ argv: ["sleep", "60"] })
      await child.signal("SIGHUP")
      Check.equal({ ...(await child.exit()) }, { kind: "signaled", signal: 1 }, "the exit")
    },
  },
  "signal-reaches-everyone": {
    requires: ["processGroup"],
    says: "A signal reaches the child and its descendants.",
    run: async (t) => {
      const inner = `trap 'echo inner; exit' USR1; echo up; ${t.idle}`
      const script = `trap 'wait; echo outer; exit 3' USR1; /bin/sh -c "$1" & ${t.idle}`
      const child = await t.start({ argv: sh(script, inner) })
      await child.seen("up\n")
      await child.signal("SIGUSR1")
      await child.finished()
      Check.equal(child.text().split("\n").sort(), ["", "inner", "outer", "up"], "stdout")
    },
  },
  "signal-to-nobody-is-fine": {
    says: "Signals and kills after the exit of a child succeed.",
    run: async (t) => {
      const child = await t.start({ argv: ["true"] })
      await child.finished()
      await child.signal("SIGINT")
      await child.effect(child.handle.kill, "kill")
    },
  },
  "signal-unknown-is-refused": {
    level: "should",
    says: "A signal that does not exist is refused: Unsupported; the child runs on.",
    run: async (t) => {
      const child = await t.start({ argv: sh(t.idle) })
      const outcome = await child.effect(Effect.result(child.handle.signal("SIGNONE")), "the signal")
      Check.equal(
        outcome._tag === "Failure" ? outcome.failure.reason : "no failure",
        "Unsupported",
        "the reason",
      )
      await t.others(3)
      Check.equal(child.status === undefined, true, "the child still runs")
    },
  },
  "kill-ends-everyone": {
    requires: ["processGroup"],
    says: "kill ends a child that ignores signals, and its descendants.",
    run: async (t) => {
      const script = `trap '' TERM HUP INT; (${t.beat("descendant")}) & ${t.beat("leader")}`
      const child = await t.start({ argv: sh(script) })
      await t.beating("descendant", "leader")
      await child.effect(child.handle.kill, "kill")
      await t.silent("descendant", "leader")
      await child.finished()
      Check.equal({ ...child.status }, { kind: "signaled", signal: 9 }, "the exit")
    },
  },
  "leads-a-session": {
    requires: ["processGroup", "procfs"],
    says: "A pipe child leads a session and a group of its own.",
    run: async (t) => {
      const child = await t.run({ argv: sh("echo $$; cat /proc/$$/stat") })
      const [pid = "", stat = ""] = child.text().split("\n")
      const [, , pgid, sid] = stat.slice(stat.lastIndexOf(")") + 2).split(" ")
      Check.equal([pgid ?? "", sid ?? ""], [pid, pid], "group and session")
    },
  },
  "lingering-is-told": {
    requires: ["processGroup"],
    says: "lingering is false while the child runs, true while only descendants do, and false again after them.",
    run: async (t) => {
      const child = await t.start({ argv: sh(`${t.waitFor("first")}; (${t.waitFor("second")}) & exit 0`) })
      const lingering = () => child.effect(child.handle.lingering, "lingering")
      Check.equal(await lingering(), false, "lingering while the child runs")
      t.put("first")
      await child.exit()
      Check.equal(await lingering(), true, "lingering while a descendant runs")
      t.put("second")
      await child.finished()
      while (await lingering()) await pause(10)
    },
  },
  "signal-reaches-those-who-stay": {
    requires: ["processGroup"],
    says: "A signal reaches descendants whose leader has exited.",
    run: async (t) => {
      const child = await t.start({ argv: sh(`(${t.idle}) & exit 0`) })
      await child.exit()
      await child.signal("SIGTERM")
      await child.finished()
    },
  },
})
