/**
 * Names of a server: a URL, `ssh://HOST`, the name of a context, or `own`, the server of one's own.
 *
 * Behind `ssh` it is the server of one's own there, which is started if need be (`procwire dial`).
 */
import process from "node:process"
import * as SocketAddress from "../../transport/SocketAddress.ts"
import type { Options as CommandOptions } from "../../transport/CommandTransport.ts"
import type { Context, Contexts } from "./Contexts.ts"
import * as Suggestion from "../../../../core/protocol/Suggestion.ts"
import * as fs from "node:fs"
import { homedir } from "node:os"
import { basename, dirname, isAbsolute, join } from "node:path"
import * as KernelFiles from "../../host/KernelFiles.ts"
import type { Env } from "./OwnFolder.ts"

/** The server of one's own, which is started when it is needed. */
export interface Own {
  readonly own: true
}

export type Named =
  | Own
  | { readonly url: string; readonly context?: Context }
  | CommandOptions
  /** There is no such server. */
  | { readonly refused: string }

export const resolve = (text: string, { contexts }: Contexts): Named => {
  const address = resolveAddress(text)
  if (address !== undefined) return address
  const context = Object.hasOwn(contexts, text) ? contexts[text] : undefined
  if (context === undefined) {
    const near = Suggestion.ofWord(text, [...Object.keys(contexts), "own"])
    return { refused: `expected ${addresses}, or the name of a context${near}` }
  }
  const found = resolveAddress(context.server) ?? { refused: `the context ${text} has no such address` }
  return "url" in found ? { ...found, context } : found
}

/** The server on a host: a context, a host of the configuration of ssh, `USER@HOST` behind ssh, or an address. */
export const resolveHost = (text: string, contexts: Contexts, sshHosts: ReadonlyArray<string>): Named => {
  const isContext = Object.hasOwn(contexts.contexts, text)
  const behindSsh = !isContext && (sshHosts.includes(text) || text.includes("@"))
  const address = behindSsh ? resolveAddress(`ssh://${text}`) : undefined
  if (address !== undefined) return address
  if (isContext || resolveAddress(text) !== undefined) return resolve(text, contexts)
  const near = Suggestion.ofWord(text, ["own", ...Object.keys(contexts.contexts), ...sshHosts])
  return {
    refused: `it is no context and no host of the configuration of ssh${near || "; procwire hosts lists them"}`,
  }
}

export const addresses = "ws://HOST:PORT, tcp://HOST:PORT, unix:PATH or ssh://HOST"

/** The server at an address; undefined if it is none. */
export const resolveAddress = (text: string): Own | { readonly url: string } | CommandOptions | undefined => {
  if (text === "own") return { own: true }
  if (SocketAddress.isUrl(text)) return { url: text }
  const [whole, user, host = "", port] = ssh.exec(text) ?? []
  if (whole === undefined) return undefined
  const args = [
    ...sshFlags(process.env),
    "-T",
    ...(port === undefined ? [] : ["-p", port]),
    ...(user === undefined ? [] : ["-l", user]),
    "--",
    host,
    "procwire",
    "dial",
  ]
  return { command: "ssh", args }
}

/** A host that begins with a dash would be an option of ssh. */
const ssh = /^ssh:\/\/(?:([\w.+][\w.+-]*)@)?([A-Za-z0-9_][\w.-]*|\[[0-9a-fA-F:.]+\])(?::(\d{1,5}))?\/?$/

/** The variable that names a file in the place of `~/.ssh/config`. */
export const sshVariable = "PROCWIRE_SSH_CONFIG"

export const sshFlags = (env: Env): ReadonlyArray<string> =>
  env[sshVariable] ? ["-F", env[sshVariable]] : []

/** The most levels of includes, as for ssh itself. */
const mostIncludes = 16

/** The names, in the order of the file; none where there is no such file. */
export const sshHosts = (env: Env): ReadonlyArray<string> => [
  ...new Set(namesIn(env[sshVariable] || join(homedir(), ".ssh", "config"), 0)),
]

const namesIn = (file: string, depth: number): ReadonlyArray<string> =>
  depth > mostIncludes
    ? []
    : linesOf(file).flatMap((line) => {
        const [, keyword = "", rest = ""] = /^\s*(\w+)(?:\s*=\s*|\s+)(.*)$/.exec(line) ?? []
        const words = [...rest.matchAll(/"([^"]*)"|([^\s"]+)/g)].map(
          ([, quoted, plain]) => quoted ?? plain ?? "",
        )
        if (keyword.toLowerCase() === "host") return words.filter(isName)
        if (keyword.toLowerCase() !== "include") return []
        return words.flatMap(included).flatMap((each) => namesIn(each, depth + 1))
      })

/** True for a word that is no pattern, and can stand behind `ssh://`. */
const isName = (word: string): boolean => /^[A-Za-z0-9_][\w.-]*$/.test(word)

const linesOf = (file: string): ReadonlyArray<string> => {
  try {
    return fs.readFileSync(file, "utf8").split("\n")
  } catch {
    return []
  }
}

/** The files that a word of `Include` means; `*` and `?` are read in the name of the file. */
const included = (word: string): ReadonlyArray<string> => {
  const home = word.replace(/^~(?=\/)/, homedir())
  const path = isAbsolute(home) ? home : join(homedir(), ".ssh", home)
  if (!/[*?]/.test(basename(path))) return [path]
  const pattern = basename(path)
    .replaceAll(/[.+^${}()|[\]\\]/g, "\\$&")
    .replaceAll("*", ".*")
    .replaceAll("?", ".")
  return [...KernelFiles.node.list(dirname(path))]
    .sort()
    .filter((name) => new RegExp(`^${pattern}$`).test(name))
    .map((name) => join(dirname(path), name))
}
