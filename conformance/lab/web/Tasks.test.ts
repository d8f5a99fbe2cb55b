/** The tasks of a visitor: a shell, a restart, a log, letters, names, and a small window. */
import { readFileSync } from "node:fs"
import process from "node:process"
import type { Page } from "playwright-core"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { knows, lines, row, sees, start, tile } from "./Acts.ts"
import * as Stage from "./Stage.ts"

describe.skipIf(Stage.executable === undefined)(
  "the page at work",
  { timeout: 600_000, tags: ["chromium"] },
  () => {
    let stage: Stage.Stage
    let page: Page

    beforeAll(async () => {
      stage = await Stage.make({
        args: ["--history-bytes", "8000000"],
        browser: { viewport: { width: 1280, height: 800 } },
      })
      page = await stage.open()
      await page.getByText("Nothing runs here yet.").waitFor()
      await page.keyboard.press("r")
    })
    afterAll(() => stage?.close())

    it("opens a shell in one click, which is typed into at once", async () => {
      await page.getByRole("button", { name: "Shell", exact: true }).click()
      await page.locator(".tile[data-writes]").waitFor()
      await page.locator(".tile textarea").focus()
      await page.keyboard.type("echo $((20 + 3)); exit\n")
      await page.waitForFunction(() =>
        [...document.querySelectorAll(".screen .xterm-accessibility-tree > *")].some(
          (line) => line.textContent?.trim() === "23",
        ),
      )
      await page.locator(".tile .facts", { hasText: "exited with 0" }).waitFor()
    })

    it("starts what has ended again in its place, where it is typed into", async () => {
      await start(page, "again", "echo begun; read line; echo got $line")
      await tile(page, "again").and(page.locator("[data-writes]")).waitFor()
      await page.keyboard.type("first\n")
      await sees(page, "again", "got first")
      await knows(page, "again", "exited with 0")
      await tile(page, "again").getByRole("button", { name: "Start again again", exact: true }).click()
      await knows(page, "again", "running")
      await tile(page, "again").and(page.locator("[data-writes]")).waitFor()
      await tile(page, "again").locator("textarea").focus()
      await page.keyboard.type("second\n")
      await sees(page, "again", "got second")
      expect((await lines(page, "again")).includes("got first")).toBe(false)
      expect(await row(page, "again").count()).toBe(1)
    })

    it("gives the log as a file, with the time of each line if that is wanted", async () => {
      await start(page, "logged", "seq 1 20000; printf '\\033[31mred\\033[0m\\n'")
      await knows(page, "logged", "exited with 0")
      const saved = async () => {
        const [download] = await Promise.all([
          page.waitForEvent("download"),
          tile(page, "logged").getByRole("button", { name: "Download the log of logged" }).click(),
        ])
        expect(download.suggestedFilename()).toBe("logged.log")
        return readFileSync(await download.path(), "utf8").split("\r\n")
      }
      const numbers = Array.from({ length: 20_000 }, (_, index) => String(index + 1))
      expect(await saved()).toEqual([...numbers, "\u001b[31mred\u001b[0m", ""])
      await tile(page, "logged").getByLabel("Show all output of logged").click()
      const history = page.getByRole("dialog", { name: "History" })
      await history.getByText(/lines \d+ to 20001, the end/).waitFor()
      await history.getByLabel("Times").check()
      await page.waitForFunction(() =>
        /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z 20000/.test(
          document.querySelector(".history-screen .xterm-accessibility-tree")?.textContent ?? "",
        ),
      )
      await page.keyboard.press("Escape")
      expect((await saved())[0]).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z 1$/)
    })

    it("has larger and smaller letters, and keeps the choice", async () => {
      const size = () =>
        page.evaluate(() => JSON.parse(localStorage.getItem("procwire.settings") ?? "{}").fontSize as number)
      const before = await size()
      await page.getByLabel("Larger letters in terminals").click()
      await page.getByLabel("Larger letters in terminals").click()
      await page.getByText(`Letters of ${before + 2} pixels`).waitFor()
      expect(await size()).toBe(before + 2)
      await page.keyboard.press("-")
      await page.keyboard.press("-")
      await page.getByText(`Letters of ${before} pixels`).waitFor()
      expect(await size()).toBe(before)
    })

    it("takes the names that the command line takes, each once", async () => {
      await page.keyboard.press("Control+Shift+L")
      await page.keyboard.press("n")
      const alert = page.getByRole("alert")
      await page.fill("textarea[name=command]", "true")
      for (const [name, says] of [
        ["two words", "the name 'two words' is not valid: expected letters, digits and any of . _ -"],
        ["3/abc", "the name '3/abc' is not valid"],
        ["logged", "a process is called logged already"],
      ] as const) {
        await page.fill("input[name=name]", name)
        await page.press("textarea[name=command]", "Enter")
        await alert.getByText(says).waitFor()
      }
      await page.keyboard.press("Escape")
    })

    it("names what a button does, and to which process", async () => {
      const command = "sleep 100"
      await page.keyboard.press("n")
      await page.fill("textarea[name=command]", command)
      await page.fill("input[name=name]", "")
      await page.press("textarea[name=command]", "Enter")
      await tile(page, command).and(page.locator("[data-writes]")).waitFor()
      const menu = tile(page, command).getByLabel("Send a signal to sleep 100")
      expect(await menu.locator("option").allTextContents()).toContain("Kill sleep 100 · SIGKILL")
      for (const name of [
        /Only look on at sleep 100/,
        /^Download the log of sleep 100$/,
        /^Close the terminal of sleep 100, which goes on/,
      ])
        await tile(page, command).getByRole("button", { name }).waitFor()
      const words = await page
        .locator("button:visible")
        .evaluateAll((all) =>
          all.map((one) => (one.getAttribute("aria-label") ?? one.textContent ?? "").trim()),
        )
      expect(words.filter((text) => !/\p{L}{2}/u.test(text))).toEqual([])
      await menu.selectOption("kill")
      await tile(page, command).getByRole("button", { name: "Remove sleep 100 from the list" }).waitFor()
    })

    it("scrolls the terminal of a writer with more room, in letters that can be read", async () => {
      await start(
        page,
        "wide",
        "read x; printf 'corner%*s\\n' $(($(stty size | cut -d' ' -f2) - 6)) edge; read x",
      )
      await tile(page, "wide").and(page.locator("[data-writes]")).waitFor()
      await page.keyboard.type("\n")
      await sees(page, "wide", "edge")
      const other = await stage.open()
      await other.setViewportSize({ width: 720, height: 400 })
      await row(other, "wide").locator(".row-open").click()
      await tile(other, "wide").and(other.locator("[data-state=live]")).waitFor()
      const seen = await other.waitForFunction(() => {
        const host = document.querySelector<HTMLElement>(".screen[data-scrolls]")
        const drawn = host?.querySelector(".xterm-screen")
        if (host === null || drawn == null) return undefined
        host.scrollTo(10_000, 10_000)
        if (host.scrollLeft === 0 || host.scrollTop === 0) return undefined
        const [room, picture] = [host.getBoundingClientRect(), drawn.getBoundingClientRect()]
        const size = Number.parseFloat(getComputedStyle(host.querySelector(".xterm-rows") ?? host).fontSize)
        return {
          right: picture.right <= room.right + 1,
          bottom: picture.bottom <= room.bottom + 1,
          readable: size >= 9,
        }
      })
      expect(await seen.jsonValue()).toEqual({ right: true, bottom: true, readable: true })
      await other.close()
    })

    it("opens a port of a process in another tab, without the cookie of the page, and says why it cannot", async () => {
      const script = [
        "const reply = (asked, answer) => answer.end(JSON.stringify(asked.headers))",
        'const server = require("http").createServer(reply).listen(0, "127.0.0.1", () =>',
        '  console.log("Local: http://localhost:" + server.address().port + "/"))',
        'process.stdin.once("data", () => { server.close(); console.log("no more") })',
      ].join("\n")
      await start(page, "site", `"${process.execPath}" -e '${script}'`)
      await tile(page, "site").and(page.locator("[data-writes]")).waitFor()
      await sees(page, "site", "Local: http://localhost:")
      const button = tile(page, "site").getByRole("button", { name: "Open a port on which site listens" })
      await button.click()
      const bar = tile(page, "site").getByRole("group", { name: "Open a port" })
      const port = await bar.getByRole("spinbutton").inputValue()
      expect(await lines(page, "site")).toContain(`Local: http://localhost:${port}/`)
      const [opened] = await Promise.all([page.context().waitForEvent("page"), page.keyboard.press("Enter")])
      await opened.waitForLoadState()
      const headers = JSON.parse((await opened.locator("body").textContent()) ?? "") as Record<string, string>
      expect(opened.url()).toBe(await bar.getByRole("link").getAttribute("href"))
      expect(new URL(opened.url()).hostname).toBe("localhost")
      expect([headers.cookie, headers.referer]).toEqual([undefined, undefined])
      expect(await opened.evaluate(() => window.opener as unknown)).toBe(null)
      await opened.close()
      await page.keyboard.press("Escape")
      await page.keyboard.type("\n")
      await sees(page, "site", "no more")
      await button.click()
      await page.keyboard.press("Enter")
      await bar.getByText(`nothing listens on port ${port} within the process`).waitFor()
      await page.keyboard.press("Escape")
      await tile(page, "site")
        .getByRole("button", { name: /^In control/ })
        .click()
      await button.waitFor({ state: "hidden" })
    })
  },
)
