/**
 * The answers that a terminal gives when its program asks it something, for a process whose start has asked for them;
 * no other process has this. They are input as any other, in the order of the questions.
 *
 * A writer that has taken the role from the owner has a terminal of its own, which answers: so nothing is answered
 * then. A question is heard when it is printed and never again: a replay of the output asks nothing.
 *
 * Output never waits for an answer. Questions that cannot be answered soon enough are bounded in number, and so are the
 * answers that the program does not read; what is above that is dropped, as input is that a terminal has no room for.
 */
import * as Effect from "effect/Effect"
import { utf8 } from "../../protocol/Bytes.ts"
import type { SpawnEvents } from "../../spawn/Spawner.ts"
import type { FeatureServices } from "../../process/Lifecycle.ts"
import type { Process } from "../../process/Process.ts"
import type { Pictures } from "../screen/Pictures.ts"

/** The most questions that wait for their answer: 64. */
export const mostWaiting = 64

/** The cursor of a terminal that is not painted. */
const origin = { row: 0, column: 0 }

export class Answers {
  private readonly process: Process
  private readonly pictures: Pictures
  private readonly fork: FeatureServices["fork"]
  private readonly scanner = new QueryScanner()
  private waiting: Array<Query> = []
  private isAnswering = false

  /** `pictures` tell where the cursor is; without them it is in the corner. `fork` runs what waits for them. */
  constructor(process: Process, pictures: Pictures, fork: FeatureServices["fork"]) {
    this.process = process
    this.pictures = pictures
    this.fork = fork
  }

  /** The same events, which answer what the output asks once it is in the log. */
  around(events: SpawnEvents): SpawnEvents {
    return {
      ...events,
      output: (stream, bytes) => {
        this.scanner.read(bytes, this.hear)
        events.output(stream, bytes)
        this.begin()
      },
    }
  }

  /** Answers what waits, as soon as there is an input to write to. */
  begin(): void {
    if (this.isAnswering || this.waiting.length === 0 || this.process.stdin === undefined) return
    this.isAnswering = true
    this.fork(this.answerAll)
  }

  private readonly hear = (query: Query): void => {
    const { writer, stdin } = this.process
    if (writer !== undefined || this.waiting.length >= mostWaiting || stdin?.hasRoom() === false) return
    this.waiting.push(query)
  }

  private readonly answerAll: Effect.Effect<void> = Effect.gen({ self: this }, function* () {
    const { process } = this
    while (this.waiting.length > 0) {
      const queries = this.waiting
      this.waiting = []
      const pid = process.child?.pid
      const cursor = queries.includes("cursor") ? yield* this.cursor : origin
      // The child that has asked may be gone, and another one in its place.
      if (process.child?.pid !== pid) continue
      for (const query of queries) process.stdin?.offer(utf8.encode(answer(query, cursor)))
    }
    this.isAnswering = false
  })

  private readonly cursor = Effect.suspend(() =>
    this.pictures.of(this.process, { seq: undefined, formats: [], scrollback: 0 }),
  ).pipe(
    Effect.map((picture) => picture.cursor),
    Effect.catchCause(() => Effect.succeed(origin)),
  )
}

/** Those of xterm, as which `TERM` mostly announces the terminal: a VT100 with advanced video, which works. */
const answer = (query: Query, { row, column }: typeof origin): string => {
  switch (query) {
    case "attributes":
      return "\x1b[?1;2c"
    case "status":
      return "\x1b[0n"
    case "cursor":
      return `\x1b[${row + 1};${column + 1}R`
  }
}

export type Query = "attributes" | "status" | "cursor"

const [can, sub, esc, bracket, zero, nine] = [0x18, 0x1a, 0x1b, 0x5b, 0x30, 0x39]
const [finalC, finalN] = [0x63, 0x6e]

/** Every greater parameter is as this one, which asks nothing. */
const greatest = 99

type State =
  | "text"
  /** Behind ESC. */
  | "escape"
  /** Behind `ESC [`, and digits. */
  | "sequence"

export class QueryScanner {
  private state: State = "text"
  private parameter = 0

  /** Scans the next bytes; `found` is called with each question whose last byte is among them. */
  read(bytes: Uint8Array, found: (query: Query) => void): void {
    for (let at = 0; at < bytes.length;) {
      if (this.state === "text") {
        const next = bytes.indexOf(esc, at)
        if (next === -1) return
        this.state = "escape"
        at = next + 1
        continue
      }
      const query = this.step(bytes[at] ?? 0)
      at += 1
      if (query !== undefined) found(query)
    }
  }

  private step(byte: number): Query | undefined {
    if (byte === esc) this.state = "escape"
    else if (byte === can || byte === sub) this.state = "text"
    // A terminal obeys other control characters, and goes on with the sequence.
    else if (byte < 0x20) return undefined
    else if (this.state === "escape") {
      this.state = byte === bracket ? "sequence" : "text"
      this.parameter = 0
    } else if (byte >= zero && byte <= nine) {
      this.parameter = Math.min(greatest, this.parameter * 10 + byte - zero)
    } else {
      this.state = "text"
      return queryOf(byte, this.parameter)
    }
    return undefined
  }
}

const queryOf = (final: number, parameter: number): Query | undefined => {
  if (final === finalC && parameter === 0) return "attributes"
  if (final !== finalN) return undefined
  return parameter === 6 ? "cursor" : parameter === 5 ? "status" : undefined
}
