/**
 * Starts the command `procwire` inside a confinement: its command line, environment and mounts. If this process is that
 * command, it is started once more; in another program it is the one of the package that the program uses.
 *
 * If the confinement shows the whole system, the program is found at its own path. Otherwise the runtime, the
 * libraries that it has loaded, and the program are mounted read-only in `/.procwire`, so no path of the request
 * leads to more than its profile allows. Only the loader, whose path is fixed in the executable, is mounted at its
 * own path.
 */
import { existsSync, readdirSync, readFileSync, realpathSync } from "node:fs"
import { basename, dirname, join, relative } from "node:path"
import process from "node:process"
import * as ProcessBegin from "../process/ProcessBegin.ts"

export interface Start {
  readonly argv: readonly [string, ...ReadonlyArray<string>]
  readonly env: Readonly<Record<string, string>>
  /** Arguments to bubblewrap. */
  readonly mounts: ReadonlyArray<string>
}

const home = "/.procwire"

/** The place of the command: a file, or the executable. */
export interface Command {
  readonly file: string | undefined
}

/** The command; undefined if this process is not it, and the package is not there: it was bundled, for example. */
export const find = (isCommand: boolean): Command | undefined => {
  if (isCommand) return { file: mainFile() }
  const { protocol, pathname } = new URL(import.meta.url)
  const file = protocol === "file:" ? commandAbove(dirname(decodeURIComponent(pathname))) : undefined
  return file === undefined ? undefined : { file }
}

/** `visible`: the confinement shows the whole system. `maps`: the content of `/proc/self/maps`. */
export const make = (
  { file: main }: Command,
  visible: boolean,
  args: ReadonlyArray<string>,
  maps: string,
): Start => {
  const runtime = realpathSync(process.execPath)
  const flags = flagsOf(main, denoFlags)
  const caches = { BUN_RUNTIME_TRANSPILER_CACHE_PATH: "0", NODE_DISABLE_COMPILE_CACHE: "1" }
  const places = { DENO_DIR: "/dev/shm/deno", TMPDIR: "/dev/shm", HOME: "/" }
  const env = { ...caches, ...places, PATH: "/usr/bin:/bin" }
  if (visible) {
    return { argv: [runtime, ...flags, ...(main === undefined ? [] : [main]), ...args], env, mounts: [] }
  }
  const mounts = ["--ro-bind", runtime, `${home}/runtime`]
  for (const [name, path] of libraries(maps)) mounts.push("--ro-bind", path, `${home}/lib/${name}`)
  for (const path of loaders.filter(existsSync)) mounts.push("--ro-bind", realpathSync(path), path)
  const program: Array<string> = []
  if (main !== undefined) {
    const root = packageOf(dirname(main))
    mounts.push("--ro-bind", root, `${home}/program`)
    program.push(`${home}/program/${relative(root, main)}`)
  }
  return {
    argv: [`${home}/runtime`, ...flags, ...program, ...args],
    env: { ...env, LD_LIBRARY_PATH: `${home}/lib` },
    mounts,
  }
}

/**
 * The command line that starts this program, which is the command, once more: on Deno with all permissions if this
 * process has them, else with those of deno.json.
 */
export const argv = (args: ReadonlyArray<string>): ReadonlyArray<string> => {
  const main = mainFile()
  const permissions = "Deno" in globalThis && ProcessBegin.denial() === undefined ? "-A" : "-P"
  const flags = flagsOf(main, ["run", "--quiet", "--no-prompt", permissions])
  return [process.execPath, ...flags, ...(main === undefined ? [] : [main]), ...args]
}

/**
 * Flags of the runtime before the program's file. Without `--` Node takes some of its own options, such as
 * `--env-file`, from the arguments of the program.
 */
const flagsOf = (main: string | undefined, deno: ReadonlyArray<string>): ReadonlyArray<string> => {
  if (main === undefined || "Bun" in globalThis) return []
  return "Deno" in globalThis ? deno : ["--"]
}

const denoFlags = ["run", "--quiet", "--no-prompt", "--no-remote", "--cached-only", "-A"]

/** The file of the program; `undefined` if it is inside the executable. */
const mainFile = (): string | undefined => {
  const main = process.argv[1]
  const { Deno: deno } = globalThis as { Deno?: { readonly build: { readonly standalone?: boolean } } }
  if (main === undefined || main.startsWith("/$bunfs/") || deno?.build.standalone === true) return undefined
  return realpathSync(main)
}

const commandAbove = (folder: string): string | undefined => {
  const file = join(folder, "dist", "procwire.cjs")
  if (existsSync(join(folder, "package.json")) && existsSync(file)) return realpathSync(file)
  return folder === "/" ? undefined : commandAbove(dirname(folder))
}

/** The folder of this package; of a program that is in none, such as an unpacked single file, its own folder. */
const packageOf = (own: string, folder = own): string => {
  if (isOurs(join(folder, "package.json"))) return folder
  return folder === "/" ? own : packageOf(own, dirname(folder))
}

const isOurs = (manifest: string): boolean => {
  try {
    return (JSON.parse(readFileSync(manifest, "utf8")) as { readonly name?: unknown }).name === "procwire"
  } catch {
    return false
  }
}

const loaders = [
  "/lib64/ld-linux-x86-64.so.2",
  "/lib/ld-linux-aarch64.so.1",
  "/lib/ld-musl-x86_64.so.1",
  "/lib/ld-musl-aarch64.so.1",
]

/** The libraries that this process has loaded: their real paths, by every name in their folder that leads to them. */
const libraries = (maps: string): ReadonlyMap<string, string> => {
  const found = new Map<string, string>()
  const paths = new Set(maps.match(/\/[^\n]*\.so[.0-9]*$/gm) ?? [])
  for (const path of paths) {
    if (!existsSync(path)) continue
    const stem = `${basename(path).split(".so")[0]}.so`
    for (const name of readdirSync(dirname(path))) {
      if (!name.startsWith(stem)) continue
      const other = join(dirname(path), name)
      if (existsSync(other) && realpathSync(other) === realpathSync(path)) found.set(name, realpathSync(path))
    }
  }
  return found
}
