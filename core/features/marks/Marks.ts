/**
 * The marks in the output of one process, for a process whose start has asked for them; no other process has this.
 *
 * Output is cut behind each mark, which takes the next seq of the log: so marks and output have one order, for every
 * reader. A mark is kept as long as the output in front of it, or behind it, in the log or in a history: what a history
 * has without its marks could not be put in order. The log bounds how many there are, because between two marks there
 * is always a chunk; of a history a bound of their own does.
 */
import type { OwnEvents } from "../../process/Extension.ts"
import type { Process } from "../../process/Process.ts"
import type { OutputStream, SpawnEvents } from "../../spawn/Spawner.ts"
import { EventList } from "../EventList.ts"
import type { Mark, Marked } from "./wire.ts"
import { utf8Decoder } from "../../protocol/Bytes.ts"

/** The most marks that are kept because of a history: 50,000. */
export const mostOfHistory = 50_000

export class Marks extends EventList<Mark> implements OwnEvents {
  private readonly process: Process
  private readonly stream: OutputStream
  private readonly scanner = new MarkScanner()

  /** Of a terminal, or of the stdout of a process on pipes: a shell behind `ssh -tt`, say. */
  constructor(process: Process) {
    super()
    this.process = process
    this.stream = process.stdio.kind === "pty" ? "pty" : "stdout"
  }

  /** The same events, with the output cut behind each mark, and the mark between the pieces. */
  around(events: SpawnEvents): SpawnEvents {
    return {
      ...events,
      output: (stream, bytes) => {
        if (stream !== this.stream) return events.output(stream, bytes)
        let from = 0
        this.scanner.read(bytes, (end, found) => {
          events.output(stream, bytes.subarray(from, end))
          from = end
          this.add(found)
        })
        if (from < bytes.length) events.output(stream, bytes.subarray(from))
      },
    }
  }

  after(seq: number): Marked | undefined {
    const mark = this.items[this.indexAfter(seq)]
    if (mark === undefined) return undefined
    const { kind, ...rest } = mark
    return { kind: "mark", mark: kind, ...rest }
  }

  private add(found: Found): void {
    const { process } = this
    if (process.closed !== undefined) return
    this.items.push({ seq: process.log.take(), ...found })
    // A reader may have got the output in front of a mark, and not yet the mark.
    const goneFrom = (oldest: number) => this.indexAfter(oldest - 2)
    const ofLog = goneFrom(process.log.after(0)?.seq ?? process.log.nextSeq())
    const gone = Math.min(
      ofLog,
      Math.max(goneFrom(process.extension?.kept?.oldest() ?? Infinity), this.items.length - mostOfHistory),
    )
    // Half of them at a time, so that each is moved once.
    if (gone > 0 && gone * 2 >= this.items.length) this.items = this.items.slice(gone)
    process.wake()
  }
}

/** The most bytes between `ESC ]` and the end of a sequence. */
export const longest = 4096

/** A mark without its place. */
export type Found = Omit<Mark, "seq">

const [bel, can, sub, esc, bracket, backslash] = [0x07, 0x18, 0x1a, 0x1b, 0x5d, 0x5c]

/** The two families of sequences, each with what separates it from the rest. */
const families = ["133;", "633;"]

type State =
  | "text"
  /** Behind ESC. */
  | "escape"
  /** Within a sequence. */
  | "sequence"
  /** Behind ESC within a sequence. */
  | "ending"

export class MarkScanner {
  private state: State = "text"
  private readonly held = new Uint8Array(longest)
  private length = 0
  private cwd: string | null = null

  /** Scans the next bytes; `found` is called with each mark, and the index behind its last byte. */
  read(bytes: Uint8Array, found: (end: number, mark: Found) => void): void {
    for (let at = 0; at < bytes.length;) {
      if (this.state === "text") {
        const next = bytes.indexOf(esc, at)
        if (next === -1) return
        this.state = "escape"
        at = next + 1
        continue
      }
      const mark = this.step(bytes[at] ?? 0)
      at += 1
      if (mark !== undefined) found(at, mark)
    }
  }

  private step(byte: number): Found | undefined {
    switch (this.state) {
      case "text":
        return undefined
      case "escape":
        this.state = byte === bracket ? "sequence" : byte === esc ? "escape" : "text"
        this.length = 0
        return undefined
      case "sequence":
        if (byte === bel) return this.end()
        if (byte === esc) this.state = "ending"
        else if (byte === can || byte === sub || !this.keep(byte)) this.state = "text"
        return undefined
      case "ending":
        if (byte === backslash) return this.end()
        // A sequence that was begun is broken off; another one may begin here.
        this.state = byte === bracket ? "sequence" : byte === esc ? "escape" : "text"
        this.length = 0
        return undefined
    }
  }

  /** False where the sequence is of no interest, or too long. */
  private keep(byte: number): boolean {
    const at = this.length
    if (at >= longest) return false
    if (at < 4 && !families.some((family) => family.charCodeAt(at) === byte)) return false
    this.held[at] = byte
    this.length += 1
    return true
  }

  private end(): Found | undefined {
    this.state = "text"
    const text = decoder.decode(this.held.subarray(0, this.length))
    const [family, kind, ...rest] = text.split(";")
    const { cwd } = this
    switch (kind) {
      case "A":
        return { kind: "promptStart", exitCode: null, cwd }
      case "C":
        return { kind: "commandStart", exitCode: null, cwd }
      case "D":
        return { kind: "commandEnd", exitCode: toExitCode(rest[0]), cwd }
      case "P":
        if (family === "633" && rest[0]?.startsWith("Cwd=")) this.cwd = unescaped(rest.join(";").slice(4))
        return undefined
      default:
        return undefined
    }
  }
}

const decoder = utf8Decoder()

const toExitCode = (text = ""): number | null => (/^-?\d{1,9}$/.test(text) ? Number(text) : null)

/** `\\` stands for a backslash, and `\x3b` for the character of that code. */
const unescaped = (text: string): string =>
  text.replaceAll(/\\(?:\\|x([\da-f]{2}))/gi, (_, code: string | undefined) =>
    code === undefined ? "\\" : String.fromCharCode(Number.parseInt(code, 16)),
  )
