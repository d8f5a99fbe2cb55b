/**
 * Finds the marks of shell integration in the output of a terminal: the sequences OSC 133 and OSC 633, which begin with
 * `ESC ] 133 ;` and end with BEL or `ESC \`. Kinds A, C and D are marks; `P;Cwd=…` of 633 tells the directory.
 *
 * A sequence may come in any pieces. What is kept of one that is not complete is bounded; a longer one is none.
 */
import { utf8Decoder } from "../../protocol/Bytes.ts"
import type { Mark } from "./wire.ts"

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
        // What was begun is broken off; another sequence may begin here.
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
