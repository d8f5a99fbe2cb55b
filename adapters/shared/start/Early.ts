/**
 * The start before the program: `initialize` over stdio is answered while the program is still to be loaded.
 *
 * The answer is the one that the program gave at an earlier start of the same key (see `KeptAnswer`), with the id, the
 * session id and the working directory of this start. The program handles the same message afterwards, and compares
 * its own answer with the one that has left. Anything unusual is left to the program: another first message, members
 * beside `clientName`, escapes, a working directory with other characters than usual ones.
 *
 * This module imports nothing but types, because every import is paid for before the answer.
 */

import type { Readable } from "node:stream"

/** Facts of a file; `time` is its last change in milliseconds. */
export interface FileFacts {
  readonly dev: number
  readonly ino: number
  readonly size: number
  readonly time: number
  readonly mode: number
  readonly uid: number
}

/** The calls to a runtime that a start needs before the program is there. None of them throws. */
export interface Runtime {
  /** The hash of the program. */
  readonly program: string
  /** Name and version of the runtime, and its executable. */
  readonly name: string
  readonly executable: string
  /** The arguments of the runtime itself. */
  readonly execArgs: ReadonlyArray<string>
  /** The arguments of the command, its name included: `serve`, `--listen`, `stdio`. */
  readonly args: ReadonlyArray<string>
  /** The variables. */
  readonly env: Readonly<Record<string, string | undefined>>
  readonly uid: number
  readonly gid: number
  /** The kernel, the namespaces and the rights of this process, as far as the runtime can tell. */
  readonly host: () => string
  /** The working directory; empty if there is none. */
  readonly cwd: () => string
  readonly read: (file: string) => string | undefined
  readonly facts: (file: string) => FileFacts | undefined
  /** A random UUID, version 4. */
  readonly uuid: () => string
  /** The next bytes of stdin; undefined at its end. Nothing is read but when it is called. */
  readonly input: () => Promise<Uint8Array | undefined>
  /** Writes to stdout, and returns how many bytes it has taken; 0 if it takes none now. */
  readonly output: (bytes: Uint8Array) => number
}

/** The answer that has left before the program was there. */
export interface Answered {
  /** The id of the session, which the server must open by it. */
  readonly sessionId: string
  /** The message, without a newline. All of its characters are ASCII. */
  readonly message: string
  /** The bytes of it and its newline that stdout has taken. */
  readonly sent: number
}

/** The first bytes of stdin, and the answer to them. */
export interface First {
  /** The bytes that have been read; the program reads on behind them. */
  readonly bytes: Uint8Array
  readonly answered?: Answered | undefined
}

/** A start whose first bytes are read, or are to come. */
export interface Early {
  /** Names the circumstances that an answer depends on. */
  readonly key: string
  /** The file of kept answers. */
  readonly file: string
  /** The first bytes of stdin. Absent where nothing has been read, because no answer was kept for this key. */
  readonly first?: Promise<First> | undefined
  /** The session id in the answer that has left, once. */
  readonly takeId?: () => string | undefined
  /** The stdin that the program goes on with, which is paused; absent where it opens it by itself. */
  readonly stdin?: Readable
  /** Set by the program: whether its answer is worth keeping. */
  readonly keeps?: boolean
}

/** The parts of an answer that are the same at each start of a key. */
export interface Parts {
  /** Between the session id and the working directory. */
  readonly head: string
  /** Behind the working directory. */
  readonly tail: string
}

/** An answer in the file. One without parts has once been found untrue: the program is asked from then on. */
export interface Kept {
  readonly key: string
  readonly parts?: Parts | undefined
}

/** A client that has sent nothing for this time finds the program loaded, in milliseconds. */
const patienceMillis = 25

/** A first line that is longer is the program's. */
const maxBytes = 4096

/**
 * Begins a start, and loads the program with `load`: behind the answer if one is kept, else at once. `load` gets
 * undefined where no answer can be kept.
 */
