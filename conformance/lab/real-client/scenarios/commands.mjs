// @ts-check
// Commands that run to their end.
import assert from "node:assert/strict"
import { mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"

/** @param {string} text */
const linesOf = (text) => text.split("\n").filter((line) => line !== "")

/** @type {Record<string, import("./index.mjs").Scenario>} */
export const scenarios = {
  "plain-command": {
    says: "Output of both streams, the exit code and the folder of a command reach the model.",
    run: async (t) => {
      await t.begin()
      const { code, output } = await t.exec("echo out; echo err >&2; pwd; echo kept > file")
      assert.equal(code, 0)
      assert.deepEqual(linesOf(output).sort(), [t.folder, "err", "out"].sort())
      assert.equal(readFileSync(join(t.folder, "file"), "utf8"), "kept\n")
    },
  },

  "failing-command": {
    says: "Exit codes of commands that fail, are not found, or die of a signal reach the model.",
    run: async (t) => {
      await t.begin()
      assert.equal((await t.exec("echo before; exit 7")).code, 7)
      const missing = await t.exec("no-such-command-at-all")
      assert.equal(missing.code, 127)
      assert.match(missing.output, /not found/)
      assert.equal((await t.exec("kill -KILL $$")).code, 137)
      assert.equal((await t.exec("kill -TERM $$")).code, 143)
      assert.equal((await t.exec("echo alive")).output, "alive\n")
    },
  },

  "failing-start": {
    says: "A folder that does not exist is an error for the model, and the next command runs.",
    run: async (t) => {
      await t.begin()
      const nowhere = await t.exec("echo never", { workdir: join(t.folder, "nowhere") })
      assert.match(nowhere.text, /No such file or directory \(os error 2\)/)
      assert.equal((await t.exec("echo alive")).output, "alive\n")
    },
  },

  "environment-and-folder": {
    says: "A command has the server's variables, the client's own on top, and the folder that the model asks for.",
    run: async (t) => {
      mkdirSync(join(t.folder, "a folder"))
      await t.begin({ env: { SIDE: "client" } })
      const { output } = await t.exec(
        'pwd; echo "$TERM $PAGER $LC_ALL $NO_COLOR"; echo "$SIDE"; echo "$CODEX_THREAD_ID"',
        {
          workdir: "a folder",
        },
      )
      const [folder, fixed, side, thread = ""] = output.split("\n")
      assert.equal(folder, join(t.folder, "a folder"))
      assert.equal(fixed, "dumb cat C.UTF-8 1")
      // Over stdio the server is a child of the client, and has its variables.
      assert.equal(side, t.over === "stdio" ? "client" : "server")
      assert.match(thread, /^[0-9a-f-]{36}$/)
    },
  },

  "environment-policy": {
    says: "What the client is told about variables holds for the server's: kept, left out, and set.",
    run: async (t) => {
      const policy = { inherit: '"all"', exclude: '["SI*"]', set: '{ ADDED = "více slov" }' }
      const args = Object.entries(policy).flatMap(([name, value]) => [
        "-c",
        `shell_environment_policy.${name}=${value}`,
      ])
      await t.begin({ args })
      assert.equal(
        (await t.exec('echo "[$SIDE] [$ADDED] [$LANG]"', { login: false })).output,
        "[] [více slov] [C.UTF-8]\n",
      )
      assert.equal((await t.done()).code, 0)
      await t.begin({ args: ["-c", 'shell_environment_policy.inherit="none"'] })
      const { output } = await t.exec("env", { login: false })
      assert.ok(!/^(SIDE|HOME|USER)=/m.test(output), output)
      assert.match(output, /^TERM=dumb$/m)
    },
  },

  "login-shell": {
    says: "A command runs in a login shell, which reads the profile, unless the model asks for another.",
    run: async (t) => {
      writeFileSync(join(t.home, ".bash_profile"), "export FROM_PROFILE=yes\n")
      await t.begin()
      const ask = 'echo "[$FROM_PROFILE]"; shopt -q login_shell && echo login'
      for (const round of ["first", "second"])
        assert.deepEqual(linesOf((await t.exec(ask)).output), ["[yes]", "login"], round)
      assert.deepEqual(linesOf((await t.exec(ask, { login: false })).output), ["[]"])
      // The client runs the shell that the server announces, and no other.
      assert.match((await t.exec("echo $0", { shell: "zsh" })).text, /only supports `bash`/)
    },
  },

  "unicode-and-binary": {
    says: "Text of any script passes unharmed, a character cut in two by a pause is whole, and what is no text is replaced.",
    run: async (t) => {
      await t.begin()
      assert.equal((await t.exec("printf '%s\\n' 'žluťoučký 漢字 🦊 é'")).output, "žluťoučký 漢字 🦊 é\n")
      assert.equal(
        (await t.exec("printf '\\xf0\\x9f'; sleep 0.3; printf '\\xa6\\x8a|\\xff|\\x00|'")).output,
        "🦊|\u{fffd}|\0|",
      )
      assert.equal((await t.exec("mkdir 'složka 🦊'; ls")).output, "složka 🦊\n")
      assert.equal((await t.exec("pwd", { workdir: "složka 🦊" })).output, `${join(t.folder, "složka 🦊")}\n`)
    },
  },

  "big-output": {
    says: "Megabytes arrive in full count, with both ends intact; what is left out is left out by the client.",
    run: async (t) => {
      await t.begin()
      const whole = await t.exec("seq 1 100000", { yield_time_ms: 30_000 })
      assert.match(whole.text, /^Original token count: 147224$/m)
      assert.match(
        whole.output,
        /^Warning: truncated output \(original token count: 147224\)\nTotal output lines: 100000\n\n1\n2\n3\n/,
      )
      assert.match(whole.output, /…\d+ (chars|tokens) truncated…[\d\n]*\n99999\n100000\n$/)
      const bytes = 12_000_000
      const huge = await t.exec(`yes 0123456789abcde | head -c ${bytes}; echo end`, { yield_time_ms: 30_000 })
      assert.equal(huge.code, 0)
      assert.match(huge.text, new RegExp(`^Original token count: ${(bytes + 4) / 4}$`, "m"))
      // The client keeps a mebibyte of it, half from either end, and says what it left out.
      assert.match(huge.output, new RegExp(`\\.\\.\\. ${bytes + 4 - 1024 * 1024} bytes omitted \\.\\.\\.`))
      assert.match(huge.output, /0123456789abcde\n0123456789abcde\nend\n$/)
    },
  },

  "no-input": {
    says: "A command without a terminal finds its input at its end.",
    run: async (t) => {
      await t.begin()
      assert.equal((await t.exec("cat; echo over")).output, "over\n")
    },
  },

  "background-child": {
    flags: ["--detached-ttl-ms", "2000"],
    says: "A child left in the background goes on while the client lives, and not longer.",
    run: async (t) => {
      await t.begin()
      const apart = await t.exec("sleep 600 >/dev/null 2>&1 & echo apart")
      assert.equal(apart.output, "apart\n")
      assert.equal(apart.code, 0)
      // One that holds the output keeps the command open.
      const holding = await t.exec("sleep 600 & echo holding", { yield_time_ms: 300 })
      assert.equal(holding.output, "holding\n")
      assert.ok(holding.session > 0, holding.text)
      assert.equal(t.left().filter(({ name }) => name === "sleep").length, 2)
      assert.equal((await t.done()).code, 0)
      await t.empty()
    },
  },

  "parallel-commands": {
    says: "Commands of one turn run side by side: each waits for a file that another makes.",
    run: async (t) => {
      await t.begin()
      const count = 6
      /** @param {string} name */
      const wait = (name) => `until [ -e ${name} ]; do sleep 0.05; done`
      /** @type {import("../conversation.mjs").Call[]} */
      const commands = Array.from({ length: count }, (_, index) => [
        "exec_command",
        {
          cmd: `touch made-${index}; ${wait(`made-${(index + 1) % count}`)}; echo done ${index}; exit ${index}`,
          yield_time_ms: 30_000,
        },
      ])
      const replies = await t.calls(commands)
      replies.forEach((text, index) => {
        assert.match(text, new RegExp(`Process exited with code ${index}\n[^]*Output:\ndone ${index}\n$`))
      })
    },
  },

  "many-commands": {
    says: "Forty commands one after another, each with its own output.",
    run: async (t) => {
      await t.begin()
      for (let round = 0; round < 10; round += 1) {
        const numbers = [0, 1, 2, 3].map((step) => round * 4 + step)
        const replies = await t.calls(
          numbers.map((n) => ["exec_command", { cmd: `echo number ${n}; exit ${n}` }]),
        )
        replies.forEach((text, index) =>
          assert.match(text, new RegExp(`code ${numbers[index]}\n[^]*number ${numbers[index]}\n$`)),
        )
      }
    },
  },
}
