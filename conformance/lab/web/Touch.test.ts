/** The page on a phone: a narrow screen, fingers, and the keys that a phone does not have. */
import type { CDPSession, Page } from "playwright-core"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { lines, sees, start, tile } from "./Acts.ts"
import * as Stage from "./Stage.ts"

describe.skipIf(Stage.executable === undefined)(
  "the page on a phone",
  { timeout: 600_000, tags: ["chromium"] },
  () => {
    let stage: Stage.Stage
    let page: Page
    let devtools: CDPSession

    beforeAll(async () => {
      const browser = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true }
      stage = await Stage.make({ browser })
      page = await stage.open()
      await page.getByText("Nothing runs here yet.").waitFor()
      await page.keyboard.press("r")
      devtools = await page.context().newCDPSession(page)
    })
    afterAll(() => stage?.close())

    /** Draws a finger over the terminal by so many pixels, up if they are above 0. */
    const swipe = async (name: string, pixels: number) => {
      const box = await tile(page, name).locator(".screen").boundingBox()
      if (box === null) throw new Error(`${name} is not shown`)
      const [x, y] = [box.x + box.width / 2, box.y + box.height / 2]
      const at = (way: number) => [{ x, y: y - way }]
      await devtools.send("Input.dispatchTouchEvent", { type: "touchStart", touchPoints: at(0) })
      for (let step = 1; step <= 5; step++)
        await devtools.send("Input.dispatchTouchEvent", {
          type: "touchMove",
          touchPoints: at((pixels * step) / 5),
        })
      await devtools.send("Input.dispatchTouchEvent", { type: "touchEnd", touchPoints: [] })
    }

    it("has keys that a phone lacks, and Ctrl for the next letter", async () => {
      const shown = await start(page, "keys", "stty -echo -icanon -isig; echo ready; exec cat -v")
      await sees(page, "keys", "ready")
      const keys = shown.getByRole("toolbar", { name: "Keys" })
      for (const key of ["Escape", "Arrow up", "Control C"]) await keys.getByLabel(key, { exact: true }).tap()
      await sees(page, "keys", "^[^[[A^C")
      await keys.getByLabel("Control, for the next letter").tap()
      await page.locator(".tile textarea").focus()
      await page.keyboard.type("aa")
      await sees(page, "keys", "^[^[[A^C^Aa")
      await shown.getByLabel("Back to the list").tap()
      await shown.waitFor({ state: "detached" })
    })

    it("scrolls with a finger, which presses arrows in a program that has the whole screen", async () => {
      const command = "stty -echo -icanon; seq 1 300; read line; printf '\\033[?1049h'; exec cat -v"
      await start(page, "finger", command)
      await sees(page, "finger", "300")
      const first = async () => Number((await lines(page, "finger"))[0])
      const before = await first()
      await swipe("finger", -200)
      await expect.poll(first).toBeLessThan(before)
      await swipe("finger", 400)
      await expect.poll(first).toBe(before)
      await page.locator(".tile textarea").focus()
      await page.keyboard.type("\n")
      await page.waitForFunction(
        () => !(document.querySelector(".tile .xterm-accessibility-tree")?.textContent ?? "").includes("300"),
      )
      await swipe("finger", 100)
      await sees(page, "finger", "^[[B")
      await swipe("finger", -100)
      await sees(page, "finger", "^[[A")
    })
  },
)
