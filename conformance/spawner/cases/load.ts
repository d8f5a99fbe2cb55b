/** Cases about many children: they do not disturb each other, and nothing leaks. */
import * as Check from "../../suite/Check.ts"
import { table, type SpawnerContext } from "../SpawnerContext.ts"
import { sh, type ChildOptions, type SpawnedChild } from "../SpawnedChild.ts"
import * as HostProcess from "../HostProcess.ts"

const MANY = 200
/** The number of descriptors and processes that the spawner may keep for itself. */
const OWN = 5

/** Many children run at the same time; then each one is asked to exit with its number. */
const atOnce = async (t: SpawnerContext, pty: boolean): Promise<void> => {
  const children: Array<SpawnedChild> = []
  for (let i = 0; i < MANY; i++) {
    children.push(await t.start({ argv: sh(`read -r line; echo "$line"; exit ${i}`), stdin: !pty, pty }))
  }
  // One after the other: each has the time of a wait for itself, however slowly a busy machine runs all of them.
  for (const [i, child] of children.entries()) await child.write(`line ${i}\n`)
  for (const child of children) await child.finished()
  for (const [i, child] of children.entries()) {
    Check.equal({ ...child.status }, { kind: "exited", code: i }, `the exit of child ${i}`)
    Check.equal(child.text().includes(`line ${i}${pty ? "\r" : ""}\n`), true, `the output of child ${i}`)
  }
  await Promise.all(children.map((child) => child.close()))
}

/** Runs `work` twice; the second run must leave no descriptor, zombie or process. */
const leavesNothing = async (t: SpawnerContext, work: () => Promise<void>): Promise<void> => {
  await work()
  const before = HostProcess.descriptors()
  const processes = HostProcess.childCount()
  await work()
  await t.until(() => HostProcess.descriptors() <= before + OWN, `descriptors to be ${before} again`)
  await t.until(() => HostProcess.zombies() <= OWN, "no zombie to be left")
  await t.until(() => HostProcess.childCount() <= processes + OWN, `processes to be ${processes} again`)
}

/** Runs 50 children of one kind, some at a time. */
const fifty = (t: SpawnerContext, options: ChildOptions) =>
  leavesNothing(t, () => t.times(50, 8, async () => void (await t.run(options))))

/** Starts 50 children, some at a time, and closes the scope of each when it runs. */
const fiftyKilled = (t: SpawnerContext, pty: boolean) =>
  leavesNothing(t, () =>
    t.times(50, 8, async () => {
      const child = await t.start({ argv: sh(`echo up; ${t.idle}`), pty })
      await child.seen("up")
      await child.close()
    }),
  )

export const load = table("spawner/load", {
  "200-at-once": {
    requires: ["pipeStdin"],
    says: "200 pipe children at once each read their line, print it, and exit with their number.",
    run: (t) => atOnce(t, false),
  },
  "200-at-once-on-ptys": {
    requires: ["pty"],
    says: "200 children at once on PTYs each read their line, print it, and exit with their number.",
    run: (t) => atOnce(t, true),
  },
  "nothing-is-left": {
    alone: true,
    requires: ["procfs"],
    says: "50 pipe children that ran to their end leave no descriptor, no zombie and no process.",
    run: (t) => fifty(t, { argv: ["true"] }),
  },
  "nothing-is-left-with-stdin": {
    alone: true,
    requires: ["procfs", "pipeStdin"],
    says: "50 pipe children with an open stdin that ran to their end leave nothing.",
    run: (t) => fifty(t, { argv: ["true"], stdin: true }),
  },
  "nothing-is-left-of-ptys": {
    alone: true,
    requires: ["procfs", "pty"],
    says: "50 children on PTYs that ran to their end leave nothing.",
    run: (t) => fifty(t, { argv: ["true"], pty: true }),
  },
  "nothing-is-left-of-the-killed": {
    alone: true,
    requires: ["procfs"],
    says: "50 children that are killed by the end of their scope leave nothing.",
    run: (t) => fiftyKilled(t, false),
  },
  "nothing-is-left-of-killed-ptys": {
    alone: true,
    requires: ["procfs", "pty"],
    says: "50 children on PTYs that are killed by the end of their scope leave nothing.",
    run: (t) => fiftyKilled(t, true),
  },
})