export const begin = (runtime: Runtime, load: (early: Early | undefined) => void): void => {
  const found = isEligible(runtime) ? place(runtime) : undefined
  if (found === undefined) return load(undefined)
  const { key, file } = found
  const all = parse(isTrusted(runtime, file) ? runtime.read(file) : undefined)
  const kept = all.find((one) => one.key === key)?.parts
  const cwd = runtime.cwd()
  if (kept === undefined || !isPlainPath(cwd)) return load(found)
  let loading = false
  const loadOnce = () => {
    if (loading) return
    loading = true
    load({ ...found, first, takeId })
  }
  let id: string | undefined
  const takeId = () => {
    const taken = id
    id = undefined
    return taken
  }
  const first = readFirst(runtime, (line) => (loading ? undefined : answer(runtime, line, kept, cwd)))
  // A busy machine may let the time pass before stdin is looked at: one more turn does that.
  let timer = setTimeout(() => (timer = setTimeout(loadOnce, 0)), patienceMillis)
  void first.then(({ answered }) => {
    id = answered?.sessionId
    clearTimeout(timer)
    // The answer leaves first.
    setTimeout(loadOnce, 0)
  })
}

/** The result; undefined if it throws. */
export const attempt = <A>(run: () => A): A | undefined => {
  try {
    return run()
  } catch {
    return undefined
  }
}

/** The commands whose only address is stdin and stdout. */
const isEligible = ({ args, env }: Runtime): boolean =>
  args[0] === "serve" &&
  (args.includes("stdio") || args.includes("--listen=stdio")) &&
  !args.some((arg) => arg.startsWith("--config")) &&
  env["PROCWIRE_CONFIG"] === undefined

/** The key of a start, and the file of its answers; undefined for a user without a folder. */
const place = (runtime: Runtime): Pick<Early, "key" | "file"> | undefined => {
  const folder = cacheFolder(runtime.env)
  if (folder === undefined || runtime.program === "") return undefined
  return { key: keyOf(runtime), file: `${folder}/answers-${runtime.name}` }
}

/** The folder for what is kept between starts; undefined if this user has none. */
export const cacheFolder = ({
  HOME: home = "",
  XDG_CACHE_HOME: caches = "",
}: Runtime["env"]): string | undefined =>
  caches.startsWith("/") ? `${caches}/procwire` : home.startsWith("/") ? `${home}/.cache/procwire` : undefined

/** Files and folders of which a change may change an answer: libraries, users. */
const watched = ["/lib", "/lib64", "/usr/lib", "/etc/ld.so.cache", "/etc/passwd"]

/** Those of which only another one in its place does: the root of a container, terminals. */
const fixed = ["/", "/dev/ptmx", "/dev/pts"]

/** Variables that an answer depends on, beside those of procwire and those by which systemd passes sockets. */
const variables = ["HOME", "LD_LIBRARY_PATH", "LD_PRELOAD", "NODE_OPTIONS", "PATH", "SHELL", "TMPDIR"]

const keyOf = ({
  program,
  name,
  executable,
  execArgs,
  args,
  env,
  uid,
  gid,
  host,
  facts,
}: Runtime): string => {
  const one = (file: string, of: (found: FileFacts) => ReadonlyArray<number>) => {
    const found = facts(file)
    return found === undefined ? file : [file, ...of(found)].join(" ")
  }
  const files = [
    ...[executable, ...watched].map((file) =>
      one(file, ({ dev, ino, size, time }) => [dev, ino, size, time]),
    ),
    ...fixed.map((file) => one(file, ({ dev, ino }) => [dev, ino])),
  ]
  const named = Object.keys(env).filter(
    (variable) => variables.includes(variable) || /^(PROCWIRE|LISTEN)_/.test(variable),
  )
  const values = named.sort().map((variable) => `${variable}=${env[variable]}`)
  return JSON.stringify([program, name, execArgs, args, uid, gid, host(), files, values])
}

/** True if only the user can have written it. */
const isTrusted = ({ facts, uid }: Runtime, file: string): boolean => {
  const found = facts(file)
  return found !== undefined && found.uid === uid && (found.mode & 0o022) === 0
}

/** The answers of a file; none if it is broken. */
export const parse = (text: string | undefined): ReadonlyArray<Kept> => {
  const all: unknown = attempt(() => JSON.parse(text ?? "[]"))
  return Array.isArray(all) ? all.filter(isKept) : []
}

