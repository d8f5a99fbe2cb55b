/**
 * A stage for tests of the page: the command `procwire serve --web` as it is built, and a real Chromium. A test says in
 * one line that it is skipped where there is no Chromium.
 *
 * The first page of a stage logs in with the one-time link that the server has printed; further ones share its cookie.
 */
import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { existsSync } from "node:fs"
import process from "node:process"
import { createInterface } from "node:readline"
import { fileURLToPath } from "node:url"
import { type Browser, type BrowserContext, chromium, type Page } from "playwright-core"

/** The Chromium of the system; undefined where there is none. */
export const executable: string | undefined = ["/usr/bin/chromium", "/usr/bin/chromium-browser"].find(
  (path) => existsSync(path),
)

if (executable === undefined)
  process.stdout.write("skipped: no Chromium at /usr/bin/chromium, so the page is not tested in a browser\n")

const command = fileURLToPath(new URL("../../../dist/procwire.cjs", import.meta.url))

/** The longest step of a browser: only a hang reaches it. */
const patience = 240_000

export interface Options {
  readonly args?: ReadonlyArray<string>
  /** The options of its browsers: `colorScheme`, `viewport`, `hasTouch`. */
  readonly browser?: Parameters<Browser["newContext"]>[0]
  readonly chromium?: ReadonlyArray<string>
}

export interface Stage {
  /** The address of the page: `http://127.0.0.1:39211/`. */
  readonly url: string
  /** The address for other clients: `ws://127.0.0.1:39211`. */
  readonly address: string
  /** The link that the server has printed, unused so far. */
  readonly link: string
  /** The server: the last one that was started. */
  readonly server: ChildProcess
  readonly kill: () => Promise<void>
  /** Starts another one at the same port: the link that it has printed. */
  readonly startAgain: () => Promise<string>
  /** The next line that the server prints: another link, after SIGUSR2. */
  readonly nextLine: () => Promise<string>
  readonly chromium: Browser
  /** The complaints of the pages of the stage: errors, and breaches of the policy for content. */
  readonly complaints: ReadonlyArray<string>
  /** A page of a visitor who is logged in. */
  readonly open: () => Promise<Page>
  /** A browser without cookies: somebody else. */
  readonly stranger: () => Promise<BrowserContext>
  /** Ends both. */
  readonly close: () => Promise<void>
}

export const make = async ({
  args = [],
  browser = {},
  chromium: flags = [],
}: Options = {}): Promise<Stage> => {
  const serve = async (port: string | number) => {
    const flags = ["serve", "--listen", `ws://127.0.0.1:${port}`, "--web", "--exit-on-stdin-close", ...args]
    const server = spawn(process.execPath, [command, ...flags], { stdio: ["pipe", "pipe", "inherit"] })
    const lines = createInterface({ input: server.stdout })[Symbol.asyncIterator]()
    const nextLine = async (): Promise<string> => {
      const { value, done } = await lines.next()
      if (done === true) throw new Error("the server has ended")
      return value as string
    }
    return { server, nextLine, address: await nextLine(), link: await nextLine() }
  }
  let current = await serve(0)
  const { address, link } = current
  const kill = async () => {
    const { server } = current
    const ended = server.exitCode === null && server.signalCode === null ? once(server, "close") : undefined
    server.kill("SIGKILL")
    await ended
  }
  const started = await chromium.launch({
    executablePath: executable ?? "/usr/bin/chromium",
    timeout: patience,
    args: ["--disable-dev-shm-usage", ...flags],
  })
  const complaints: Array<string> = []
  const stranger = async (): Promise<BrowserContext> => {
    const context = await started.newContext(browser)
    context.setDefaultTimeout(patience)
    context.on("weberror", (error) => complaints.push(String(error.error())))
    context.on("console", (message) => {
      if (message.type() === "error") complaints.push(message.text())
    })
    return context
  }
  const own = await stranger()
  const [url = ""] = link.split("#")
  let isNew = true
  return {
    url,
    address,
    link,
    get server() {
      return current.server
    },
    kill,
    startAgain: async () => {
      current = await serve(new URL(address).port)
      return current.link
    },
    nextLine: () => current.nextLine(),
    chromium: started,
    complaints,
    stranger,
    open: async () => {
      const page = await own.newPage()
      if (isNew)
        await Promise.all([
          page.waitForResponse((response) => response.url().endsWith("/login")),
          page.goto(link),
        ])
      else await page.goto(url)
      isNew = false
      return page
    },
    close: async () => {
      await started.close()
      await kill()
    },
  }
}
