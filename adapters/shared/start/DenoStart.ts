/** The start of the command on Deno, from its single file. A module of Node would cost more than all of it. */
import * as Early from "./Early.ts"

interface FileInfo {
  readonly dev: number
  readonly ino: number | null
  readonly size: number
  readonly mtime: Date | null
  readonly mode: number | null
  readonly uid: number | null
}

declare const Deno: {
  readonly args: ReadonlyArray<string>
  readonly env: { readonly toObject: () => Record<string, string> }
  readonly version: { readonly deno: string }
  readonly execPath: () => string
  readonly uid: () => number | null
  readonly gid: () => number | null
  readonly cwd: () => string
  readonly readTextFileSync: (file: string) => string
  readonly statSync: (file: string) => FileInfo
  readonly stdin: {
    readonly isTerminal: () => boolean
    readonly read: (into: Uint8Array) => Promise<number | null>
  }
  readonly stdout: { readonly writeSync: (bytes: Uint8Array) => number }
}

/** Loads the program with `load`, perhaps behind the answer to `initialize`; `program` is its hash. */
export const begin = (program: string, load: (early: Early.Early | undefined) => void): void => {
  if (Deno.stdin.isTerminal()) return load(undefined)
  Early.begin(
    {
      program,
      name: `deno-${Deno.version.deno}`,
      executable: Early.attempt(Deno.execPath) ?? "",
      execArgs: [],
      args: Deno.args,
      env: Deno.env.toObject(),
      uid: Early.attempt(Deno.uid) ?? -1,
      gid: Early.attempt(Deno.gid) ?? -1,
      // The permissions of the command have no more.
      host: () => "",
      cwd: () => Early.attempt(Deno.cwd) ?? "",
      read: (file) => Early.attempt(() => Deno.readTextFileSync(file)),
      facts,
      uuid: () => crypto.randomUUID(),
      input: next,
      output: (bytes) => Early.attempt(() => Deno.stdout.writeSync(bytes)) ?? 0,
    },
    load,
  )
}

const facts = (file: string): Early.FileFacts | undefined =>
  Early.attempt(() => {
    const { dev, ino, size, mtime, mode, uid } = Deno.statSync(file)
    return { dev, ino: ino ?? 0, size, time: mtime?.getTime() ?? 0, mode: mode ?? 0, uid: uid ?? -1 }
  })

/** The capacity of a pipe. */
const memory = new Uint8Array(65_536)

const next = async (): Promise<Uint8Array | undefined> => {
  try {
    const count = await Deno.stdin.read(memory)
    return count === null ? undefined : memory.slice(0, count)
  } catch {
    return undefined
  }
}
