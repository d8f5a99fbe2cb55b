/**
 * The questions of `run --egress-ask`: a person decides at the terminal about connections that no rule of the server
 * names. One question at a time, which lines that were typed before do not answer; without a terminal each is denied.
 */
import process from "node:process"
import { createInterface, type Interface } from "node:readline"
import { setImmediate, setTimeout } from "node:timers/promises"
import type { PolicyReply, PolicyRequest } from "../../../core/client/Policy.ts"
import * as LocalTerminal from "./LocalTerminal.ts"

/** The terminal, with its lines; tests have another one. */
export interface Terminal {
  readonly isTerminal: () => boolean
  /** Writes a text, and reads a line; undefined at EOF. */
  readonly ask: (text: string) => Promise<string | undefined>
}

const ways: Readonly<Record<PolicyRequest["protocol"], string>> = {
  http: "HTTP",
  https_connect: "a tunnel of HTTP",
  socks5_tcp: "SOCKS5",
}

/** Makes what decides. */
export const make = ({ isTerminal, ask }: Terminal): ((request: PolicyRequest) => Promise<PolicyReply>) => {
  let last: Promise<unknown> = Promise.resolve()
  const one = async ({ protocol, host, port }: PolicyRequest): Promise<PolicyReply> => {
    if (!isTerminal()) return { type: "deny", reason: "procwire run has no terminal to ask at" }
    // The name is that of a server, which this process need not trust.
    const shown = host.replace(/[^\w.:-]/g, "?").slice(0, 253)
    const target = shown.includes(":") ? `[${shown}]:${port}` : `${shown}:${port}`
    const answer = await ask(
      `procwire: the command wants to reach ${target} by ${ways[protocol]}. Allow it? [y/N] `,
    )
    return /^\s*y(es)?\s*$/i.test(answer ?? "")
      ? { type: "allow" }
      : { type: "deny", reason: "the person at the terminal has denied it" }
  }
  return (request) => {
    const decided = last.then(() => one(request))
    last = decided.catch(() => {})
    return decided
  }
}

/** The terminal of this process, whose lines go to nobody else. */
const terminal = (): Terminal => {
  let lines: Interface | undefined
  let ended = false
  return {
    isTerminal: LocalTerminal.isTerminal,
    ask: async (text) => {
      lines ??= createInterface({ input: process.stdin }).once("close", () => (ended = true))
      if (!ended) {
        lines.resume()
        await typed()
      }
      process.stderr.write(text)
      if (ended) return undefined
      return new Promise((resolve) => {
        const done = (line?: string) => {
          lines?.off("line", done).off("close", done)
          lines?.pause()
          resolve(line)
        }
        lines?.once("line", done).once("close", done)
      })
    },
  }
}

/** Waits until the lines that were typed by now have come: they answer nothing. */
const typed = async (): Promise<void> => {
  await setTimeout(20)
  // The timer may be due before the terminal was read: this comes behind a read.
  await setImmediate()
}

/** Decides at the terminal of this process. */
export const decide = make(terminal())
