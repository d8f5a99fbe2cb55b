// @ts-check
// The page of a server under a flood, in a real Chromium: how many frames it draws in each second while nobody looks at
// the flood, and how long after Ctrl-C in a flooded terminal the end is shown.
import { existsSync } from "node:fs"
import { createInterface } from "node:readline"
import { chromium } from "playwright-core"
import { serverOn } from "../run/runtimes.mjs"
import { quantile, stress } from "./lib/command.mjs"
import { launch } from "./lib/servers.mjs"

/** @import { Page } from "playwright-core" */

const executablePath = "/usr/bin/chromium"

/** Frames in each second until `over` resolves. @param {Page} page @param {Promise<unknown>} over */
const frames = async (page, over) => {
  await page.evaluate(`
    window.counted = { frames: 0, since: performance.now() }
    const count = () => requestAnimationFrame(() => count(counted.frames += 1))
    count()
  `)
  await over
  return Number(await page.evaluate("counted.frames / ((performance.now() - counted.since) / 1000)"))
}

/** @param {Page} page @param {string} name @param {string} command */
const start = async (page, name, command) => {
  await page.click(".side .start")
  await page.fill("textarea[name=command]", command)
  await page.fill("input[name=name]", name)
  await page.press("textarea[name=command]", "Enter")
  await page.locator(`.tile[aria-label="${name}"][data-writes]`).waitFor()
}

/** From Ctrl-C in a flooded terminal to the exit in the line of facts, in milliseconds. @param {Page} page */
const interrupted = async (page, name = "flood") => {
  await start(page, name, "exec yes 0123456789abcdefghijklmnopqrstuvwxyz")
  await page.waitForTimeout(1000)
  const began = performance.now()
  await page.keyboard.press("Control+c")
  await page.locator(".tile .state", { hasText: "SIGINT" }).waitFor()
  return performance.now() - began
}

export const page = stress({
  says: "floods the page of a server in Chromium: counts its frames, and times Ctrl-C",
  options: {
    megabytes: { says: "what the flood has that nobody looks at", standard: 100 },
    rounds: { says: "how often Ctrl-C is pressed in a flooded terminal", standard: 5 },
  },
  play: async ({ megabytes, rounds }, { row, fail, skip }) => {
    if (!existsSync(executablePath)) skip(`there is no ${executablePath}`)
    const listen = ["--listen", "ws://127.0.0.1:0", "--web", "--exit-on-stdin-close"]
    const { child, end } = launch([...serverOn("node"), ...listen])
    const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
    await lines.next()
    const link = String((await lines.next()).value)
    const browser = await chromium.launch({ executablePath, args: ["--disable-dev-shm-usage"] })
    try {
      const page = await browser.newPage({ viewport: { width: 1280, height: 800 } })
      page.setDefaultTimeout(300_000)
      await page.goto(link)
      await page.locator(".empty").waitFor()
      const flood = `sleep 1; yes 0123456789abcdef | head -c ${megabytes * 1e6}; exit 7`
      await start(page, "unseen", flood)
      await page.keyboard.press("Control+Shift+X")
      const flooded = await frames(page, page.locator(".row-sub", { hasText: "exited with 7" }).waitFor())
      row("frames in a second", flooded.toFixed(0))
      if (flooded < 5) fail(`a flood that nobody looks at leaves ${flooded} frames a second`)
      /** @type {number[]} */
      const times = []
      for (let round = 0; round < rounds; round += 1) times.push(await interrupted(page, `flood ${round}`))
      row("Ctrl-C in a flood to its end", times.map((one) => `${one.toFixed(0)} ms`).join(", "))
      if (quantile(times, 0.5) > 5000) fail(`Ctrl-C in a flood takes ${quantile(times, 0.5)} ms`)
    } finally {
      await browser.close()
      await end("SIGKILL")
    }
  },
})
