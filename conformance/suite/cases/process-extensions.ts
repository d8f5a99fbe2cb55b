/**
 * Extensions that a server may announce in `environmentInfo.capabilities`: `process/resize` with `terminalSize`
 * (processResize), `process/closeStdin` (processCloseStdin), and more names in `process/signal` (processSignals).
 */
import { Check, Child, table, type JsonObject, type Wire } from "../Vocabulary.ts"

const resizable = { requires: ["process-resize", "pty"] } as const
const closable = { requires: ["process-close-stdin"] } as const
const signalling = { requires: ["process-signals"] } as const

const resize = (wire: Wire, processId: string, rows: number, columns: number): Promise<JsonObject> =>
  wire.ok("process/resize", { processId, rows, columns })

const closeStdin = (wire: Wire, processId: string): Promise<JsonObject> =>
  wire.ok("process/closeStdin", { processId })

export const processResize = table("process/resize", resizable, {
  "size-of-the-start": {
    says: `process/start with tty and terminalSize {rows, columns} gives the PTY that size from the first
      moment on; null gives the usual 24 rows of 80 columns.`,
    play: async (wire) => {
      const sizes = [
        [{ rows: 50, columns: 132 }, "50 132\r\n"],
        [null, "24 80\r\n"],
      ] as const
      for (const [terminalSize, text] of sizes) {
        const child = await Child.run(wire, { argv: ["stty", "size"], tty: true, params: { terminalSize } })
        Check.equal(child.text("pty"), text, "the output of stty size")
      }
    },
  },
  "program-is-told": {
    says: `process/resize {processId, rows, columns} returns {}; the program in the PTY gets SIGWINCH and
      sees the new size.`,
    play: async (wire) => {
      const script = "trap 'echo now $(stty size); exit 5' WINCH; echo ready; while :; do sleep 0.05; done"
      const child = await Child.start(wire, { script, tty: true })
      await child.says("ready")
      Check.equal(await resize(wire, child.id, 33, 99), {}, "the result")
      Check.equal((await child.ended()).exitCode, 5, "the exit code")
      Check.contains(child.text("pty"), "now 33 99", "the output")
    },
  },
  "takes-effect-in-order": {
    says: "A resize that is sent right behind the start, without waiting, is the size that a later write finds.",
    play: async (wire) => {
      const params = Child.params(wire, { id: "p", script: "read line; stty size", tty: true })
      const chunk = Buffer.from("\n").toString("base64")
      const replies = await Promise.all([
        wire.begin("process/start", params),
        wire.begin("process/resize", { processId: "p", rows: 7, columns: 70 }),
        wire.begin("process/write", { processId: "p", chunk, writeId: "w" }),
      ])
      for (const { error } of replies) Check.equal(error?.message ?? null, null, "an error")
      const child = Child.attach(wire, "p")
      await child.ended()
      Check.contains(child.text("pty"), "7 70\r\n", "the output")
    },
  },
  "no-terminal-refused": {
    says: "process/resize of an unknown process, or of one without tty, is refused with -32600.",
    play: async (wire) => {
      const child = await Child.start(wire, { script: "sleep 60" })
      await wire.refused("process/resize", { processId: child.id, rows: 1, columns: 1 }, -32600)
      const text = await wire.refused("process/resize", { processId: "none", rows: 1, columns: 1 }, -32600)
      Check.equal(text, "unknown process id none", "the text")
    },
  },
  "bad-sizes-refused": {
    says: `Sizes that are missing, negative, fractional or above 65535 are refused with -32602, by
      process/resize and in terminalSize.`,
    play: async (wire) => {
      const child = await Child.start(wire, { script: "sleep 60", tty: true })
      for (const size of [
        {},
        { rows: 5 },
        { rows: -1, columns: 5 },
        { rows: 1.5, columns: 5 },
        { rows: 5, columns: 65_536 },
      ]) {
        await wire.refused("process/resize", { processId: child.id, ...size }, -32602)
        const params = Child.params(wire, { tty: true, params: { terminalSize: size } })
        await wire.refused("process/start", params, -32602)
      }
    },
  },
})

