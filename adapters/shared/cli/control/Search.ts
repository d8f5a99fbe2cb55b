/** The lines of what a process has printed that match, searched on the server; then those that come. */
import process from "node:process"
import * as Effect from "effect/Effect"
import type { RemoteProcess } from "../../../../core/client/RemoteProcess.ts"
import * as LocalTerminal from "../LocalTerminal.ts"
import * as Past from "./Past.ts"

/** What is wanted. */
export interface Asked {
  readonly pattern: string
  readonly ignoresCase: boolean
  readonly follow: boolean
  /** Milliseconds since 1970; undefined is the begin. */
  readonly since: number | undefined
  /** Milliseconds since 1970; undefined is the end. Not with `follow`. */
  readonly until?: number | undefined
  /** Where it goes; by default to stdout. */
  readonly print?: LocalTerminal.Print
}

const encoder = new TextEncoder()

/** Shows them; with `follow` until the process has closed. */
export const show = (child: RemoteProcess, asked: Asked) =>
  Effect.gen(function* () {
    const { follow, ignoresCase, pattern, since, until, print = LocalTerminal.write } = asked
    const flags = ignoresCase ? { flags: "i" } : {}
    let told = false
    let from = since === undefined ? {} : { from: { time: since } }
    const to = follow ? {} : until === undefined ? yield* untilNow(child) : { to: { time: until } }
    for (;;) {
      // What is printed behind this is waited for, and what is printed before the search is found by it.
      const seen = follow ? yield* lastSeq(child) : 0
      const page = yield* child.grep({ pattern, ...flags, ...from, ...to, maxMatches: 1000 })
      if (page.lost !== undefined && !told) process.stderr.write(Past.incomplete(page.lost))
      told ||= page.lost !== undefined
      for (const { text } of page.matches)
        yield* print("stdout", encoder.encode(`${text.replace(/\r$/, "")}\n`))
      if (page.complete && (!follow || page.closed)) return
      if (page.complete) yield* more(child, seen)
      from = { from: { byte: page.nextByte } } as never
    }
  })

/** Up to what a process that prints on has printed by now. The last line of one that has closed may have no end. */
const untilNow = (child: RemoteProcess) =>
  Effect.map(child.history({ tail: 0 }), ({ nextByte, closed }) => (closed ? {} : { to: { byte: nextByte } }))

/** The seq of what was printed last. */
const lastSeq = (child: RemoteProcess) =>
  Effect.map(child.wait({ until: [{ idleMs: 0 }], maxBytes: 0 }), ({ nextSeq }) => nextSeq - 1)

/** Completes when something was printed behind that seq, or the process has closed. */
const more = (child: RemoteProcess, afterSeq: number) =>
  child.wait({ until: [{ bytes: 1 }, { closed: true }], afterSeq, maxBytes: 0 })
