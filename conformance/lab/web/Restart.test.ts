/** The page when its server was killed, and started again at the same port. */
import type { Page } from "playwright-core"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { knows, row, sees, start, tile } from "./Acts.ts"
import * as Stage from "./Stage.ts"

describe.skipIf(Stage.executable === undefined)(
  "the page, when its server was killed",
  { timeout: 600_000, tags: ["chromium"] },
  () => {
    let stage: Stage.Stage
    let page: Page
    let link: string

    beforeAll(async () => {
      stage = await Stage.make()
      page = await stage.open()
      await page.getByText("Nothing runs here yet.").waitFor()
      await page.keyboard.press("r")
      await start(page, "long", "echo what it said; sleep 1000")
      await sees(page, "long", "what it said")
    })
    afterAll(() => stage?.close())

    /** The running time of the process, as the page shows it. */
    const clock = () => tile(page, "long").locator(".facts").textContent()

    it("does not say that the process goes on while no server answers, and counts no time for it", async () => {
      await stage.kill()
      await page.getByText("No answer, trying again").waitFor()
      await tile(page, "long").getByText("what the process does is not known").waitFor()
      await knows(page, "long", "when last seen")
      expect(await tile(page, "long").getByText("goes on").count()).toBe(0)
      const before = await clock()
      // The clocks of the page go by the second.
      await page.evaluate(() => new Promise((resolve) => setTimeout(resolve, 2100)))
      expect(await clock()).toBe(before)
    })

    it("says as soon as another one runs how to log in, what is gone, and its last output", async () => {
      link = await stage.startAgain()
      const bar = page.locator(".outage")
      await bar.getByText("The server was started again.").waitFor()
      await tile(page, "long").getByText("This process is gone").waitFor()
      await bar.getByText("Open the new link that the server has printed, in this tab.").waitFor()
      await knows(page, "long", "gone with its server")
      await row(page, "long").getByText("gone with its server").waitFor()
      await page.getByText("1 process is gone.").waitFor()
      await sees(page, "long", "what it said")
      expect(await page.title()).toMatch(/^The server was started again/)
      expect(await page.getByText("trying again").count()).toBe(0)
      await page.locator(".tile textarea").focus()
      await page.keyboard.type("x")
      await tile(page, "long").getByText("The process is gone.", { exact: true }).waitFor()
    })

    it("refuses a link that was used, and takes the secret of each out of the address", async () => {
      await page.goto(stage.link)
      await page.getByText("This link was used already, or is too old.").waitFor()
      expect(page.url()).toBe(stage.url)
      await page.goto(link)
      await page.locator(".outage").waitFor({ state: "hidden" })
      expect(page.url()).toBe(stage.url)
    })

    it("is connected by a new link, and keeps the last output of what is gone until it is closed", async () => {
      await page.getByText("Nothing runs here yet.").waitFor()
      await sees(page, "long", "what it said")
      await start(page, "next", "echo another; cat", { beside: true })
      await sees(page, "next", "another")
      await sees(page, "long", "what it said")
      await tile(page, "long")
        .getByLabel(/^Remove .* from the list$/)
        .click()
      await tile(page, "long").waitFor({ state: "detached" })
    })

    it("takes a link that is opened while it is connected, and says why one is refused", async () => {
      await page.goto(link)
      await page.getByText("This link was used already, or is too old.").waitFor()
      expect(page.url()).toBe(stage.url)
      await sees(page, "next", "another")
      const other = stage.nextLine()
      stage.server.kill("SIGUSR2")
      const entered = page.waitForResponse((response) => response.url().endsWith("/login"))
      await page.goto(await other)
      expect((await entered).status()).toBe(204)
      await sees(page, "next", "another")
      expect(page.url()).toBe(stage.url)
    })
  },
)
