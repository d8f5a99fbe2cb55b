/**
 * The command line of bubblewrap for a confinement: one bubblewrap for each of its layers, and a shell before them that
 * opens the files they read.
 */
import process from "node:process"
import * as Effect from "effect/Effect"
import * as Confinement from "../../../core/protocol/Confinement.ts"
import { SpawnError } from "../../../core/spawn/SpawnError.ts"
import type * as Spawner from "../../../core/spawn/Spawner.ts"
import * as CallFilter from "./CallFilter.ts"
import * as Mounts from "./Mounts.ts"
import { closeSync, mkdtempSync, openSync, rmSync, writeSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"

/** Beside its confinement. */
export interface More {
  /** Arguments to bubblewrap that come before the places. */
  readonly first?: ReadonlyArray<string>
  /** The command line that enters a network namespace with a loopback alone, in place of a new one. */
  readonly enter?: ReadonlyArray<string>
}

/** The spec that starts bubblewrap instead. Its resources (files, placeholders) are released with the scope. */
export const wrap = (
  program: string,
  argv: readonly [string, ...ReadonlyArray<string>],
  confinement: Confinement.Confinement,
  { cwd, env, stdio }: Omit<Spawner.SpawnSpec, "argv">,
  { first = [], enter = [] }: More = {},
) =>
  Effect.gen(function* () {
    const network = enter.length > 0 ? "loopback" : confinement.network ? "all" : "none"
    const filter = CallFilter.make(process.arch, network)
    if (filter === undefined) return yield* unconfinable(`no filter of system calls for ${process.arch}`)
    const setting = Object.entries(env).flatMap(([name, value]) => ["--setenv", name, value])
    if ("" in env || Object.keys(env).some((name) => name.includes("="))) {
      return yield* invalid("a variable of a confined process has a name without characters or with `=`")
    }
    const mounts = yield* hold(
      () => Mounts.makeAll(Confinement.layersOf(confinement)),
      (mounts) => mounts.release(),
    )
    const calls = yield* open(filter)
    const words: Array<string> = []
    for (const [index, args] of mounts.args.entries()) {
      const isInnermost = index === mounts.args.length - 1
      const all = [
        ...(index > 0 ? again : network === "none" ? [...namespaces, "--unshare-net"] : namespaces),
        ...(mounts.args.length > 1 ? userOf(isInnermost) : []),
        ...(isInnermost ? first : []),
        ...args,
        // Programs between two layers must not obey the child's environment.
        ...(isInnermost ? setting : []),
        ...(index > 0 ? [] : ["--seccomp", "4"]),
      ]
      words.push((yield* open(new TextEncoder().encode(all.map((arg) => `${arg}\0`).join("")))).path)
    }
    const nested = words.slice(1).flatMap((_, index) => [program, "--args", String(5 + index), "--"])
    const shielded = sees(confinement, env_)
    // Bubblewrap sets PWD. `env` would take a program with `=` in its path for a variable, so `nice` starts it.
    const pwd = env["PWD"] === undefined ? ["-u", "PWD"] : [`PWD=${env["PWD"]}`]
    const front = shielded
      ? [env_, "--default-signal", ...pwd, ...(argv[0].includes("=") ? [nice, "-n", "0"] : [])]
      : []
    const script = `${shielded ? shield : ""}${scriptOf(words.length)}`
    const [head, ...rest] = [...enter, program, "--args", "3", "--", ...nested, ...front, ...argv]
    return {
      argv: ["/bin/sh", "-c", script, head ?? program, calls.path, ...words, ...rest],
      cwd,
      env: {},
      stdio,
    } satisfies Spawner.SpawnSpec
  })

const namespaces = ["--unshare-user", "--unshare-pid", "--unshare-ipc", "--cap-drop", "ALL"]
/** Inside another bubblewrap, whose other namespaces hold. */
const again = ["--unshare-user", "--cap-drop", "ALL"]

const env_ = "/usr/bin/env"
const nice = "/usr/bin/nice"

/** Ignores the signals that would end bubblewrap, real-time signals included. */
const realTime = "$(i=34; while [ $i -le 64 ]; do echo $i; i=$((i + 1)); done)"
const shield = `trap "" 1 2 3 10 12 13 14 15 16 24 25 26 27 29 30 ${realTime}; `

/**
 * The user inside a layer of several. A process without capabilities cannot make a namespace with the user 0 of the
 * one around it, so in between root has another number.
 */
const userOf = (isInnermost: boolean): ReadonlyArray<string> => {
  const [uid, gid] = [process.getuid?.(), process.getgid?.()]
  if (uid !== 0) return []
  return isInnermost ? ["--uid", "0", "--gid", String(gid)] : ["--uid", "1", "--gid", "1"]
}

/** Opens the filter as 4, and the arguments of the layers as 3, 5, 6 and so on: a shell has no numbers above 9. */
const scriptOf = (layers: number): string => {
  const names = Array.from({ length: layers }, (_, index) => `a${index}`)
  const taken = names.map((name, index) => `${name}=$${index + 2}`).join(" ")
  const opened = names.map((name, index) => `${index === 0 ? 3 : 4 + index}<"$${name}"`).join(" ")
  return `calls=$1 ${taken}; shift ${layers + 1}; exec "$0" "$@" 4<"$calls" ${opened}`
}

const sees = ({ places }: Confinement.Confinement, path: string): boolean => {
  const access = Confinement.placeOf(places, path)?.access
  return access === "read" || access === "write"
}

const open = (bytes: Uint8Array) =>
  hold(
    () => openFile(bytes),
    (file) => file.close(),
  )

const hold = <A>(acquire: () => A, release: (value: A) => void) =>
  Effect.acquireRelease(
    Effect.try({
      try: acquire,
      catch: (cause) =>
        new SpawnError({ reason: "Unprepared", message: `cannot confine: ${String(cause)}`, cause }),
    }),
    (value) => Effect.sync(() => release(value)),
  )

/** The reason for which a child cannot be confined. */
export const unconfinable = (why: string) =>
  Effect.fail(
    new SpawnError({
      reason: "Unconfinable",
      message: `restricted \`sandbox\` permissions need bubblewrap: ${why}`,
    }),
  )

/** A spec that no confined child can have. */
export const invalid = (message: string) =>
  Effect.fail(new SpawnError({ reason: "InvalidArgument", message }))

/**
 * Passes bytes to a child that is about to start: a file without a name, held open here, and a path that leads to it.
 * Throws the errors of the file system.
 *
 * The path is `/proc/PID/fd/N` of this process. A confined process does not see this process, so none can change the
 * arguments of the next one.
 */
const openFile = (bytes: Uint8Array) => {
  const folder = mkdtempSync(join(tmpdir(), "procwire-"))
  let fd: number | undefined
  try {
    const name = join(folder, "f")
    fd = openSync(name, "wx+", 0o600)
    for (let done = 0; done < bytes.length;) done += writeSync(fd, bytes, done)
    const descriptor = fd
    return { path: `/proc/${process.pid}/fd/${fd}`, close: () => closeSync(descriptor) }
  } catch (error) {
    if (fd !== undefined) closeSync(fd)
    throw error
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
