/** Starts of the built command on stdio, as a client meets them, with a cache of their own. */
import { execFileSync, spawn } from "node:child_process"
import {
  closeSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
  writeSync,
} from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { afterEach, beforeEach, expect } from "vitest"

const dist = fileURLToPath(new URL("../../../../dist/", import.meta.url))

/** The command, on Node as it is built always, and as single files where they have been made. */
export const programs = ["procwire.cjs", "procwire-bun", "procwire-deno"].filter((name) =>
  existsSync(join(dist, name)),
)

/** The first message, and those behind it. */
export const initialize = '{"id":1,"method":"initialize","params":{"clientName":"test"}}\n'
export const afterwards = '{"method":"initialized"}\n{"id":2,"method":"process/list","params":{}}\n'

/** The circumstances of a start. */
export interface Around {
  readonly flags?: ReadonlyArray<string>
  readonly env?: NodeJS.ProcessEnv
  readonly cwd?: string
  /** The path of its stdin; by default that is a pipe of the child. */
  readonly stdin?: string
}

/** The end of a start: its exit code or signal, and its output without the session id. */
export interface Ended {
  readonly end: number | NodeJS.Signals | null
  readonly lines: ReadonlyArray<string>
  readonly errors: string
}

/** The cache and the working directory of the test that runs. */
export let folder: string
beforeEach(() => (folder = mkdtempSync(join(tmpdir(), "procwire-start-"))))
afterEach(() => rmSync(folder, { recursive: true, force: true }))

/** Starts the command. */
export const open = (
  program: string,
  { flags = ["--listen", "stdio"], env = {}, cwd = folder, stdin }: Around = {},
) => {
  const words = [join(dist, program), "serve", ...flags]
  const redirected = stdin === undefined ? [] : ["sh", "-c", 'exec "$@" <"$0"', stdin]
  const [file = "", ...args] = [...redirected, ...words]
  const child = spawn(file, args, {
    cwd,
    env: { ...process.env, XDG_CACHE_HOME: folder, TMPDIR: folder, ...env },
    stdio: ["pipe", "pipe", "pipe"],
  })
  child.stdin.on("error", () => {})
  let [text, errors] = ["", ""]
  child.stdout.setEncoding("utf8").on("data", (more: string) => (text += more))
  child.stderr.setEncoding("utf8").on("data", (more: string) => (errors += more))
  const ended = new Promise<Ended>((resolve) =>
    child.on("close", (code, signal) =>
      resolve({
        end: signal ?? code,
        lines: text
          .replace(/"sessionId":"[0-9a-f-]{36}"/, '"sessionId":"…"')
          .split("\n")
          .slice(0, -1),
        errors,
      }),
    ),
  )
  /** Resolves when so many lines have come, or the server has ended. */
  const lines = (count: number) =>
    new Promise<void>((resolve) => {
      const look = () => {
        if (text.split("\n").length > count) resolve()
      }
      child.stdout.on("data", look).on("close", () => resolve())
      look()
    })
  return { child, ended, lines }
}

/** Sends `parts`, each in a turn of its own, and ends when the answers to both requests have come. */
export const whole = async (
  program: string,
  around?: Around,
  parts: ReadonlyArray<string> = [initialize, afterwards],
) => {
  const { child, ended, lines } = open(program, around)
  for (const part of parts) {
    child.stdin.write(part)
    await new Promise((resolve) => setTimeout(resolve, 1))
  }
  await Promise.race([lines(2), ended])
  child.stdin.end()
  return ended
}

/** The one file of answers, which the program writes at its end at the latest: its name has the runtime's version. */
export const answers = (): string | undefined => {
  const cache = join(folder, "procwire")
  const names = existsSync(cache) ? readdirSync(cache) : []
  const name = names.find((one) => /^answers-(node-v|bun$|deno-)[\d.]*$/.test(one))
  return name === undefined ? undefined : join(cache, name)
}

/** Makes the kept answer say what the program does not. True if there is one. */
export const falsify = (): boolean => {
  const file = answers()
  if (file === undefined) return false
  const text = readFileSync(file, "utf8")
  writeFileSync(file, text.replaceAll(String.raw`\"processPid\":true`, String.raw`\"processPid\":false`))
  return readFileSync(file, "utf8") !== text
}

/** A start whose messages are in its stdin before it begins: a busy client would send them late. */
const wholeAtOnce = async (program: string, around?: Around) => {
  const path = join(folder, "stdin")
  rmSync(path, { force: true })
  execFileSync("mkfifo", [path])
  const writer = openSync(path, "r+")
  writeSync(writer, initialize + afterwards)
  const { ended, lines } = open(program, { ...around, stdin: path })
  await Promise.race([lines(2), ended])
  closeSync(writer)
  return ended
}

/** True if the answer of this start comes before its program: it repeats then what the file says, true or not. */
export const isEarly = async (program: string, around?: Around): Promise<boolean> => {
  falsify()
  const { lines, end, errors } = await wholeAtOnce(program, around)
  const isTrue = lines[0]?.includes('"processPid":true') === true
  if (!isTrue) expect({ end, errors }).toEqual({ end: 1, errors: expect.stringContaining("start it again") })
  return !isTrue
}

/** Makes a folder of this name. */
export const folderOf = (name: string): string => {
  const path = join(folder, name)
  mkdirSync(path, { recursive: true })
  return path
}

/** The second answer. */
export const lists = '{"id":2,"result":{"processes":[],"nextCursor":null}}'
