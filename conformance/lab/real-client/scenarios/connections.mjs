// @ts-check
// Connections that are lost, and clients that come back.
import assert from "node:assert/strict"
import { writeFileSync } from "node:fs"
import { join } from "node:path"

/** @import { Stage } from "../stage.mjs" */

/**
 * Starts a command and waits until the client knows that it runs: a start whose answer is cut off is lost. The pending
 * reply has all the output after `begun`.
 * @param {Stage} t
 * @param {string} script
 */
const running = async (t, script) => {
  const first = await t.exec(`echo begun; ${wait("run")}; ${script}`, { yield_time_ms: 300 })
  assert.ok(first.session > 0, first.text)
  assert.equal(first.output, "begun\n")
  writeFileSync(join(t.folder, "run"), "")
  const pending = t.stdin(first.session, "", { yield_time_ms: 60_000, max_output_tokens: 30_000 })
  pending.catch(() => {})
  return { pending }
}

/** A line of a shell that waits for a file. @param {string} name */
const wait = (name) => `until [ -e ${name} ]; do sleep 0.05; done`

/**
 * A command runs on through a loss between its halves, and none of its output is lost.
 * @param {Stage} t
 * @param {() => unknown} lose
 */
const keepsCommand = async (t, lose) => {
  await t.begin()
  const { pending } = await running(t, `seq 1 500; touch half; ${wait("go")}; seq 501 1000; exit 5`)
  await t.made("half")
  await lose()
  writeFileSync(join(t.folder, "go"), "")
  const { code, output } = await pending
  assert.equal(output, Array.from({ length: 1000 }, (_, n) => `${n + 1}\n`).join(""))
  assert.equal(code, 5)
  assert.equal((await t.exec("echo after")).output, "after\n")
}

/**
 * A terminal takes input after a loss, and has kept its state.
 * @param {Stage} t
 * @param {() => unknown} lose
 */
const keepsTerminal = async (t, lose) => {
  await t.begin()
  const shell = await t.exec("bash --norc --noprofile -i", { tty: true, yield_time_ms: 800 })
  await t.stdin(shell.session, "kept=yes\n", { yield_time_ms: 500 })
  await lose()
  const { output } = await t.stdin(shell.session, 'echo "kept: $kept"\n', { yield_time_ms: 5000 })
  assert.match(output, /kept: yes\r\n/)
  assert.equal((await t.stdin(shell.session, "exit\n", { yield_time_ms: 5000 })).code, 0)
}

