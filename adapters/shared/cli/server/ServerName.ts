/**
 * What a user calls a server: a URL, `ssh://HOST`, the name of a context, or `own`, the server of one's own.
 *
 * Behind `ssh` it is the server of one's own there, which is started if need be (`procwire dial`).
 */
import process from "node:process"
import * as Connect from "../../Connect.ts"
import type { Options as CommandOptions } from "../../transport/CommandTransport.ts"
import type { Context, Contexts } from "./Contexts.ts"
import * as SshConfig from "./SshConfig.ts"
import * as Suggestion from "../../../../core/protocol/Suggestion.ts"

/** The server of one's own, which is started when it is needed. */
export interface Own {
  readonly own: true
}

/** A server that is named. */
export type Named =
  | Own
  | { readonly url: string; readonly context?: Context }
  | CommandOptions
  /** There is no such server. */
  | { readonly refused: string }

/** What a text names. */
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

/** What a text names as a host: a context, a host of the configuration of ssh, `USER@HOST` behind ssh, or an address. */
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

/** What an address may be. */
export const addresses = "ws://HOST:PORT, tcp://HOST:PORT, unix:PATH or ssh://HOST"

/** What an address names; undefined if it is none. */
export const resolveAddress = (text: string): Own | { readonly url: string } | CommandOptions | undefined => {
  if (text === "own") return { own: true }
  if (Connect.isUrl(text)) return { url: text }
  const [whole, user, host = "", port] = ssh.exec(text) ?? []
  if (whole === undefined) return undefined
  const args = [
    ...SshConfig.flags(process.env),
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
