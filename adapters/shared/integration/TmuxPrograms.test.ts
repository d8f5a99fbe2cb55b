import * as fs from "node:fs"
import process from "node:process"
/**
 * cli/: programs that people use, in a real terminal behind `procwire attach`: with the mouse, a large paste, two
 * people at one, and a link that is cut. Skipped where there is no tmux, or not the program.
 */
import { describe, expect, it, onTestFinished } from "vitest"
import { has } from "../../testing/Programs.ts"
import { name as runtime } from "../../testing/Runtime.ts"
import { open, term, windowOf } from "../testing/AttachedWindow.ts"
import { CuttingProxy } from "../testing/CuttingProxy.ts"
import * as Tmux from "../testing/Tmux.ts"

/** The input of a terminal for a click, at a column and row that count from 1. */
const click = (column: number, row: number) => `\u001b[<0;${column};${row}M\u001b[<0;${column};${row}m`

// Bun reads a terminal in raw mode through another path, which tests of its own look at.
describe.skipIf(Tmux.lack !== undefined || runtime !== "Node")(
  "a program in an attached terminal",
  { tags: ["tmux"] },
  () => {
    it.skipIf(!has("htop"))(
      "htop is live, fills the terminal, and is quit by a click",
      { tags: ["htop"] },
      async () => {
        const { call, window } = open()
        await call("run", "-d", "-t", "--name", "top", ...term, "--", "htop")
        await call("wait", "top", "--for", "text:F10")
        window.keys("pw attach top; echo code $?", "Enter")
        await window.shows(/Load average[^]*F1Help .*F10Quit/)
        // The bar is in the last row of this terminal.
        expect(window.text().split("\n")[29]).toMatch(/^F1Help/)
        expect([window.fact("mouse_standard_flag"), window.fact("alternate_on")]).toEqual(["1", "1"])
        window.types(click((window.text().split("\n")[29] ?? "").indexOf("Quit") + 1, 30))
        await window.shows("code 0")
        expect([window.fact("mouse_standard_flag"), window.fact("alternate_on")]).toEqual(["0", "0"])
      },
    )

    it.skipIf(!has("less"))(
      "less pages, searches, and gives the terminal back",
      { tags: ["less"] },
      async () => {
        const { call, folder, window } = open()
        folder.sh("seq 1 5000 >numbers")
        await call("run", "-d", "-t", "--name", "pager", ...term, "--", "less", "numbers")
        await call("wait", "pager", "--for", "text:numbers")
        window.keys("pw attach pager; echo code $?", "Enter")
        await window.shows(/^1\n2\n[\d\n]*29\n/)
        window.keys("Space")
        await window.shows(/^30\n31\n/)
        window.keys("/4321", "Enter")
        await window.shows(/^4321\n4322\n/)
        window.keys("G")
        await window.shows(/5000\n\(END\)/)
        window.keys("q")
        await window.shows("code 0")
        expect(window.fact("alternate_on")).toBe("0")
      },
    )

    it.skipIf(!has("vim"))("vim puts its cursor where the mouse clicks", { tags: ["vim"] }, async () => {
      const { call, folder, window } = open()
      folder.sh("seq 101 120 >text")
      const argv = ["vim", "-n", "-u", "NONE", "-N", "--cmd", "set mouse=a ttymouse=sgr", "text"]
      await call("run", "-d", "-t", "--name", "editor", ...term, "--", ...argv)
      await call("wait", "editor", "--for", "text:20L")
      window.keys("pw attach editor; echo code $?", "Enter")
      await window.shows(/^101\n/)
      await expect.poll(() => window.fact("mouse_any_flag"), { timeout: 240_000 }).toBe("1")
      window.types(click(2, 5))
      window.keys("i", "-here-", "Escape")
      await window.shows("1-here-05\n")
      window.keys(":wq", "Enter")
      await window.shows("code 0")
      expect(fs.readFileSync(folder.at("text"), "utf8")).toContain("104\n1-here-05\n106\n")
    })

    it.skipIf(!has("vim"))(
      "vim goes on under up --restart, and where the server is killed",
      { tags: ["vim"] },
      async () => {
        const { call, folder, window } = open({ PROCWIRE_KEEP: "true" })
        const argv = ["vim", "-n", "-u", "NONE", "-N", "text"]
        await call("run", "-d", "-t", "--name", "editor", ...term, "--", ...argv)
        window.keys("pw attach editor; echo code $?", "Enter")
        await window.shows(/^~\n~\n/m)
        window.keys("ibefore", "Escape")
        await window.shows(/^before\n~\n/m)
        expect(await call("up", "--restart", "--quiet")).toEqual({ code: 0, stdout: "", stderr: "" })
        window.keys("orestarted", "Escape")
        await window.shows(/^before\nrestarted\n~\n/m)
        process.kill(
          Number.parseInt(fs.readFileSync(folder.at("run/procwire/server.pid"), "utf8")),
          "SIGKILL",
        )
        window.keys("okilled", "Escape")
        await window.shows(/^before\nrestarted\nkilled\n~\n(?![^]*procwire:)/m)
        window.keys(":wq", "Enter")
        await window.shows("code 0")
        expect(fs.readFileSync(folder.at("text"), "utf8")).toBe("before\nrestarted\nkilled\n")
      },
    )

    it("a paste of a megabyte comes whole", async () => {
      const { call, folder, window } = open()
      folder.sh("seq 1 200000 | head -c 1000000 >text")
      const script = "stty raw -echo; echo ready; head -c 1000000 >got; echo all of it; sleep 600"
      await call("run", "-d", "-t", "--name", "reader", "--", "sh", "-c", script)
      await call("wait", "reader", "--for", "text:ready")
      window.keys("pw attach reader", "Enter")
      await window.shows("ready")
      window.paste(folder.at("text"))
      await window.shows("all of it")
      expect(fs.readFileSync(folder.at("got"))).toEqual(fs.readFileSync(folder.at("text")))
    })

    it("two people share a shell: one writes, both see it, and who leaves gives it back", async () => {
      const { window: first, ...program } = open()
      const second = windowOf(program, "second")
      const argv = ["env", "PS1=$ ", "bash", "--norc", "--noprofile"]
      await program.call("run", "-d", "-t", "--name", "shell", ...term, "--", ...argv)
      await program.call("wait", "shell", "--for", "text:$")
      first.keys("pw attach shell; echo code $?", "Enter")
      await first.shows(/^\$ *$/m)
      first.keys("echo $((40 + 2))", "Enter")
      await first.shows(/^42$/m)
      second.keys("pw attach --take shell; echo code $?", "Enter")
      await second.shows(/^42$/m)
      await first.shows("somebody else writes now; you look on")
      second.keys("echo $((50 + 5))", "Enter")
      await Promise.all([first.shows(/^55$/m), second.shows(/^55$/m)])
      second.keys("C-p", "C-q")
      await second.shows("code 0")
      await first.shows("you write again")
      first.keys("exit 3", "Enter")
      await first.shows("code 3")
    })

    it.skipIf(!has("vim"))(
      "a cut link is told by a line, and the picture comes back over it",
      { tags: ["vim"] },
      async () => {
        const { call, folder, window } = open()
        folder.sh("seq 101 160 >text")
        const argv = ["vim", "-n", "-u", "NONE", "-N", "text"]
        await call("run", "-d", "-t", "--name", "editor", ...term, "--", ...argv)
        await call("wait", "editor", "--for", "text:60L")
        const proxy = await CuttingProxy.make(`unix:${folder.at("run/procwire/server.sock")}`)
        onTestFinished(() => proxy.close())
        for (const flags of ["", "--read-only "]) {
          window.keys(`clear; pw attach --server ${proxy.url} ${flags}editor; echo code $?`, "Enter")
          await window.shows(/101\n102\n/)
          proxy.reachable = false
          proxy.cut()
          await window.shows("procwire: connection lost, reconnecting")
          proxy.reachable = true
          await window.shows(/^(?:hello)?101\n102\n(?![^]*procwire:)/)
          window.keys(...(flags === "" ? ["ihello", "Escape"] : []))
          await window.shows(/^hello101\n102\n/)
          window.keys(...(flags === "" ? ["C-p", "C-q"] : ["C-c"]))
          await window.shows("code 0")
        }
      },
    )
  },
)
