/**
 * How long sessions and processes are kept. These cases are slow: they wait for the time to pass.
 */
import { table } from "../Case.ts"
import * as Check from "../Check.ts"
import * as Child from "../Child.ts"
import { pause } from "../Deadline.ts"
import { awaitDeath } from "../wire/ProcessTree.ts"
import { begin, resumed, resumeParams } from "./resuming.ts"

const sockets = { transports: "sockets", requires: ["resume"], level: "must" } as const

export const sessionTime = table("session", {
  "detached-session-expires": {
    ...sockets,
    level: "should",
    spec: [154],
    slow: true,
    server: "owned",
    says: "A session that is not resumed for two minutes expires: its processes are killed, and its id is unknown.",
    run: async (t) => {
      const { wire, session } = await begin(t)
      const child = await Child.start(wire, { script: "echo pid $$.; sleep 600; :" })
      await child.says(".")
      wire.channel.drop()
      await pause(120_000)
      await awaitDeath([Number(/pid (\d+)\./.exec(child.text())?.[1])], t.timeoutMs)
      const message = `unknown session id ${session}`
      await (await t.connect()).refused("initialize", resumeParams(session), -32600, message)
    },
  },
  "every-detach-restarts-the-time": {
    ...sockets,
    level: "peer",
    spec: [143],
    slow: true,
    says: "Two detachments of 45 seconds each can both be resumed.",
    run: async (t) => {
      const { wire, session } = await begin(t)
      wire.channel.drop()
      await pause(45_000)
      const again = await resumed(t, session)
      again.channel.drop()
      await pause(45_000)
      await resumed(t, session)
    },
  },
  "closed-processes-are-forgotten": {
    transports: "any",
    level: "should",
    spec: [141],
    slow: true,
    says:
      "A closed process is readable for at least 20 seconds; after two minutes its id is unknown and free, " +
      "and a new process counts from seq 1.",
    play: async (wire) => {
      const child = await Child.run(wire, { id: "kept", script: "exit 3" })
      await pause(20_000)
      Check.equal((await child.read())["exitCode"], 3, "exitCode after 20 s")
      await pause(100_000)
      await wire.refused("process/read", { processId: "kept" }, -32600, "unknown process id kept")
      Check.equal(await child.write("x"), "unknownProcess", "the status of a write")
      Check.equal(await child.terminate(), false, "running")
      await Child.start(wire, { id: "kept" })
    },
  },
  "exited-but-open-is-kept": {
    transports: "any",
    level: "should",
    spec: [142],
    slow: true,
    says: "A process that has exited stays readable for 95 seconds while a descendant holds its output.",
    run: async (t) => {
      const child = await Child.start(await t.open(), { script: "(sleep 95; echo LATE) & exit 0" })
      await child.exited()
      await pause(91_000)
      Check.equal((await child.read())["closed"], false, "closed after 91 s")
      await child.ended()
      Check.equal(child.text(), "LATE\n", "the late output")
    },
  },
})
