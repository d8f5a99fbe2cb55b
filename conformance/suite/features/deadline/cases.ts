/**
 * An extension that a server may announce as `processDeadlines` in `environmentInfo.capabilities`: `timeoutMs`,
 * `idleTimeoutMs`, `killGraceMs`, `signalOnTimeout` and `ending` of `process/start`, `signal` and `graceMs` of
 * `process/terminate`, and any name or number in `process/signal`.
 */
import { Check, Child, pause, table, type Json, type JsonObject } from "../../Vocabulary.ts"
import { begin, resumed } from "../../cases/resuming.ts"

const deadlines = { requires: ["process-deadlines"] } as const

/** The end of a process, as `process/exited` has it. */
const endingOf = async (child: Child.Child): Promise<{ readonly [name: string]: Json }> => {
  const exited = (await child.ended()).events.find(({ kind }) => kind === "exited")
  const { endedBy, exitCode, signal } = Check.object(exited?.params, "the params of process/exited")
  return { endedBy: endedBy ?? null, exitCode: exitCode ?? null, signal: signal ?? null }
}

/** It says `ready` when its trap is set. The sleep is in the background: a shell would not run its trap otherwise. */
const trapping = (trap: string) => `trap '${trap}' TERM; echo ready; while :; do sleep 0.05 & wait $!; done`
const stubborn = "trap '' TERM; echo ready; while :; do sleep 1; done"

export const processDeadlines = table("process/deadlines", deadlines, {
  "timeout-ends-the-process": {
    says: `A process that runs longer than timeoutMs gets SIGTERM: process/exited has endedBy timeout and
      signal 15, process/read has them too, and the output of before.`,
    run: async (t) => {
      const script = "echo partial; exec sleep 60"
      const child = await Child.start(await t.open(), { script, params: { timeoutMs: 300 } })
      Check.equal(await endingOf(child), { endedBy: "timeout", exitCode: 143, signal: 15 }, "the end")
      const state = await child.read()
      Check.has(state, { endedBy: "timeout", signal: 15 }, "the state")
      Check.equal(Child.chunks(state).length, 1, "the chunks that can be read")
    },
  },
  "signal-on-timeout-is-sent": {
    says: "signalOnTimeout is sent at a timeout in place of SIGTERM; a process that exits then is ended by the timeout.",
    run: async (t) => {
      const script = "trap 'exit 9' USR1; while :; do sleep 0.05 & wait $!; done"
      const params = { timeoutMs: 300, signalOnTimeout: "SIGUSR1" }
      const child = await Child.start(await t.open(), { script, params })
      Check.equal(await endingOf(child), { endedBy: "timeout", exitCode: 9, signal: null }, "the end")
    },
  },
  "silence-counts-from-the-last-output": {
    says: `A process without output for idleTimeoutMs gets SIGTERM, with endedBy idleTimeout; output on
      either stream begins that time anew.`,
    run: async (t) => {
      const script = "for i in 1 2 3 4 5; do sleep 0.4; echo $i; sleep 0.4; echo $i >&2; done; exec sleep 60"
      const child = await Child.start(await t.open(), { script, params: { idleTimeoutMs: 2500 } })
      Check.equal(await endingOf(child), { endedBy: "idleTimeout", exitCode: 143, signal: 15 }, "the end")
      Check.equal(child.text("stdout"), "1\n2\n3\n4\n5\n", "stdout")
    },
  },
  "grace-ends-in-a-kill": {
    requires: ["process-deadlines", "process-group"],
    says: `A process that ignores the signal of a deadline is killed killGraceMs later, with its group:
      signal 9, and endedBy timeout; a descendant that survives the process is killed then, too.`,
    play: async (wire) => {
      const params = { timeoutMs: 300, killGraceMs: 200 }
      const child = await Child.start(wire, { script: stubborn, params })
      Check.equal(await endingOf(child), { endedBy: "timeout", exitCode: 137, signal: 9 }, "the end")
      const script = "(trap '' TERM; while :; do sleep 1; done) & exec sleep 60"
      const parent = await Child.start(wire, { script, params })
      Check.equal(await endingOf(parent), { endedBy: "timeout", exitCode: 143, signal: 15 }, "the parent")
    },
  },
  "ended-processes-are-left-alone": {
    says: "A process that exits before its deadlines has endedBy exit, and its output nothing of them.",
    run: async (t) => {
      const params = { timeoutMs: 60_000, idleTimeoutMs: 60_000 }
      const child = await Child.start(await t.open(), { script: "exit 3", params })
      Check.equal(await endingOf(child), { endedBy: "exit", exitCode: 3, signal: null }, "the end")
    },
  },
  "goes-on-without-a-client": {
    requires: ["process-deadlines", "resume"],
    transports: "ws",
    says: "A deadline passes also while no client is attached, and its process ends then.",
    run: async (t) => {
      const { wire, session } = await begin(t)
      const params = { timeoutMs: 1000 }
      const child = await Child.start(wire, { script: "echo ready; exec sleep 60", params })
      await child.says("ready")
      wire.channel.drop()
      await pause(1500)
      const again = Child.attach(await resumed(t, session), child.id)
      const state = await again.read({ afterSeq: 1_000_000, waitMs: t.timeoutMs })
      Check.equal(state["endedBy"], "timeout", "endedBy in the result of process/read")
    },
  },
  "ending-only-when-asked": {
    says: `Without a deadline process/exited tells endedBy and signal with ending: true alone; with a
      deadline and ending: false it does not.`,
    play: async (wire) => {
      const none = { endedBy: null, exitCode: 137, signal: null }
      const script = "kill -KILL $$"
      for (const params of [{}, { ending: null }, { ending: false }, { timeoutMs: 60_000, ending: false }]) {
        Check.equal(await endingOf(await Child.start(wire, { script, params })), none, "the end")
      }
      const asked = await Child.start(wire, { script, params: { ending: true } })
      Check.equal(await endingOf(asked), { endedBy: "signal", exitCode: 137, signal: 9 }, "the end, if asked")
    },
  },
  "bad-values-refused": {
    says: `timeoutMs and idleTimeoutMs of 0, times that are negative, fractional or above 2147483647, and a
      signalOnTimeout that is none, are refused with -32602.`,
    play: async (wire) => {
      for (const params of [
        ...["timeoutMs", "idleTimeoutMs", "killGraceMs"].flatMap((name): ReadonlyArray<JsonObject> => [
          { [name]: -1 },
          { [name]: 1.5 },
          { [name]: "1s" },
          { [name]: 2 ** 31 },
        ]),
        { timeoutMs: 0 },
        { idleTimeoutMs: 0 },
        { signalOnTimeout: "kill" },
        { signalOnTimeout: 0 },
      ]) {
        await wire.refused("process/start", Child.params(wire, { params }), -32602)
      }
    },
  },
})

