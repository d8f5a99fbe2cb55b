/** The acts of a visitor on the page, for its tests: each waits for what the visitor would see. */
import { once } from "node:events"
import { type AddressInfo, connect, createServer, type Socket } from "node:net"
import type { Locator, Page } from "playwright-core"

export interface How {
  readonly pipes?: boolean
  readonly stdin?: boolean
  readonly beside?: boolean
  readonly argv?: boolean
  readonly cwd?: string
}

export const tile = (page: Page, name: string): Locator => page.locator(`.tile[aria-label="${name}"]`)

export const row = (page: Page, name: string): Locator => page.locator(".row", { hasText: name })

/** Starts a process by the dialog; its terminal is open then. */
export const start = async (page: Page, name: string, command: string, how: How = {}): Promise<Locator> => {
  await page.click(".side .start")
  await page.check(`input[value=${how.argv === true ? "argv" : "shell"}]`)
  await page.fill("textarea[name=command]", command)
  await page.fill("input[name=name]", name)
  await page.fill("input[name=cwd]", how.cwd ?? "")
  await page.check(`input[value=${how.pipes === true ? "pipes" : "tty"}]`)
  if (how.pipes === true) await page.setChecked("input[name=stdin]", how.stdin === true)
  await page.setChecked("input[name=beside]", how.beside === true)
  await page.press("textarea[name=command]", "Enter")
  await tile(page, name).waitFor()
  return tile(page, name)
}

/** Waits until a text is shown in the terminal of a process, whose page is in screen reader mode. */
export const sees = async (page: Page, name: string, text: string): Promise<void> => {
  await page.waitForFunction(
    ([name, text]) =>
      document
        .querySelector(`.tile[aria-label="${name}"] .screen .xterm-accessibility-tree`)
        ?.textContent?.includes(text) === true,
    [name, text] as const,
  )
}

/** The lines that a terminal shows, without blanks at their ends. */
export const lines = (page: Page, name: string): Promise<ReadonlyArray<string>> =>
  page
    .locator(`.tile[aria-label="${name}"] .screen .xterm-accessibility-tree > *`)
    .evaluateAll((rows) => rows.map((row) => (row.textContent ?? "").replaceAll("\u00a0", " ").trimEnd()))

/** Waits for the line of facts at the foot of a tile. */
export const knows = async (page: Page, name: string, facts: string): Promise<void> => {
  await page.locator(`.tile[aria-label="${name}"] .facts`, { hasText: facts }).waitFor()
}

/** A proxy in front of a server whose connections can be cut, or be left without a word. */
export interface Cutter {
  readonly port: number
  /** The port that connections go to. */
  to: number
  /** Cuts all connections, and takes none until `mend`. */
  readonly cut: () => void
  readonly mend: () => void
  /** Passes nothing on any more on the connections that are open, and closes none. */
  readonly strand: () => void
  readonly close: () => void
}

/** Listens. */
export const cutter = async (): Promise<Cutter> => {
  const [open, stranded] = [new Set<Socket>(), new WeakSet<Socket>()]
  let isCut = false
  const server = createServer((near) => {
    if (isCut) return near.destroy()
    const far = connect(made.to, "127.0.0.1")
    for (const [one, other] of [
      [near, far],
      [far, near],
    ] as const) {
      open.add(one)
      one.on("error", () => other.destroy())
      one.on("close", () => {
        open.delete(one)
        if (!stranded.has(one)) other.destroy()
      })
      one.on("data", (bytes: Buffer) => {
        if (!stranded.has(one) && !other.write(bytes)) one.pause()
      })
      other.on("drain", () => one.resume())
    }
  })
  await once(server.listen(0, "127.0.0.1"), "listening")
  const made: Cutter = {
    port: (server.address() as AddressInfo).port,
    to: 0,
    cut: () => {
      isCut = true
      for (const socket of open) socket.destroy()
    },
    mend: () => void (isCut = false),
    strand: () => open.forEach((socket) => stranded.add(socket)),
    close: () => {
      made.cut()
      server.close()
    },
  }
  return made
}
