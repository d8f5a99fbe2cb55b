/**
 * This command once more, for a confinement: what has to be seen inside to start it, and how.
 *
 * Where the confinement shows the whole system the program lies where it lies. Elsewhere the runtime, the libraries
 * that it has loaded and the program are mounted read-only in a folder of their own at the root, so that no path of
 * the request leads to more than its profile allows; only the loader, which the kernel looks for by its name, is seen
 * at its own path.
 */
import { existsSync, readdirSync, realpathSync } from "node:fs"
import { basename, dirname, join, relative } from "node:path"
import process from "node:process"

export interface Start {
  readonly argv: readonly [string, ...ReadonlyArray<string>]
  readonly env: Readonly<Record<string, string>>
  /** Words to bubblewrap. */
  readonly mounts: ReadonlyArray<string>
}

const home = "/.procwire"

/** `visible` is true if the whole system is seen; `maps` is what `/proc/self/maps` says. */
export const make = (visible: boolean, args: ReadonlyArray<string>, maps: string): Start => {
  const runtime = realpathSync(process.execPath)
  const main = mainFile()
  const flags = "Deno" in globalThis && main !== undefined ? denoFlags : []
  const caches = { DENO_DIR: "/dev/shm/deno", BUN_RUNTIME_TRANSPILER_CACHE_PATH: "0", TMPDIR: "/dev/shm" }
  const env = { ...caches, HOME: "/", PATH: "/usr/bin:/bin" }
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

const denoFlags = ["run", "--quiet", "--no-prompt", "--no-remote", "--cached-only", "-A"]

/** A single file has its program within, at a path that only it can read. */
const mainFile = (): string | undefined => {
  const main = process.argv[1]
  const { Deno: deno } = globalThis as { Deno?: { readonly build: { readonly standalone?: boolean } } }
  if (main === undefined || main.startsWith("/$bunfs/") || deno?.build.standalone === true) return undefined
  return realpathSync(main)
}

const packageOf = (folder: string): string =>
  existsSync(join(folder, "package.json")) || folder === "/" ? folder : packageOf(dirname(folder))

const loaders = [
  "/lib64/ld-linux-x86-64.so.2",
  "/lib/ld-linux-aarch64.so.1",
  "/lib/ld-musl-x86_64.so.1",
  "/lib/ld-musl-aarch64.so.1",
]

/** The libraries in this process, by every name that they go by in their folder. */
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