export const gracefulTerminate = table("process/terminate", deadlines, {
  "grace-asks-first": {
    says: `process/terminate with graceMs answers at once; the process gets SIGTERM, or signal, and its trap
      runs. endedBy is terminate.`,
    play: async (wire) => {
      for (const params of [
        { graceMs: 60_000 },
        { graceMs: 60_000, signal: "TERM" },
        { signal: "SIGTERM" },
      ]) {
        const child = await Child.start(wire, { script: trapping("exit 7") })
        await child.says("ready")
        const answer = await wire.ok("process/terminate", { processId: child.id, ...params })
        Check.equal(answer, { running: true }, "the result")
        Check.equal(await endingOf(child), { endedBy: "terminate", exitCode: 7, signal: null }, "the end")
      }
    },
  },
  "grace-kills-what-is-left": {
    says: "A process that ignores the signal of process/terminate is killed after graceMs; with graceMs 0 at once.",
    play: async (wire) => {
      for (const graceMs of [300, 0]) {
        const child = await Child.start(wire, { script: stubborn })
        await child.says("ready")
        await wire.ok("process/terminate", { processId: child.id, graceMs })
        Check.equal(await endingOf(child), { endedBy: "terminate", exitCode: 137, signal: 9 }, "the end")
      }
    },
  },
})

export const anySignal = table("process/signal", deadlines, {
  "any-name-or-number": {
    says: `With processDeadlines a signal may be a POSIX name, with or without SIG, or a number; what no
      host has is refused with -32602.`,
    play: async (wire) => {
      for (const signal of ["SIGUSR1", "USR1", "SIGTERM", 15, 1]) {
        const script =
          'for s in USR1 TERM HUP; do trap "echo got $s; exit 33" $s; done; echo ready; sleep 60 & wait'
        const child = await Child.start(wire, { script })
        await child.says("ready")
        await wire.ok("process/signal", { processId: child.id, signal }, {})
        const name = signal === 15 ? "TERM" : signal === 1 ? "HUP" : String(signal).replace(/^SIG/, "")
        await child.says(`got ${name}`)
      }
      for (const signal of ["SIGFOO", "SIG", 0, -9, 65]) {
        await wire.refused("process/signal", { processId: "p", signal }, -32602)
      }
    },
  },
})
