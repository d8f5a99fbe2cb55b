// @ts-check
// `npm run proof:page`: the page of a server under a flood, in a real Chromium. Prints how many frames the page draws
// in each second while nobody looks at the flood, against those of an idle page, and how long after Ctrl-C in a
// terminal that is flooded the end of the process is shown. Needs /usr/bin/chromium, and a build.
// `--bytes N` (default 100000000) is the flood, `--rounds N` (default 5) how often Ctrl-C is pressed.
import { spawn } from "node:child_process"
import { createInterface } from "node:readline"
import { fileURLToPath } from "node:url"
import { chromium } from "playwright-core"
import { command } from "../../../.ci/command.mjs"

/** @import { Page } from "playwright-core" */

const { values } = command(import.meta.url, {
  options: {
    bytes: { type: "string", default: "100000000" },
    rounds: { type: "string", default: "5" },
  },
})

/** Frames in each second until `over` resolves. @param {Page} page @param {Promise<unknown>} over */
const frames = async (page, over) => {
  await page.evaluate(`
    window.counted = { frames: 0, longest: 0, last: performance.now(), since: performance.now() }
    const count = (now) => {
      counted.frames += 1
      counted.longest = Math.max(counted.longest, now - counted.last)
      counted.last = now
      requestAnimationFrame(count)
    }
    requestAnimationFrame(count)
  `)
  await over
  /** @type {{ frames: number, longest: number, seconds: number }} */
  const counted = await page.evaluate("({ ...counted, seconds: (performance.now() - counted.since) / 1000 })")
  return { ...counted, perSecond: counted.frames / counted.seconds }
}

/** @param {Page} page @param {string} name @param {string} command */
const start = async (page, name, command) => {
  await page.click(".side .start")
  await page.fill("textarea[name=command]", command)
  await page.fill("input[name=name]", name)
  await page.press("textarea[name=command]", "Enter")
  await page.locator(`.tile[aria-label="${name}"][data-writes]`).waitFor()
}

/**
 * From the key to the exit in the line of facts, in milliseconds.
 * @param {Page} page
 * @param {string} name
 * @param {string} command
 */
const interrupted = async (page, name, command) => {
  await start(page, name, command)
  await page.waitForTimeout(1000)
  await page.evaluate(`
    window.measured = { pressed: 0, shown: 0 }
    addEventListener("keydown", ({ key }) => key === "c" && (measured.pressed = performance.now()), true)
    const state = document.querySelector(".tile .state")
    const look = () => {
      if (measured.shown === 0 && state.textContent.includes("SIGINT")) measured.shown = performance.now()
    }
    new MutationObserver(look).observe(state, { childList: true, characterData: true, subtree: true })
  `)
  await page.keyboard.press("Control+c")
  await page.locator(".tile .state", { hasText: "SIGINT" }).waitFor()
  return /** @type {Promise<number>} */ (page.evaluate("measured.shown - measured.pressed"))
}

/** @param {number} value */
const whole = (value) => String(Math.round(value))

const procwire = fileURLToPath(new URL("../../../dist/procwire.mjs", import.meta.url))
const server = spawn(
  process.execPath,
  [procwire, "serve", "--listen", "ws://127.0.0.1:0", "--web", "--exit-on-stdin-close"],
  {
    stdio: ["pipe", "pipe", "inherit"],
  },
)
const lines = createInterface({ input: server.stdout })[Symbol.asyncIterator]()
await lines.next()
const link = String((await lines.next()).value)
const browser = await chromium.launch({
  executablePath: "/usr/bin/chromium",
  args: ["--disable-dev-shm-usage"],
})
try {
  const page = await browser.newPage({ viewport: { width: 1280, height: 800 } })
  page.setDefaultTimeout(300_000)
  await page.goto(link)
  await page.locator(".empty").waitFor()
  const idle = await frames(page, page.waitForTimeout(3000))
  await page.reload()
  await page.locator(".empty").waitFor()
  await start(page, "unseen", `sleep 1; yes 0123456789abcdef | head -c ${values.bytes}; exit 7`)
  await page.keyboard.press("Control+Shift+X")
  const over = page.locator(".row-sub", { hasText: "exited with 7" }).waitFor()
  const flooded = await frames(page, over)
  process.stdout.write(
    `idle: ${whole(idle.perSecond)} frames in a second, the longest took ${whole(idle.longest)} ms\n` +
      `${values.bytes} bytes that nobody looks at, in ${flooded.seconds.toFixed(1)} s: ` +
      `${whole(flooded.perSecond)} frames in a second, the longest took ${whole(flooded.longest)} ms\n`,
  )
  const quiet = []
  const loud = []
  for (let round = 0; round < Number(values.rounds); round += 1) {
    quiet.push(await interrupted(page, `quiet ${round}`, "exec sleep 1000"))
    loud.push(await interrupted(page, `flood ${round}`, "exec yes 0123456789abcdefghijklmnopqrstuvwxyz"))
  }
  process.stdout.write(
    `Ctrl-C until the end is shown, in turn, of a silent process: ${quiet.map(whole).join(", ")} ms; ` +
      `of a flood: ${loud.map(whole).join(", ")} ms\n`,
  )
} finally {
  await browser.close()
  server.kill("SIGKILL")
}
