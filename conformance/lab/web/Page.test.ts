/** The page, each sentence in a real Chromium, against the command as it is built. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { Page } from "playwright-core"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { cutter, type Cutter, knows, lines, row, sees, start, tile } from "./Acts.ts"
import * as Stage from "./Stage.ts"

describe.skipIf(Stage.executable === undefined)(
  "the page for people",
  { timeout: 600_000, tags: ["chromium"] },
  () => {
    const folder = mkdtempSync(join(tmpdir(), "procwire-page-"))
    let stage: Stage.Stage
    let proxy: Cutter
    /** The page of most tests, in screen reader mode, because its text can be read then. */
    let page: Page

    beforeAll(async () => {
      const token = join(folder, "token")
      writeFileSync(token, "sesame")
      proxy = await cutter()
      const admitted = ["--ws-auth", "capability-token", "--ws-token-file", `reader:observe=${token}`]
      stage = await Stage.make({
        args: [...admitted, "--web-host", `127.0.0.1:${proxy.port}`, "--history-bytes", "8000000"],
        browser: {
          viewport: { width: 1280, height: 800 },
          permissions: ["clipboard-read", "clipboard-write"],
        },
      })
      proxy.to = Number(new URL(stage.url).port)
      page = await stage.open()
      await page.getByText("Nothing runs here yet.").waitFor()
      await page.keyboard.press("r")
    })
    afterAll(async () => {
      await stage?.close()
      proxy?.close()
      rmSync(folder, { recursive: true, force: true })
    })

    const counter = "i=0; while read step; do for n in 1 2 3 4 5; do echo line $((i += 1)); done; done"
    const counted = async (of: Page) =>
      (await lines(of, "counter")).filter((line) => line.startsWith("line "))

    /** Somebody who looks on at the counter through the proxy, after a wrong token. */
    const reader = async (begin: () => Promise<unknown>): Promise<Page> => {
      const context = await stage.stranger()
      const other = await context.newPage()
      await other.goto(`http://127.0.0.1:${proxy.port}/`)
      await other.getByLabel("Token").fill("wrong")
      await other.getByText("Log in", { exact: true }).click()
      await other.getByText("The server does not know this token.").waitFor()
      await other.getByLabel("Token").fill("sesame")
      await other.getByText("Log in", { exact: true }).click()
      await begin()
      await row(other, "counter").locator(".row-open").click()
      await tile(other, "counter").and(other.locator("[data-state=live]")).waitFor()
      await other.keyboard.press("Control+Shift+L")
      await other.keyboard.press("r")
      return other
    }

    it("starts a line of the shell in a terminal, types into it, and tells its end, in the tab too", async () => {
      await start(page, "shell", "read line; echo got $line; exit 3")
      await tile(page, "shell").and(page.locator("[data-writes]")).waitFor()
      await page.keyboard.type("hello\n")
      await sees(page, "shell", "got hello")
      await knows(page, "shell", "exited with 3 · after ")
      await page.waitForFunction(() => document.title.startsWith("✗ shell exited with 3"))
      expect(await page.getAttribute("link[rel=icon]", "data-icon")).toBe("bad")
      await row(page, "shell").getByText("exited with 3").waitFor()
      await page.getByRole("log").getByText("shell exited with 3").waitFor()
      await page.keyboard.type("x")
      await tile(page, "shell").getByText("The process has ended.").waitFor()
    })

    it("draws by WebGL where the browser has it, and by elements where it has not", async () => {
      const screen = page.locator(".tile .screen")
      const hasWebgl = () =>
        page.evaluate(() => document.createElement("canvas").getContext("webgl2") !== null)
      expect(await screen.getAttribute("data-renderer")).toBe((await hasWebgl()) ? "webgl" : "dom")
      // From now on, also because drawing without a graphics card takes most of the time of a test.
      await page.context().addInitScript(() => {
        HTMLCanvasElement.prototype.getContext = () => null
      })
      await page.reload()
      await sees(page, "shell", "got hello")
      expect(await screen.getAttribute("data-renderer")).toBe("dom")
    })

    it("starts a program with arguments in a directory, and says what is wrong with a start", async () => {
      await start(page, "where", `sh -c 'pwd; echo "$1"' - "two  words"`, { argv: true, cwd: folder })
      await sees(page, "where", folder)
      await sees(page, "where", "two  words")
      await page.keyboard.press("Control+Shift+L")
      await page.keyboard.press("n")
      await page.check("input[value=argv]")
      await page.fill("textarea[name=command]", "nosuchprogram")
      await page.press("textarea[name=command]", "Enter")
      await page.getByRole("alert").getByText("cannot start nosuchprogram").waitFor()
      await page.keyboard.press("Escape")
    })

    it("shows pipes with their colors, marks stderr, and writes lines to stdin", async () => {
      const command = "printf '\\033[32mgreen\\033[0m\\n'; echo wrong >&2; cat; echo over"
      const shown = await start(page, "pipes", command, { pipes: true, stdin: true })
      await sees(page, "pipes", "wrong")
      expect((await lines(page, "pipes")).slice(0, 2)).toEqual(["green", "▏wrong"])
      await shown.getByLabel("A line for stdin").fill("typed line")
      await shown.getByLabel("A line for stdin").press("Enter")
      await sees(page, "pipes", "typed line")
      await shown.getByText("End input").click()
      await sees(page, "pipes", "over")
      await knows(page, "pipes", "exited with 0")
      await shown.getByLabel(/^Copy/).click()
      await shown.getByText("Copied.").waitFor()
      expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(
        "green\nwrong\ntyped line\nover\n",
      )
    })

    it("lists live, filtered by words and states, and removes what has ended", async () => {
      await start(page, "sleeper", "sleep 1000", { pipes: true })
      await page.keyboard.press("Control+Shift+L")
      await page.keyboard.press("/")
      await page.keyboard.type("state:failed")
      await page.getByText("0 running, 1 ended of 4").waitFor()
      expect(await page.locator(".row").count()).toBe(1)
      await page.fill(".filter", "nothing like it")
      await page.getByText("None of 4 processes fits the filter.").waitFor()
      await page.fill(".filter", "")
      await page.getByLabel("Remove those that have ended").click()
      await page.getByText("1 running, 0 ended").waitFor()
      const menu = tile(page, "sleeper").getByLabel("Send a signal")
      await menu.selectOption("kill")
      await knows(page, "sleeper", "killed by SIGKILL on request")
      await tile(page, "sleeper")
        .getByLabel(/^Remove .* from the list$/)
        .click()
      await page.getByText("Nothing runs here yet.").waitFor()
    })

    it("lets one page write and others look on, whose typing is told as refused, until they take control", async () => {
      await start(page, "shared", "stty -echo; while read line; do echo got $line; done")
      const writer = tile(page, "shared").and(page.locator("[data-writes]"))
      await writer.waitFor()
      const other = await stage.open()
      await row(other, "shared").locator(".row-open").click()
      await tile(other, "shared").and(other.locator("[data-state=live]")).waitFor()
      await tile(other, "shared").getByText("Read-only", { exact: true }).waitFor()
      await other.locator(".tile textarea").focus()
      await other.keyboard.type("x")
      await tile(other, "shared").getByText("Read-only: what you type is not sent.").waitFor()
      await other.keyboard.press("Control+Shift+E")
      await tile(other, "shared").and(other.locator("[data-writes]")).waitFor()
      await writer.waitFor({ state: "detached" })
      await other.locator(".tile textarea").focus()
      await other.keyboard.type("taken\n")
      await sees(page, "shared", "got taken")
      await other.close()
      await writer.waitFor()
    })

    it("has the size of the writer's room, which others see with smaller letters", async () => {
      await start(page, "size", "trap 'stty size' WINCH; stty size; while :; do sleep 0.05; done")
      await tile(page, "size").and(page.locator("[data-writes]")).waitFor()
      const before = await page.locator(".facts").textContent()
      await page.setViewportSize({ width: 900, height: 500 })
      await page.waitForFunction((before) => {
        const size = (text: string | null | undefined) => /(\d+)×(\d+)/.exec(text ?? "")?.slice(1)
        const now = size(document.querySelector(".facts")?.textContent)
        const shown = document.querySelector(".screen .xterm-accessibility-tree")?.textContent ?? ""
        const told = now !== undefined && shown.includes(`${now[1]} ${now[0]}`)
        return told && String(now) !== String(size(before))
      }, before)
      await page.setViewportSize({ width: 1280, height: 800 })
      await tile(page, "size").getByLabel("Send a signal").selectOption("kill")
      await knows(page, "size", "killed by SIGKILL")
    })

    it("shows several side by side or one alone, walked through by keys", async () => {
      await start(page, "one", "echo first; cat")
      await start(page, "two", "echo second; cat", { beside: true })
      await start(page, "three", "echo third; cat", { beside: true })
      await sees(page, "three", "third")
      expect(await page.locator(".tile:visible").count()).toBe(3)
      await page.locator(".tile[data-focused][aria-label=three]").waitFor()
      await page.keyboard.press("Control+Shift+ArrowLeft")
      await page.locator(".tile[data-focused][aria-label=two]").waitFor()
      await page.keyboard.press("Control+Shift+M")
      await tile(page, "one").waitFor({ state: "hidden" })
      await tile(page, "two").waitFor()
      await page.keyboard.press("Control+Shift+M")
      await tile(page, "one").waitFor()
      await page.keyboard.press("Control+Shift+X")
      await tile(page, "two").waitFor({ state: "detached" })
      await page.reload()
      await sees(page, "three", "third")
      expect(await page.locator(".tile:visible").count()).toBe(2)
    })

    it("finds in the output, and opens links in tabs of their own", async () => {
      await start(page, "found", "seq 1 40; echo see https://example.com/x; cat")
      await sees(page, "found", "https://example.com/x")
      await page.keyboard.press("Control+Shift+F")
      await page.keyboard.type("3")
      await tile(page, "found")
        .locator(".count", { hasText: /of 14$/ })
        .waitFor()
      await page.keyboard.press("Escape")
      await tile(page, "found").locator(".find").waitFor({ state: "hidden" })
      // Nothing of the network is needed: the tab opens with the address, whatever comes of it.
      const opens = page.context().waitForEvent("page")
      const cell = await page.evaluate(() => {
        const rows = [...document.querySelectorAll(".tile .screen .xterm-accessibility-tree > *")]
        const index = rows.findIndex((row) => row.textContent?.includes("https://"))
        const { left, top, height } = document.querySelector(".tile .xterm-screen")!.getBoundingClientRect()
        return { x: left + 60, y: top + (index + 0.5) * (height / rows.length) }
      })
      // The terminal looks for links where the pointer moves, not where it was before they were drawn.
      const isLink = async () => {
        await page.mouse.move(cell.x + 8, cell.y)
        await page.mouse.move(cell.x, cell.y)
        return page.locator(".xterm-cursor-pointer").isVisible()
      }
      await expect.poll(isLink, { timeout: 240_000 }).toBe(true)
      await page.mouse.click(cell.x, cell.y)
      const opened = await opens
      expect(await opened.evaluate(() => window.opener)).toBe(null)
      await opened.close()
    })

    it("searches all output in the history, and jumps to a line of it", async () => {
      await start(page, "long", "seq 1 30000; echo done; cat")
      await sees(page, "long", "done")
      await page.keyboard.press("Control+Shift+H")
      const history = page.getByRole("dialog", { name: "History" })
      await history.getByText(/lines \d+ to 30001, the end so far/).waitFor()
      await history.getByLabel("Search all output").fill("777")
      await history.getByLabel("Search all output").press("Enter")
      await history.locator(".match").first().waitFor()
      await history
        .locator(".match", { hasText: /^ *7770*7770$|7770/ })
        .first()
        .click()
      await history.getByText(/lines 7670 to \d+, more follows/).waitFor()
      await page.waitForFunction(
        () =>
          document
            .querySelector(".history-screen .xterm-accessibility-tree")
            ?.textContent?.includes("7770") === true,
      )
      await page.keyboard.press("Escape")
      await history.waitFor({ state: "detached" })
    })

    it("says that the link is cut, and shows what came meanwhile without a gap when it is back", async () => {
      const cut = await reader(() => start(page, "counter", counter))
      await tile(page, "counter").and(page.locator("[data-writes]")).waitFor()
      await page.keyboard.type("\n")
      await sees(cut, "counter", "line 5")
      proxy.cut()
      await tile(cut, "counter").getByText("The connection is lost and tried again.").waitFor()
      await page.keyboard.type("\n\n")
      await sees(page, "counter", "line 15")
      proxy.mend()
      await sees(cut, "counter", "line 15")
      expect(await counted(cut)).toEqual(Array.from({ length: 15 }, (_, index) => `line ${index + 1}`))
      await tile(cut, "counter").getByText("The connection is lost").waitFor({ state: "hidden" })
      await tile(cut, "counter")
        .getByLabel(/^Read-only/)
        .click()
      await tile(cut, "counter").locator(".notice", { hasText: "control" }).waitFor()
      await cut.context().close()
    })

    it("comes back without a gap from a sleep, after which its connection is dead, and nobody says so", async () => {
      const asleep = await reader(async () => {})
      await sees(asleep, "counter", "line 15")
      for (const [last, wakes] of [
        [20, true],
        [25, false],
      ] as const) {
        if (wakes) await asleep.context().setOffline(true)
        proxy.strand()
        await page.locator(".tile[aria-label=counter] textarea").focus()
        await page.keyboard.type("\n")
        await sees(page, "counter", `line ${last}`)
        if (wakes) await asleep.context().setOffline(false)
        await sees(asleep, "counter", `line ${last}`)
        expect(await counted(asleep)).toEqual(Array.from({ length: last }, (_, index) => `line ${index + 1}`))
      }
      await asleep.context().close()
    })

    it("is sent nothing of a flood that nobody looks at, and shows the end of one that is interrupted", async () => {
      const other = await stage.open()
      let received = 0
      other.on("websocket", (socket) =>
        socket.on("framereceived", ({ payload }) => (received += payload.length)),
      )
      await other.reload()
      await start(other, "flood", "yes 0123456789abcdef | head -c 20000000; echo over; read line; yes flood")
      await other.waitForFunction(() => document.querySelector(".tile[data-writes]") !== null)
      await other.keyboard.press("Control+Shift+X")
      await tile(other, "flood").waitFor({ state: "detached" })
      const before = received
      await row(page, "flood").locator(".row-open").click()
      await sees(page, "flood", "over")
      expect(received - before).toBeLessThan(1_000_000)
      await page.keyboard.press("Control+Shift+E")
      await tile(page, "flood").and(page.locator("[data-writes]")).waitFor()
      await page.locator(".tile textarea").focus()
      await page.keyboard.type("\n")
      await sees(page, "flood", "flood")
      await page.keyboard.press("Control+C")
      await knows(page, "flood", "killed by SIGINT")
      await other.close()
    })

    it("is used by keys alone, lists them by ?, and can be left from a terminal", async () => {
      await page.keyboard.press("Control+Shift+L")
      await page.keyboard.press("Shift+?")
      await page
        .getByRole("dialog", { name: "Shortcuts" })
        .getByText("leave the terminal, to the list")
        .waitFor()
      await page.keyboard.press("Escape")
      await page.keyboard.press("/")
      await page.keyboard.type("counter")
      await page.keyboard.press("Enter")
      await page.keyboard.press("Enter")
      await tile(page, "counter").waitFor()
      await page.waitForFunction(() => document.activeElement?.closest(".tile") !== null)
      await page.keyboard.press("Control+Shift+L")
      expect(await page.evaluate(() => document.activeElement?.className)).toBe("row-open")
      expect(
        await page.evaluate(() => getComputedStyle(document.activeElement as Element).outlineStyle),
      ).toBe("solid")
      await page.fill(".filter", "")
    })

    it("is light or dark as the system is or the visitor wants, and keeps to its policy for content", async () => {
      const back = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor)
      await page.emulateMedia({ colorScheme: "dark" })
      expect(await back()).toBe("rgb(15, 17, 20)")
      await page.emulateMedia({ colorScheme: "light" })
      expect(await back()).toBe("rgb(253, 253, 252)")
      await page.getByLabel(/^Light, dark/).click()
      await page.getByLabel(/^Light, dark/).click()
      expect(await back()).toBe("rgb(15, 17, 20)")
      await page.getByLabel(/^Light, dark/).click()
      expect(stage.complaints.filter((text) => !/Failed to load resource|WebSocket/.test(text))).toEqual([])
    })
  },
)
