/** Cases about the exit of a child. */
import type { ExitStatus } from "../../../core/spawn/Spawner.ts"
import * as Check from "../../suite/Check.ts"
import { table, type SpawnerContext } from "../SpawnerContext.ts"
import { sh } from "../SpawnedChild.ts"

const exited = (code: number): ExitStatus => ({ kind: "exited", code })
const signaled = (signal: number): ExitStatus => ({ kind: "signaled", signal })

const endsAs = async (
  t: SpawnerContext,
  wanted: { readonly [script: string]: ExitStatus },
  pty = false,
): Promise<void> => {
  for (const [script, status] of Object.entries(wanted)) {
    const child = await t.run({ argv: sh(script), pty })
    Check.equal({ ...child.status }, { ...status }, `the exit of '${script}'`)
  }
}

const common = {
  "exit 0": exited(0),
  "exit 1": exited(1),
  "exit 255": exited(255),
  "exit 300": exited(44),
  "kill -KILL $$": signaled(9),
  "kill -TERM $$": signaled(15),
  "kill -INT $$": signaled(2),
  "kill -PIPE $$": signaled(13),
}

/** A descendant holds the output of a child that exits. */
const outlived = async (t: SpawnerContext, before: string, pty: boolean): Promise<void> => {
  const child = await t.start({ argv: sh(`${before}(${t.waitFor("go")}) & exit 3`), pty })
  Check.equal({ ...(await child.exit()) }, { ...exited(3) }, "the exit")
  Check.equal([...child.ended], [], "streams that have ended")
  t.put("go")
  await child.finished()
}

export const exit = table("spawner/exit", {
  "code-and-signal": {
    says: `A pipe child that exits is reported with its code (modulo 256), one that dies of a signal with
      the number of the signal.`,
    run: (t) => endsAs(t, common),
  },
  "code-and-signal-on-a-pty": {
    requires: ["pty"],
    says: `A child on a PTY that exits is reported with its code, one that dies of a signal with the number
      of the signal.`,
    run: (t) => endsAs(t, common, true),
  },
  "real-time-signal": {
    level: "should",
    says: "A child that dies of a real-time signal (40, 64) is reported with that number.",
    run: (t) => endsAs(t, { "kill -40 $$": signaled(40), "kill -64 $$": signaled(64) }),
  },
  "not-delayed-by-a-descendant": {
    says: "The exit of a child is reported while a descendant still holds its output.",
    run: (t) => outlived(t, "", false),
  },
  "not-delayed-by-a-descendant-on-a-pty": {
    requires: ["pty"],
    says: "The exit of a child is reported while a descendant still holds its terminal.",
    run: (t) => outlived(t, "trap '' HUP; ", true),
  },
  "before-the-others": {
    says: "The exit of a child is reported at once, though children that were started before it still run.",
    run: async (t) => {
      for (let i = 0; i < 5; i++) await t.start({ argv: sh(t.idle) })
      const child = await t.run({ argv: sh("exit 9") })
      Check.equal({ ...child.status }, { ...exited(9) }, "the exit")
    },
  },
})
