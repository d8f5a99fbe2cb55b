/**
 * The built-in spawners as the suites play them: what to name, what differs and why, and what has to run beside them.
 */
import { spawn } from "node:child_process"
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import * as TestContainers from "./TestContainers.ts"

/** A row of `targets/spawners.json`. */
interface Row {
  /**
   * The value of `--spawner`; `{URL}` stands for another procwire, `{SSH}` for an sshd, `{IMAGE}` for the image of
   * `TestContainers`.
   */
  readonly with: string
  /** The cases of each suite that a test plays, because a child takes long to start. Default: those of all rows. */
  readonly quick?: { readonly spawner: ReadonlyArray<string>; readonly wire: ReadonlyArray<string> }
  /** The cases of the spawner suite that fail, each with the reason. */
  readonly spawner: { readonly [id: string]: string }
  /** The cases of the spawner suite whose end a race decides, each with the reason: they are not played. */
  readonly races?: { readonly [id: string]: string }
  /** The cases of the wire suite that fail behind `serve --spawner`, each with the reason. */
  readonly wire: { readonly [id: string]: string }
}

// The compiled module is one folder deeper, below dist.
const root = fileURLToPath(
  new URL(import.meta.url.includes("/dist/") ? "../../../" : "../../", import.meta.url),
)

/** The built command. */
export const command: readonly [string, string] = [process.execPath, join(root, "dist/procwire.cjs")]

/** The rows as they are written. One may be `like` another, whose members it has where it lacks its own. */
const written = JSON.parse(readFileSync(join(root, "conformance/targets/spawners.json"), "utf8")) as {
  readonly [name: string]: Row & { readonly like?: string }
}

/** Every built-in spawner by its name. */
export const rows: { readonly [name: string]: Row } = Object.fromEntries(
  Object.entries(written).map(([name, row]) => [name, { ...written[row.like ?? name], ...row }]),
)

/** A spawner that can be named, and `close` for what runs beside it. */
export interface Opened {
  readonly text: string
  readonly close: () => Promise<void>
}

/** A program beside a spawner, whose first line stands for the word in `with`, until it is killed. */
const beside: { readonly [word: string]: (folder: string) => ReadonlyArray<string> } = {
  "{URL}": (folder) => [...command, "serve", "--listen", `unix:${join(folder, "socket")}`],
  "{SSH}": () => [process.execPath, join(root, "adapters/testing/sshd.mjs")],
}

let containers: TestContainers.TestContainers | undefined

/** Requirements of a row that this machine lacks, beside those that the spawner itself names. */
export const missing = ({ with: text }: Row): TestContainers.TestContainers["missing"] => {
  if (text.includes("{IMAGE}")) return (containers ??= TestContainers.open()).missing
  if (!text.includes("{SSH}")) return undefined
  if (!existsSync("/usr/sbin/sshd"))
    return { what: "there is no /usr/sbin/sshd", remedy: "apt-get install openssh-server" }
  return process.getuid?.() === 0
    ? undefined
    : { what: "an sshd of another user than root gives no terminals", remedy: "run the tests as root" }
}

/** Starts what the spawner needs. */
export const open = async ({ with: text }: Row): Promise<Opened> => {
  if (text.includes("{IMAGE}")) {
    const { image } = (containers ??= TestContainers.open())
    return {
      text: text.replace("{IMAGE}", image).replace("{TEMP}", tmpdir()),
      close: () => Promise.resolve(),
    }
  }
  const [word] = Object.keys(beside).filter((each) => text.includes(each))
  if (word === undefined) return { text, close: () => Promise.resolve() }
  const folder = mkdtempSync(join(tmpdir(), "procwire-behind-"))
  const [program = "", ...words] = beside[word]?.(folder) ?? []
  const server = spawn(program, words, { stdio: ["pipe", "pipe", "inherit"] })
  const ended = new Promise<void>((resolve) => server.once("exit", () => resolve()))
  const said = await new Promise<string>((resolve, reject) => {
    server.stdout.once("data", (bytes: Buffer) => resolve(bytes.toString().trim()))
    server.once("exit", (code) => reject(new Error(`${program} ${words.join(" ")} ended with ${code}`)))
  })
  return {
    text: text.replace(word, said),
    close: async () => {
      server.kill()
      await ended
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** Removes the images and containers of this module. */
export const close = (): void => {
  containers?.close()
  containers = undefined
}
