/** cli/: `procwire attach`, `play` and `top` in a real terminal, with real programs. Skipped where there is no tmux. */
import * as fs from "node:fs"
import process from "node:process"
import { describe, expect, it } from "vitest"
import { name as runtime } from "../../testing/Runtime.ts"
import { open } from "../testing/AttachedWindow.ts"
import * as Tmux from "../testing/Tmux.ts"

const hasVim = fs.existsSync("/usr/bin/vim")

/** The settings of the terminal in a file, without its size. */
const settings = (file: string) => fs.readFileSync(file, "utf8").replace(/rows.*/, "")

// Bun reads a terminal in raw mode through another path, which tests of its own look at.
describe.skipIf(Tmux.lack !== undefined || runtime !== "Node")(
  "an attached process",
  { tags: ["tmux"] },
  () => {
    it.skipIf(!hasVim)(
      "is shown as it is, takes keys, and is left without harm",
      { tags: ["vim"] },
      async () => {
        const { call, folder, window } = open()
        folder.sh("seq 101 160 >text")
        const argv = ["--", "vim", "-n", "-u", "NONE", "-N", "text"]
        await call("run", "-d", "-t", "--name", "editor", "-e", "TERM=xterm-256color", ...argv)
        await call("wait", "editor", "--for", "text:60L")
        window.keys("pw attach editor; stty -a >after; echo $?$?", "Enter")
        // All 30 rows are used, though the terminal of the process had 24.
        await window.shows(/^101\n102\n[\d\n]*129\n/)
        window.keys("Gohello")
        await window.shows("160\nhello\n")
        window.resize(70, 20)
        await window.shows(/^14\d\n(?:1\d\d\n){17}hello\n/)
        window.keys("C-p", "C-q")
        await window.shows("\n00\n")
        expect(window.text()).toContain("detached; procwire attach editor comes back")
        expect(settings(folder.at("after"))).toBe(settings(folder.at("before")))
        expect([window.fact("alternate_on"), window.fact("cursor_flag")]).toEqual(["0", "1"])
        window.keys("clear; pw attach editor", "Enter")
        await window.shows(/160\nhello\n/)
        window.keys("Escape", ":wq", "Enter")
        await call("wait", "editor")
        expect(fs.readFileSync(folder.at("text"), "utf8")).toContain("160\nhello\n")
      },
    )

    it.skipIf(!hasVim)(
      "leaves the terminal as it was when its server is killed",
      { tags: ["vim"] },
      async () => {
        const { call, folder, window } = open()
        await call(
          "run",
          "-d",
          "-t",
          "--name",
          "editor",
          "-e",
          "TERM=xterm-256color",
          "--",
          "vim",
          "-n",
          "-u",
          "NONE",
        )
        await call("wait", "editor", "--for", "text:~")
        window.keys("pw attach editor; echo code $?; stty -a >after; echo $?$?", "Enter")
        await window.shows(/^~$/m)
        process.kill(
          Number(fs.readFileSync(folder.at("run/procwire/server.pid"), "utf8").split(" ")[0]),
          "SIGKILL",
        )
        await window.shows("\n00\n")
        expect(window.text().replaceAll("\n", " ")).toContain("the server has ended")
        expect(window.text()).toContain("code 1\n")
        expect(settings(folder.at("after"))).toBe(settings(folder.at("before")))
        expect([window.fact("alternate_on"), window.fact("cursor_flag")]).toEqual(["0", "1"])
      },
    )

    it("gets Ctrl-C, Ctrl-Z and a new size, and its exit code is that of attach", async () => {
      const { call, window } = open()
      const traps = "trap 'echo int' INT; trap 'echo stop' TSTP; trap 'stty size' WINCH"
      // A read with a deadline may lose the line that comes with it; -t 0 only looks.
      const loop = `${traps}; echo ready; while ! read -t 0; do sleep 0.05; done; exit 7`
      await call("run", "-d", "-t", "--name", "shell", "--", "bash", "-c", loop)
      await call("wait", "shell", "--for", "text:ready")
      window.keys("pw attach shell; echo code $?", "Enter")
      await window.shows("30 90")
      window.keys("C-c")
      await window.shows("int")
      window.keys("C-z")
      await window.shows("stop")
      window.resize(80, 25)
      await window.shows("25 80")
      window.keys("Enter")
      await window.shows("code 7")
    })

    it("is written to by one at a time, and looked at by others", async () => {
      const { call, window } = open()
      await call("run", "-d", "-t", "--name", "cat", "--", "sh", "-c", "seq 1 90; echo ready; exec cat")
      await call("wait", "cat", "--for", "text:ready")
      window.keys("echo before", "Enter", "pw attach cat; echo code $?", "Enter")
      await window.shows("ready")
      expect(window.everything()).toMatch(/^before\n> pw attach[^]*\n1\n2\n[^]*\n89\n90\nready\n/m)
      window.keys("one", "Enter")
      await window.shows("one\none")
      expect(await call("attach", "cat")).toMatchObject({
        code: 1,
        stderr: expect.stringContaining("look on with --read-only, or write with --take") as string,
      })
      window.keys("C-p", "C-q")
      await window.shows("code 0")
      window.keys("clear; pw attach --read-only cat; echo code $?", "Enter")
      await window.shows("one\none")
      await call("send", "cat", "two{Enter}")
      await window.shows("two\ntwo")
      window.keys("C-c")
      await window.shows("code 0")
      expect((await call("ps", "-q")).stdout).toBe("cat\n")
    })

    it("copies with a bar, which leaves nothing on the terminal", async () => {
      const { call, folder, window } = open()
      folder.sh("mkdir far; truncate -s 400M big")
      await call("up")
      window.keys(`clear; pw cp big :${folder.at("far/")}; echo code $?`, "Enter")
      await window.shows(/big {2}\[#+ +\] +\d+ % {2}\d+ MiB of 400 MiB {2}\d+ MiB\/s/)
      await window.shows(/^code 0$/m)
      expect(window.text()).not.toMatch(/\d %/)
      expect(fs.statSync(folder.at("far/big")).size).toBe(400 * 2 ** 20)
    })

    it("plays a recording that pauses, and has a top that is live, and both leave the terminal as it was", async () => {
      const { call, folder, window } = open()
      // Output behind a pause would come in an hour.
      const events = ["one", "two", "three"].map((text, index) => `[${index * 3600}, "o", "${text}\\r\\n"]\n`)
      fs.writeFileSync(folder.at("x.cast"), `{"version": 2, "width": 80, "height": 24}\n${events.join("")}`)
      window.keys("clear; pw play x.cast; stty -a >after; echo code $?", "Enter")
      await window.shows(/^one$/m)
      window.keys(" ", ".")
      await window.shows(/^one\ntwo$/m)
      expect(window.text()).not.toContain("three")
      window.keys("q")
      await window.shows("code 0")
      expect(settings(folder.at("after"))).toBe(settings(folder.at("before")))
      await call("run", "-d", "--name", "first", "--", "sleep", "600")
      window.keys("clear; pw top --interval 100ms; stty -a >after; echo code $?", "Enter")
      await window.shows(/^1 processes, CPU [\d.]+, MEM .*\n\nNAME .*\nfirst /)
      await call(
        "run",
        "-d",
        "--name",
        "second",
        "--",
        "sh",
        "-c",
        "sleep 600; echo it is long past all of that",
      )
      await window.shows(/^2 processes, [^]*\nsecond /)
      window.resize(60, 10)
      await window.shows(/^2 processes, [^]*\nsecond .*…$/m)
      window.keys("q")
      await window.shows("code 0")
      expect(settings(folder.at("after"))).toBe(settings(folder.at("before")))
      expect([window.fact("alternate_on"), window.fact("cursor_flag")]).toEqual(["0", "1"])
    })
  },
)
