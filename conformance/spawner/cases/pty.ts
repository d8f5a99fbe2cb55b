/** Cases about children on a pseudo-terminal. */
import * as Exit from "effect/Exit"
import * as Check from "../../suite/Check.ts"
import { table } from "../SpawnerContext.ts"
import { sh } from "../SpawnedChild.ts"
import { fill, refusal } from "./stdin.ts"

const onPty = { requires: ["pty"] } as const

export const pty = table("spawner/pty", onPty, {
  "is-a-terminal": {
    says: "Descriptors 0, 1 and 2 of a child on a PTY are one terminal.",
    run: async (t) => {
      const script = "for fd in 0 1 2; do test -t $fd && echo yes; done; echo err >&2"
      const child = await t.run({ argv: sh(script), pty: true })
      Check.equal(child.text(), "yes\r\nyes\r\nyes\r\nerr\r\n", "the output")
    },
  },
  "is-the-controlling-terminal": {
    says: "The PTY is the controlling terminal: its child can open /dev/tty, and a child on pipes cannot.",
    run: async (t) => {
      const script = "(echo mine >/dev/tty) 2>/dev/null || echo none"
      const child = await t.run({ argv: sh(script), pty: true })
      Check.equal(child.text(), "mine\r\n", "the output")
      const piped = await t.run({ argv: sh(script) })
      Check.equal(piped.text(), "none\n", "the output of a child on pipes")
    },
  },
  "leads-the-foreground": {
    requires: ["pty", "processGroup", "procfs"],
    says: "A child on a PTY leads its session, its group, and the terminal's foreground group.",
    run: async (t) => {
      const child = await t.run({ argv: sh("echo $$; cat /proc/$$/stat"), pty: true })
      const [pid = "", stat = ""] = child.text().split("\r\n")
      const [, , pgid, sid, , foreground] = stat.slice(stat.lastIndexOf(")") + 2).split(" ")
      Check.equal([pgid ?? "", sid ?? "", foreground ?? ""], [pid, pid, pid], "group, session, foreground")
    },
  },
  "size-is-that-of-the-spec": {
    says: "The terminal has the rows and columns of the spec from the start.",
    run: async (t) => {
      for (const [rows, columns] of [
        [24, 80],
        [1, 1],
        [500, 1000],
      ] as const) {
        const child = await t.run({ argv: ["stty", "size"], pty: { rows, columns } })
        Check.equal(child.text(), `${rows} ${columns}\r\n`, "the size")
      }
    },
  },
  "resize-is-seen": {
    requires: ["pty", "resize"],
    says: "resize changes the size of the terminal and the child gets SIGWINCH.",
    run: async (t) => {
      const script = `trap 'stty size; exit 6' WINCH; echo up; ${t.idle}`
      const child = await t.start({ argv: sh(script), pty: true })
      await child.seen("up\r\n")
      await child.resize({ rows: 30, columns: 100 })
      await child.finished()
      Check.equal(child.text(), "up\r\n30 100\r\n", "the output")
      await child.resize({ rows: 10, columns: 10 })
    },
  },
  "ctrl-c-interrupts": {
    says: "Ctrl-C, written to a child on a PTY, is SIGINT to the whole foreground group.",
    run: async (t) => {
      const inner = `trap 'echo inner; exit' INT; echo up; ${t.idle}`
      const script = `trap 'echo outer; exit 7' INT; /bin/sh -c "$1"; ${t.idle}`
      const child = await t.start({ argv: sh(script, inner), pty: true })
      await child.seen("up\r\n")
      await child.write("\u0003")
      await child.finished()
      Check.equal(child.text().replace("^C", ""), "up\r\ninner\r\nouter\r\n", "the output")
      Check.equal({ ...child.status }, { kind: "exited", code: 7 }, "the exit")
    },
  },
  "input-is-typed": {
    says: "A write is echoed and read as typed lines; Ctrl-D is EOF, and endStdin does nothing.",
    run: async (t) => {
      const child = await t.start({ argv: ["cat"], pty: true })
      await child.effect(child.handle.endStdin, "endStdin")
      await child.write("line\n\u0004")
      await child.finished()
      Check.equal(child.text(), "line\r\nline\r\n", "the output")
      Check.equal(await refusal(child), "Closed", "the reason of a write after the exit")
    },
  },
  "input-exact-when-raw": {
    says: "20,000 bytes of any value, written to a raw terminal, arrive whole and in order.",
    run: async (t) => {
      const bytes = Buffer.from(Array.from({ length: 20_000 }, (_, i) => i % 256))
      const script = "stty raw -echo; echo up; exec head -c 20000"
      const child = await t.start({ argv: sh(script), pty: true })
      await child.seen("up")
      await child.write(bytes)
      await child.finished()
      const output = child.bytes("pty")
      Check.equal(
        output.subarray(output.indexOf(10) + 1).equals(bytes),
        true,
        "what came back is what was written",
      )
    },
  },
  "write-waits-for-the-reader": {
    says: "Writes of 4 MiB wait while the child does not read its terminal, and a kill ends them.",
    run: async (t) => {
      const child = await t.start({ argv: sh(`stty raw -echo; echo up; ${t.idle}`), pty: true })
      await child.seen("up")
      const { state, done } = fill(child)
      for (let i = 0; i < 3; i++) {
        const script = "stty raw -echo; echo up; exec head -c 4194304 >/dev/null"
        const reader = await t.start({ argv: sh(script), pty: true })
        await reader.seen("up")
        Check.equal(Exit.isSuccess(await fill(reader).done), true, "a child that reads takes 4 MiB")
        await reader.finished()
      }
      Check.isTrue(!state.settled, "4 MiB were taken although the child does not read")
      await child.effect(child.handle.kill, "kill")
      await child.exit()
      await t.until(() => state.settled, "the write to fail")
      Check.isTrue(Exit.isFailure(await done), "the write has not failed")
    },
  },
  "terminal-closed-for-a-while": {
    level: "should",
    says: "A child can close its terminal and reopen it later: there is no hang-up, and nothing is lost.",
    run: async (t) => {
      const script = `exec </dev/null >/dev/null 2>&1; ${t.waitFor("go")}; echo back >/dev/tty`
      const child = await t.start({ argv: sh(script), pty: true })
      await t.others(5)
      t.put("go")
      await child.finished()
      Check.equal([child.text(), child.status?.kind ?? ""], ["back\r\n", "exited"], "the output and the exit")
    },
  },
})
