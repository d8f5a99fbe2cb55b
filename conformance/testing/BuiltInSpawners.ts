/**
 * The built-in spawners as the suites play them: what to name, what differs and why, and what has to run beside them.
 */
import { spawn } from "node:child_process"
import { mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"

/** A row of `targets/spawners.json`. */
interface Row {
  /** The value of `--spawner`; `{URL}` stands for another procwire. */
  readonly with: string
  /** The cases of the spawner suite that fail, each with the reason. */
  readonly spawner: { readonly [id: string]: string }
  /** The cases of the wire suite that fail behind `serve --spawner`, each with the reason. */
  readonly wire: { readonly [id: string]: string }
}

// The compiled module is one folder deeper, below dist.
const root = fileURLToPath(
  new URL(import.meta.url.includes("/dist/") ? "../../../" : "../../", import.meta.url),
)

/** The built command. */
export const command: readonly [string, string] = [process.execPath, join(root, "dist/procwire.mjs")]

/** Every built-in spawner by its name. */
export const rows = JSON.parse(readFileSync(join(root, "conformance/targets/spawners.json"), "utf8")) as {
  readonly [name: string]: Row
}

/** A spawner that can be named, and `close` for what runs beside it. */
export interface Opened {
  readonly text: string
  readonly close: () => Promise<void>
}

/** Starts what the spawner needs. */
export const open = async ({ with: text }: Row): Promise<Opened> => {
  if (!text.includes("{URL}")) return { text, close: () => Promise.resolve() }
  const folder = mkdtempSync(join(tmpdir(), "procwire-behind-"))
  const [program, script] = command
  const server = spawn(program, [script, "serve", "--listen", `unix:${join(folder, "socket")}`], {
    stdio: ["ignore", "pipe", "inherit"],
  })
  const ended = new Promise<void>((resolve) => server.once("exit", () => resolve()))
  const url = await new Promise<string>((resolve, reject) => {
    server.stdout.once("data", (bytes: Buffer) => resolve(bytes.toString().trim()))
    server.once("exit", (code) => reject(new Error(`the server behind ended with ${code}`)))
  })
  return {
    text: text.replace("{URL}", url),
    close: async () => {
      server.kill()
      await ended
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
