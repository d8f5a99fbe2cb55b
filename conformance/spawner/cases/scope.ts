/** Cases about the end of a child's scope: every process is killed at once, and no event follows. */
import * as Effect from "effect/Effect"
import * as Check from "../../suite/Check.ts"
import { table } from "../SpawnerContext.ts"
import { sh } from "../SpawnedChild.ts"
import { fill } from "./stdin.ts"

const stubborn = "trap '' TERM HUP INT QUIT PIPE"

export const scope = table("spawner/scope", {
  "kills-the-child": {
    says: `The end of the scope kills a child that ignores every signal it can; closing the scope again does
      nothing.`,
    run: async (t) => {
      const child = await t.start({ argv: sh(`${stubborn}; ${t.beat("child")}`) })
      await t.beating("child")
      await child.close()
      await t.silent("child")
      await child.close()
      Check.equal(child.log, [], "events")
    },
  },
  "kills-the-group": {
    requires: ["processGroup"],
    says: "The end of the scope kills the descendants of a child too, also those of a pipeline in the background.",
    run: async (t) => {
      const script = `${stubborn}; (${t.beat("descendant")}) & (${t.beat("second")}) & ${t.idle}`
      const child = await t.start({ argv: sh(script) })
      await t.beating("descendant", "second")
      await child.close()
      await t.silent("descendant", "second")
    },
  },
  "kills-the-group-on-a-pty": {
    requires: ["processGroup", "pty"],
    says: "The end of the scope kills a child on a PTY and its descendants, though they ignore the hang-up.",
    run: async (t) => {
      const script = `${stubborn}; (${t.beat("descendant")}) & ${t.beat("leader")}`
      const child = await t.start({ argv: sh(script), pty: true })
      await t.beating("descendant", "leader")
      await child.close()
      await t.silent("descendant", "leader")
    },
  },
  "kills-those-who-stay": {
    requires: ["processGroup"],
    says: "The end of the scope kills the descendants of a child that has already exited.",
    run: async (t) => {
      const child = await t.start({ argv: sh(`${stubborn}; (${t.beat("descendant")}) & exit 0`) })
      await child.exit()
      await t.beating("descendant")
      await child.close()
      await t.silent("descendant")
    },
  },
  "closed-at-once": {
    says: "A scope that closes right after spawn has succeeded leaves no process.",
    run: async (t) => {
      for (let i = 0; i < 10; i++) {
        const child = await t.start({ argv: sh(`${stubborn}; ${t.beat("child")}`) })
        await child.close()
      }
      await t.others(3)
      await t.silent("child")
    },
  },
  "ends-although-output-is-held": {
    says: "The end of the scope does not wait for a process of another session that holds the output.",
    run: async (t) => {
      const child = await t.start({ argv: sh(`setsid /bin/sh -c "$1" & echo up; ${t.idle}`, t.idle) })
      await child.seen("up\n")
      await child.close()
      const told = child.log.length
      await t.others()
      Check.equal(child.log.length - told, 0, "events after the scope had closed")
    },
  },
  "handle-is-harmless-afterwards": {
    says: "Every operation of the handle still returns after the scope has closed, and has no effect.",
    run: async (t) => {
      const child = await t.start({ argv: sh(t.idle) })
      const { handle } = child
      await child.close()
      await child.effect(handle.kill, "kill")
      await child.effect(Effect.ignore(handle.signal("SIGTERM")), "signal")
      await child.effect(handle.endStdin, "endStdin")
      await child.effect(handle.abandonOutput, "abandonOutput")
      await child.effect(Effect.ignore(handle.write(Buffer.from("x"))), "write")
      Check.equal(await child.effect(handle.lingering, "lingering"), false, "lingering")
      handle.pause?.()
      handle.resume?.()
      await t.others(5)
    },
  },
  "ends-a-write-that-waits": {
    level: "should",
    requires: ["pipeStdin"],
    says: "A waiting write ends when the scope closes.",
    run: async (t) => {
      const child = await t.start({ argv: sh(t.idle), stdin: true })
      const { state } = fill(child)
      await t.others(3)
      await child.close()
      await t.until(() => state.settled, "the write to end")
    },
  },
})