const isKept = (value: unknown): value is Kept => {
  const { key, parts } = Object(value) as Record<string, unknown>
  const { head, tail } = Object(parts) as Record<string, unknown>
  return typeof key === "string" && (parts === undefined || (isAscii(head) && isAscii(tail)))
}

const isAscii = (text: unknown): text is string => typeof text === "string" && /^[\x20-\x7e]*$/.test(text)

/** True for an absolute path that is the same in a `file:` URI and in JSON. */
export const isPlainPath = (path: string): boolean => /^(\/[A-Za-z0-9._-]+)+$/.test(path)

/** Reads up to the end of the first line, and has it answered. */
const readFirst = async (
  { input }: Runtime,
  answer: (line: Uint8Array) => Answered | undefined,
): Promise<First> => {
  let bytes = new Uint8Array(0)
  for (;;) {
    const chunk = await input()
    if (chunk === undefined) return { bytes }
    bytes = joined(bytes, chunk)
    const end = bytes.indexOf(newline)
    if (end !== -1 && end <= maxBytes) return { bytes, answered: answer(bytes.subarray(0, end)) }
    if (bytes.length > maxBytes) return { bytes }
  }
}

const newline = 10

const joined = (one: Uint8Array, other: Uint8Array): Uint8Array<ArrayBuffer> => {
  const all = new Uint8Array(one.length + other.length)
  all.set(one)
  all.set(other, one.length)
  return all
}

/** Answers a plain `initialize`; undefined, and nothing is written, if the line is anything else. */
const answer = (runtime: Runtime, line: Uint8Array, kept: Parts, cwd: string): Answered | undefined => {
  const id = idOf(line)
  if (id === undefined) return undefined
  const sessionId = runtime.uuid()
  const message = `${start(id, sessionId)}${kept.head}"cwd":"file://${cwd}"${kept.tail}`
  const bytes = new TextEncoder().encode(`${message}\n`)
  let sent = 0
  for (let taken = 1; taken > 0 && sent < bytes.length; sent += taken)
    taken = runtime.output(bytes.subarray(sent))
  return sent === 0 ? undefined : { sessionId, message, sent }
}

const start = (id: string, sessionId: string): string => `{"id":${id},"result":{"sessionId":"${sessionId}"`

/** The id, as JSON, of an `initialize` with nothing but the name of its client; undefined for all other lines. */
const idOf = (line: Uint8Array): string | undefined => {
  const text = decode(line)
  if (text === undefined || text.includes("\\")) return undefined
  try {
    const message = JSON.parse(text)
    // Members that are there twice, and numbers in other forms, are not the same again.
    if (JSON.stringify(message) !== text.replace(blanks, "$1")) return undefined
    const { jsonrpc = "2.0", id, method, params, ...others } = message
    if (jsonrpc !== "2.0" || method !== "initialize" || Object.keys(others).length > 0) return undefined
    const { clientName, resumeSessionId = null, ...more } = params
    if (typeof clientName !== "string" || resumeSessionId !== null || Object.keys(more).length > 0)
      return undefined
    return isId(id) ? JSON.stringify(id) : undefined
  } catch {
    return undefined
  }
}

const isId = (id: unknown): boolean =>
  typeof id === "string" ? isAscii(id) && id.length <= 128 : Number.isSafeInteger(id) && Number(id) >= 0

/** Blanks outside of strings, in a text without escapes. */
const blanks = /("[^"]*")|[ \t\r]+/g

const decode = (line: Uint8Array): string | undefined =>
  attempt(() => new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(line))

const answerForm = /^\{"id":(?:\d+|"[^"\\]*"),"result":\{"sessionId":"[0-9a-f-]{36}"(?=,)/

/** The parts of an answer of the program that are the same at the next start of its key; undefined if there are none. */
export const partsOf = (message: string, cwd: string): Parts | undefined => {
  const [found] = answerForm.exec(message) ?? []
  const [head, tail, ...more] = message.slice(found?.length).split(`"cwd":"file://${cwd}"`)
  const isPlain = found !== undefined && isPlainPath(cwd) && more.length === 0
  return isPlain && isAscii(head) && isAscii(tail) ? { head, tail } : undefined
}
