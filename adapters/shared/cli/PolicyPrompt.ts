/**
 * The questions of `run --egress-ask`: a person decides at the terminal about connections that no rule of the server
 * names. One question at a time, which lines that were typed before do not answer; without a terminal each is denied.
 * One for whose answer the server waits no longer is not put, and is not left open.
 */
import process from "node:process"
import { createInterface, type Interface } from "node:readline"
import { setImmediate, setTimeout } from "node:timers/promises"
import { answerMillis, type PolicyReply, type PolicyRequest } from "../../../core/client/Policy.ts"
import * as LocalTerminal from "./LocalTerminal.ts"

/** The terminal, with its lines; tests have another one. */
export interface Terminal {
  readonly isTerminal: () => boolean
  /** Writes a text, and reads a line; undefined at EOF, and when the server waits no longer. */
  readonly ask: (text: string, late: AbortSignal) => Promise<string | undefined>
  /** Writes a text. */
  readonly tell: (text: string) => void
  /** Aborts when a server waits no longer for the answer to a question of now; by default after its usual time. */
  readonly late?: () => AbortSignal
}

const ways: Readonly<Record<PolicyRequest["protocol"], string>> = {
  http: "HTTP",
  https_connect: "a tunnel of HTTP",
  socks5_tcp: "SOCKS5",
}

/** Makes what decides. */
export const make = ({
  isTerminal,
  ask,
  tell,
  late = () => AbortSignal.timeout(answerMillis),
}: Terminal): ((request: PolicyRequest) => Promise<PolicyReply>) => {
  let last: Promise<unknown> = Promise.resolve()
  const one = async ({ protocol, host, port }: PolicyRequest, over: AbortSignal): Promise<PolicyReply> => {
    if (!isTerminal()) return { type: "deny", reason: "procwire run has no terminal to ask at" }
    // The name is that of a server, which this process need not trust.
    const shown = host.replace(/[^\w.:-]/g, "?").slice(0, 253)
    const target = shown.includes(":") ? `[${shown}]:${port}` : `${shown}:${port}`
    const denied = (before: string): PolicyReply => {
      tell(`${before}procwire: ${target} is denied: the server waits for an answer no longer\n`)
      return { type: "ask", reason: "nobody has answered at the terminal in time" }
    }
    if (over.aborted) return denied("")
    const question = `procwire: the command wants to reach ${target} by ${ways[protocol]}. Allow it? [y/N] `
    const answer = await ask(question, over)
    if (answer === undefined && over.aborted) return denied("\n")
    return /^\s*y(es)?\s*$/i.test(answer ?? "")
      ? { type: "allow" }
      : { type: "deny", reason: "the person at the terminal has denied it" }
  }
  return (request) => {
    const over = late()
    const decided = last.then(() => one(request, over))
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
    tell: (text) => void process.stderr.write(text),
    ask: async (text, late) => {
      lines ??= createInterface({ input: process.stdin }).once("close", () => (ended = true))
      if (!ended) {
        lines.resume()
        await typed()
      }
      process.stderr.write(text)
      if (ended) return undefined
      return new Promise((resolve) => {
        const done = (line?: string) => {
          lines?.off("line", done).off("close", end)
          late.removeEventListener("abort", end)
          lines?.pause()
          resolve(line)
        }
        const end = () => done()
        lines?.once("line", done).once("close", end)
        if (late.aborted) end()
        else late.addEventListener("abort", end)
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