export const processCloseStdin = table("process/closeStdin", closable, {
  "ends-behind-the-writes": {
    says: `process/closeStdin returns {}; a program that reads a piped stdin gets everything that was
      written before, and then EOF.`,
    play: async (wire) => {
      const child = await Child.start(wire, { argv: ["cat"], pipeStdin: true })
      const text = "x".repeat(300_000)
      void wire.begin("process/write", {
        processId: child.id,
        chunk: Buffer.from(text).toString("base64"),
        writeId: "w",
      })
      Check.equal(await closeStdin(wire, child.id), {}, "the result")
      Check.equal((await child.ended()).exitCode, 0, "the exit code of cat")
      Check.equal(child.bytes("stdout").length, text.length, "the number of bytes that came back")
    },
  },
  "later-writes-refused": {
    says: `After process/closeStdin a write is answered with stdinClosed, a write whose writeId was accepted
      before with accepted, and a second process/closeStdin with {}.`,
    play: async (wire) => {
      const child = await Child.start(wire, { script: "cat >/dev/null; sleep 60", pipeStdin: true })
      Check.equal(await child.write("a", "known"), "accepted", "the status before")
      await closeStdin(wire, child.id)
      Check.equal(await child.write("b"), "stdinClosed", "the status of a new write")
      Check.equal(await child.write("a", "known"), "accepted", "the status of a known write")
      Check.equal(await closeStdin(wire, child.id), {}, "the result of the second call")
    },
  },
  "without-a-piped-stdin": {
    level: "should",
    says: `process/closeStdin of an unknown process is refused with -32600; for a process without a piped
      stdin it returns {} or is refused with -32600, and the process goes on.`,
    play: async (wire) => {
      await wire.refused("process/closeStdin", { processId: "none" }, -32600, "unknown process id none")
      const child = await Child.start(wire, { script: "sleep 60" })
      const { error } = await wire.begin("process/closeStdin", { processId: child.id })
      if (error !== undefined) Check.equal(error.code, -32600, `the code ("${error.message}")`)
      Check.equal(await child.terminate(), true, "whether the process was still running")
    },
  },
})

const signals = [
  { name: "terminate", trap: "TERM", code: 143 },
  { name: "hangup", trap: "HUP", code: 129 },
  { name: "quit", trap: "QUIT", code: 131 },
] as const

const send = async (child: Child.Child, signal: string): Promise<void> => {
  const result = await child.wire.ok("process/signal", { processId: child.id, signal })
  Check.equal(result, {}, `the result of ${signal}`)
}

export const processSignals = table("process/signal", {
  "more-names-run-their-traps": {
    ...signalling,
    says: "terminate, hangup and quit send SIGTERM, SIGHUP and SIGQUIT: the trap of a shell for that signal runs.",
    play: async (wire) => {
      for (const { name, trap } of signals) {
        const script = `trap 'echo got ${trap}; exit 33' ${trap}; echo ready; sleep 60 & wait`
        const child = await Child.start(wire, { script })
        await child.says("ready")
        await send(child, name)
        await child.says(`got ${trap}`)
        Check.equal(await child.exited(), 33, `the exit code after ${name}`)
      }
    },
  },
  "more-names-by-default": {
    ...signalling,
    says: "terminate, hangup and quit end a process that does not handle them, with exit code 143, 129 and 131.",
    play: async (wire) => {
      for (const { name, code } of signals) {
        const child = await Child.start(wire, { argv: ["sleep", "60"] })
        await send(child, name)
        Check.equal((await child.ended()).exitCode, code, `the exit code after ${name}`)
      }
    },
  },
  "more-names-reach-the-group": {
    requires: ["process-signals", "process-group"],
    says: "terminate signals the whole process group: a forked child ends with it, and so do its streams.",
    run: async (t) => {
      const child = await Child.start(await t.open(), { script: "sleep 60 & echo ready; wait" })
      await child.says("ready")
      await send(child, "terminate")
      Check.equal((await child.ended()).exitCode, 143, "the exit code")
    },
  },
  "more-names-are-harmless": {
    ...signalling,
    says: "terminate, hangup and quit of an unknown or closed process have the result {} and no effect.",
    play: async (wire) => {
      const child = await Child.run(wire)
      for (const { name } of signals) {
        await send(Child.attach(wire, "nope"), name)
        await send(child, name)
      }
    },
  },
  "more-names-unless-announced": {
    level: "peer",
    spec: [127],
    says: "terminate is refused with -32602, unless environmentInfo.capabilities announces processSignals.",
    run: async (t) => {
      const wire = await t.connect()
      const { environmentInfo } = await wire.handshake()
      const { capabilities = {} } = Check.object(environmentInfo, "environmentInfo")
      const params = { processId: "p", signal: "terminate" }
      if (Check.object(capabilities, "capabilities")["processSignals"] === true)
        await wire.ok("process/signal", params, {})
      else await wire.refused("process/signal", params, -32602)
    },
  },
})