/** @type {Record<string, import("./index.mjs").Scenario>} */
export const scenarios = {
  "cut-in-a-command": {
    only: ["ws", "ws-toml"],
    cuts: true,
    says: "The connection is cut while a command runs: it runs on, and none of its output is lost.",
    run: (t) =>
      keepsCommand(t, () => {
        t.tap().cut()
        assert.equal(t.tap().cuts, 1)
      }),
  },

  "cut-in-a-flow": {
    only: ["ws", "ws-toml"],
    cuts: true,
    says: "The connection is cut again and again while output flows; every byte is counted.",
    run: async (t) => {
      await t.begin()
      const lines = 600
      const halt = `[ $((i % 60)) = 0 ] && { touch at-$i; ${wait("on-$i")}; }`
      const step = `echo "line $i ${"x".repeat(80)}"; ${halt}; sleep 0.005`
      const { pending } = await running(t, `for i in $(seq 1 ${lines}); do ${step}; done`)
      for (let at = 60; at <= lines; at += 60) {
        await t.made(`at-${at}`)
        if (at % 120 === 0) t.tap().cut()
        writeFileSync(join(t.folder, `on-${at}`), "")
      }
      const { code, text } = await pending
      const bytes = Array.from({ length: lines }, (_, n) => `line ${n + 1} ${"x".repeat(80)}\n`).join(
        "",
      ).length
      assert.equal(code, 0)
      assert.match(text, new RegExp(`^Original token count: ${Math.ceil(bytes / 4)}$`, "m"))
      assert.match(text, new RegExp(`line ${lines} x+\n$`))
    },
  },

  "cut-in-a-terminal": {
    only: ["ws", "ws-toml"],
    cuts: true,
    says: "A terminal survives a cut: it takes input afterwards and has kept its state.",
    run: (t) => keepsTerminal(t, () => t.tap().cut()),
  },

  "cut-between-turns": {
    only: ["ws", "ws-toml"],
    cuts: true,
    says: "Cut while nothing runs, the client comes back for the next command and for what ended meanwhile.",
    run: async (t) => {
      await t.begin()
      const slow = await t.exec(`echo begun; ${wait("go")}; echo ended; touch over; exit 6`, {
        yield_time_ms: 300,
      })
      t.tap().cut()
      writeFileSync(join(t.folder, "go"), "")
      await t.made("over")
      assert.equal((await t.exec("echo next")).output, "next\n")
      const last = await t.stdin(slow.session, "", { yield_time_ms: 5000 })
      assert.equal(slow.output + last.output, "begun\nended\n")
      assert.equal(last.code, 6)
    },
  },

  "cut-on-one-side": {
    only: ["ws", "ws-toml"],
    cuts: true,
    says: "The client loses a connection that the server still believes in; it comes back when the server has noticed.",
    run: async (t) => {
      await t.begin()
      const { pending } = await running(t, `seq 1 300; touch half; ${wait("go")}; seq 301 600`)
      await t.made("half")
      t.tap().strand()
      writeFileSync(join(t.folder, "go"), "")
      setTimeout(() => t.tap().endStranded(), 1500)
      const { code, output } = await pending
      assert.equal(output, Array.from({ length: 600 }, (_, n) => `${n + 1}\n`).join(""))
      assert.equal(code, 0)
    },
  },

  "out-of-reach": {
    only: ["ws", "ws-toml"],
    cuts: true,
    says: "The server is out of reach for some seconds, in which a command ends: its output and its code are kept.",
    run: async (t) => {
      await t.begin()
      const { pending } = await running(
        t,
        `echo first; touch half; ${wait("go")}; echo ended; touch over; exit 4`,
      )
      await t.made("half")
      t.tap().reachable = false
      t.tap().cut()
      writeFileSync(join(t.folder, "go"), "")
      await t.made("over")
      setTimeout(() => (t.tap().reachable = true), 3000)
      const { code, output } = await pending
      assert.equal(output, "first\nended\n")
      assert.equal(code, 4)
      assert.equal((await t.exec("echo after")).output, "after\n")
    },
  },

  "quiet-connection": {
    slow: true,
    says: "Nothing is said for a minute and a half, neither by the command nor by the model; then both go on.",
    run: async (t) => {
      await t.begin()
      const slow = await t.exec(`echo begun; sleep 80; ${wait("go")}; echo ended; exit 6`, {
        yield_time_ms: 300,
      })
      await new Promise((resolve) => setTimeout(resolve, 90_000))
      assert.equal((await t.exec("touch go; echo next")).output, "next\n")
      const last = await t.stdin(slow.session, "", { yield_time_ms: 20_000 })
      assert.equal(slow.output + last.output, "begun\nended\n")
      assert.equal(last.code, 6)
    },
  },

  "server-restarted": {
    only: ["ws", "ws-toml"],
    says: "The server dies and another takes its place: the running command is lost with an error, the next one runs.",
    run: async (t) => {
      await t.begin()
      const { pending } = await running(t, "touch half; exec sleep 600")
      await t.made("half")
      await t.restart()
      const lost = await pending
      assert.notEqual(lost.code, 0)
      assert.match(lost.text, /exec-server|failed|disconnected/)
      assert.equal((await t.exec("echo again")).output, "again\n")
    },
  },

  "server-killed-with-keep": {
    only: ["ws", "ws-toml"],
    flags: ["--keep", "--retention-ms", "5000"],
    ours: true,
    says: "A server that keeps processes is killed while a command runs, and the next one has all its output and its code.",
    run: (t) => keepsCommand(t, t.restart),
  },

  "terminal-with-keep": {
    only: ["ws", "ws-toml"],
    flags: ["--keep", "--retention-ms", "5000"],
    ours: true,
    says: "A terminal outlives its server: at the next one it takes input, and has kept its state.",
    run: (t) => keepsTerminal(t, t.restart),
  },

  "second-turn": {
    says: "A conversation that is resumed by another run of the client goes on, on a new session.",
    run: async (t) => {
      await t.begin({ prompt: "first" })
      assert.equal((await t.exec("echo one > file; cat file")).output, "one\n")
      const { code, events } = await t.done("the first is done")
      assert.equal(code, 0)
      const resume = events.find(({ type }) => type === "thread.started")?.thread_id
      await t.begin({ prompt: "second", resume })
      const told = JSON.stringify(t.input())
      for (const words of ["echo one > file; cat file", "the first is done", "second"])
        assert.ok(told.includes(words), words)
      assert.equal((await t.exec("cat file")).output, "one\n")
    },
  },
}
