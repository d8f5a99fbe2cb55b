// @ts-check
// Commands that go on while the model looks at them, writes to them and ends them.
import assert from "node:assert/strict"

/** @import { Reply } from "../conversation.mjs" */
/** @import { Stage } from "../stage.mjs" */

/** Polls until the output so far matches. @param {Stage} t @param {Reply} first @param {RegExp} wanted */
const until = async (t, first, wanted) => {
  let text = first.output
  assert.ok(wanted.test(text) || first.session > 0, `no session: ${first.text}`)
  for (let polls = 0; !wanted.test(text); polls += 1) {
    assert.ok(polls < 20, `never ${wanted} in ${text}`)
    const next = await t.stdin(first.session, "", { yield_time_ms: 5000 })
    text += next.output
    if (!Number.isNaN(next.code)) break
  }
  assert.match(text, wanted)
  return text
}

/** @type {Record<string, import("./index.mjs").Scenario>} */
export const scenarios = {
  "interactive-terminal": {
    says: "A shell on a terminal takes lines, is interrupted by Ctrl-C without dying, and ends with its own exit code.",
    run: async (t) => {
      await t.begin()
      const shell = await t.exec("bash --norc --noprofile -i", { tty: true, yield_time_ms: 1000 })
      assert.ok(shell.session > 0, shell.text)
      const size = await t.stdin(shell.session, "stty size; tty >/dev/null && echo is-tty\n", {
        yield_time_ms: 2000,
      })
      assert.match(size.output, /\b24 80\r?\n/)
      assert.match(size.output, /is-tty\r\n/)
      await t.stdin(shell.session, "touch began; sleep 600\n")
      await t.made("began")
      const interrupted = await t.stdin(shell.session, "\u0003", { yield_time_ms: 1000 })
      assert.match(interrupted.output, /\^C/)
      const after = await t.stdin(shell.session, 'echo "status $?"\n', { yield_time_ms: 2000 })
      assert.match(after.output, /status 130\r\n/)
      const left = await t.stdin(shell.session, "exit 9\n", { yield_time_ms: 5000 })
      assert.equal(left.code, 9)
      const gone = await t.stdin(shell.session, "echo more\n")
      assert.match(gone.text, /Unknown process id/)
    },
  },

  "terminal-input": {
    says: "What is typed into a raw terminal arrives byte for byte, also long, also of any script.",
    run: async (t) => {
      await t.begin()
      const program = "stty raw -echo; printf ready; head -c 20008 > got; stty sane; echo; cksum < got"
      const first = await t.exec(program, { tty: true, yield_time_ms: 3000 })
      await until(t, first, /ready/)
      const text = `${"0123456789".repeat(2000)}é漢\u0001\r\n`
      const { output } = await t.stdin(first.session, text, { yield_time_ms: 10_000 })
      assert.equal(Buffer.byteLength(text), 20_008)
      const sum = (
        await t.exec(
          `printf '%s' '${"0123456789".repeat(2000)}é漢' > want; printf '\\001\\r\\n' >> want; cksum < want`,
        )
      ).output
      assert.equal(output.trim(), sum.trim())
    },
  },

  "polled-command": {
    says: "A command without a terminal is polled: each reply has what is new, the last the exit code.",
    run: async (t) => {
      await t.begin()
      const program =
        "echo one; until [ -e go ]; do sleep 0.05; done; echo two; until [ -e on ]; do sleep 0.05; done; echo three; exit 3"
      const first = await t.exec(program, { yield_time_ms: 500 })
      assert.ok(first.session > 0, first.text)
      assert.equal(first.output, "one\n")
      const [second = ""] = await t.calls([
        ["write_stdin", { session_id: first.session, chars: "", yield_time_ms: 5000 }],
        ["exec_command", { cmd: "touch go" }],
      ])
      assert.match(second, /Output:\ntwo\n$/)
      const refused = await t.stdin(first.session, "text\n")
      assert.match(refused.text, /stdin is closed for this session/)
      await t.exec("touch on")
      const last = await t.stdin(first.session, "", { yield_time_ms: 30_000 })
      assert.equal(last.output, "three\n")
      assert.equal(last.code, 3)
    },
  },

  "interrupted-command": {
    says: "Ctrl-C reaches a command without a terminal as a signal: it may handle it or die of it.",
    run: async (t) => {
      await t.begin()
      const deaf = await t.exec(
        "trap 'echo caught' INT; touch set; while [ ! -e go ]; do sleep 0.1; done; exit 4",
        {
          yield_time_ms: 500,
        },
      )
      await t.made("set")
      const caught = await t.stdin(deaf.session, "\u0003", { yield_time_ms: 1000 })
      assert.match(caught.output, /caught/)
      await t.exec("touch go")
      assert.equal((await t.stdin(deaf.session, "", { yield_time_ms: 10_000 })).code, 4)
      const sleeper = await t.exec("touch asleep; exec sleep 600", { yield_time_ms: 500 })
      await t.made("asleep")
      const died = await t.stdin(sleeper.session, "\u0003", { yield_time_ms: 10_000 })
      assert.equal(died.code, 130)
    },
  },

  "sessions-side-by-side": {
    says: "Several sessions, with and without terminals, keep their input and output apart.",
    run: async (t) => {
      await t.begin()
      const starts = await t.calls(
        [0, 1, 2, 3].map((n) => [
          "exec_command",
          {
            cmd: `stty -echo; while read -r line; do echo "${n}:$line"; done`,
            tty: true,
            yield_time_ms: 800,
          },
        ]),
      )
      const ids = starts.map((text) => Number(/session ID (\d+)/.exec(text)?.[1]))
      for (const round of ["a", "b"]) {
        const replies = await t.calls(
          ids.map((session_id, n) => [
            "write_stdin",
            { session_id, chars: `${round}${n}\n`, yield_time_ms: 1000 },
          ]),
        )
        replies.forEach((text, n) => assert.ok(text.endsWith(`Output:\n${n}:${round}${n}\r\n`), text))
      }
      const ends = await t.calls(
        ids.map((session_id) => ["write_stdin", { session_id, chars: "\u0004", yield_time_ms: 5000 }]),
      )
      for (const text of ends) assert.match(text, /Process exited with code 0/)
    },
  },

  "left-running": {
    says: "What still runs when the client ends is ended with it, descendants and deaf ones included.",
    run: async (t) => {
      await t.begin()
      await t.exec("sleep 600", { yield_time_ms: 300 })
      await t.exec("trap '' TERM INT HUP; sleep 600 & sleep 600; sleep 600", { yield_time_ms: 300 })
      await t.exec("sleep 600 & cat", { tty: true, yield_time_ms: 300 })
      assert.ok(t.left().length >= 5, `${t.left().length} processes run`)
      assert.equal((await t.done()).code, 0)
      await t.empty()
    },
  },

  "client-interrupted": {
    says: "SIGINT to the client in the middle of commands ends them.",
    run: async (t) => {
      await t.begin()
      await t.exec("sleep 600", { tty: true, yield_time_ms: 300 })
      const pending = t.exec("sleep 600 & touch began; sleep 600", { yield_time_ms: 30_000 })
      pending.catch(() => {})
      await t.made("began")
      t.client().kill("SIGINT")
      await t.ended()
      await t.empty()
    },
  },

  "client-killed": {
    flags: ["--detached-ttl-ms", "2000"],
    says: "SIGKILL to the client in the middle of a command: once its session has expired, nothing is left.",
    run: async (t) => {
      await t.begin()
      const pending = t.exec("sleep 600 & touch began; sleep 600", { yield_time_ms: 30_000 })
      pending.catch(() => {})
      await t.made("began")
      t.client().kill("SIGKILL")
      await t.ended()
      await t.empty()
    },
  },
}
