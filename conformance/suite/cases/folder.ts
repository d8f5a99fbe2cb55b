/**
 * Not cases: a folder on the machine of the server. Processes of the server create and read it, so the cases about
 * files work wherever the server runs.
 */
import {
  Check,
  Child,
  make,
  type Capability,
  type Case,
  type CaseContext,
  type CaseFacts,
  type Json,
  type JsonObject,
  type Wire,
} from "../Vocabulary.ts"

export interface Folder {
  readonly t: CaseContext
  readonly wire: Wire
  /** The native path of the folder, without symbolic links in it. */
  readonly path: string
  /** The URI of something in the folder, or of the folder itself. */
  readonly uri: (name?: string) => string
  /** Runs a shell script in the folder, which must succeed, and returns its output. */
  readonly sh: (script: string) => Promise<string>
  /** The content of a file, read by a process. */
  readonly cat: (name: string) => Promise<Buffer>
  readonly ok: Wire["ok"]
  readonly refused: Wire["refused"]
}

export const noFile = "No such file or directory (os error 2)"

export const uriOf = (path: string): string => `file://${path.split("/").map(encodeURIComponent).join("/")}`

export const base64 = (content: string | Buffer): string => Buffer.from(content).toString("base64")

const output = async (wire: Wire, script: string, cwd: string): Promise<Buffer> => {
  const child = await Child.start(wire, { script, params: { cwd } })
  const { exitCode } = await child.ended()
  if (exitCode !== 0) Check.fail(`the preparation \`${script}\` ended with ${exitCode}: ${child.text()}`)
  return child.bytes("stdout")
}

const fill = async (t: CaseContext, setup: string): Promise<Folder> => {
  const wire = await t.open()
  const script = `cd -P "$(mktemp -d /tmp/procwire.XXXXXX)" && pwd && { ${setup}\n}`
  const path = (await output(wire, script, "file:///tmp")).toString("utf8").split("\n")[0] ?? ""
  Check.isTrue(path.startsWith("/"), `mktemp has made ${JSON.stringify(path)}`)
  const run = (text: string): Promise<Buffer> => output(wire, text, uriOf(path))
  return {
    t,
    wire,
    path,
    uri: (name) => uriOf(name === undefined ? path : `${path}/${name}`),
    sh: async (text) => (await run(text)).toString("utf8"),
    cat: (name) => run(`cat '${name}'`),
    ok: wire.ok,
    refused: wire.refused,
  }
}

/** Removes the folder, over a new connection if the old one has ended. */
const remove = async ({ t, wire, path }: Folder): Promise<void> => {
  const script = `chmod -R u+rwx '${path}'; rm -rf '${path}'`
  try {
    await output(wire.inbox.ended() === undefined ? wire : await t.open(), script, "file:///")
  } catch {
    t.note(`the folder ${path} is left`)
  }
}

export type FolderSpec = CaseFacts & {
  /** A shell script that fills the folder. */
  readonly setup?: string
  readonly run: (folder: Folder) => Promise<void>
}

interface FolderSpecs {
  readonly [name: string]: FolderSpec
}

/** A table of cases that each get a folder. They require `filesystem`, or what is given. */
export const folderTable = (
  prefix: string,
  ...given: readonly [specs: FolderSpecs] | readonly [requires: ReadonlyArray<Capability>, specs: FolderSpecs]
): ReadonlyArray<Case> => {
  const [requires, specs] = given.length === 1 ? [["filesystem"] as const, given[0]] : given
  return Object.entries(specs).map(([name, { setup = ":", run, ...spec }]) =>
    make(`${prefix}/${name}`, {
      ...spec,
      requires: [...requires, ...(spec.requires ?? [])],
      run: async (t) => {
        const folder = await fill(t, setup)
        try {
          await run(folder)
        } finally {
          await remove(folder)
        }
      },
    }),
  )
}

export const readFile = async ({ ok }: Folder, path: Json, params: JsonObject = {}): Promise<Buffer> => {
  const { dataBase64 } = await ok("fs/readFile", { path, ...params })
  return Buffer.from(Check.text(dataBase64, "dataBase64"), "base64")
}

export const writeFile = async ({ ok }: Folder, path: Json, content: string | Buffer): Promise<void> => {
  const result = await ok("fs/writeFile", { path, dataBase64: base64(content) })
  Check.equal(result, {}, "the result of fs/writeFile")
}
