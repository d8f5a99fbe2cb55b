/**
 * The output of a process on pipes as one text for a terminal: each line of stderr begins with a mark.
 *
 * A stream that takes over in the middle of a line begins a new one. Each has its own colors, and its own bytes of a
 * character that two chunks share.
 */
import { utf8Decoder } from "../../../../core/protocol/Bytes.ts"

export type Pipe = "stdout" | "stderr"

/** The begin of a line of stderr. */
export const mark = "\u258f"

const colored = `\u001b[0;31m${mark}\u001b[0m`

interface State {
  readonly decoder: ReturnType<typeof utf8Decoder>
  /** The colors that it has set since it has last cleared them. */
  colors: string
  /** The begin of a sequence that its last chunk has cut. */
  rest: string
}

/** The longest sequence that is put together from two chunks, and the most colors that are remembered. */
const longest = 256

// oxlint-disable-next-line no-control-regex
const cut = /\u001b(?:\[[\d;:?]*)?$/
// oxlint-disable-next-line no-control-regex
const setsColors = /\u001b\[([\d;:]*)m/g

export class PipeText {
  private readonly states: Readonly<Record<Pipe, State>> = { stdout: fresh(), stderr: fresh() }
  private current: Pipe = "stdout"
  private atStart = true

  /** The text for a terminal, which takes a line feed for the end of a line. */
  take(pipe: Pipe, bytes: Uint8Array): string {
    const state = this.states[pipe]
    const whole = state.rest + state.decoder.decode(bytes, { stream: true })
    const [rest = ""] = cut.exec(whole) ?? []
    state.rest = rest.length > longest ? "" : rest
    const text = whole.slice(0, whole.length - state.rest.length)
    if (text === "") return ""
    const before = pipe === this.current ? "" : this.turn(state)
    this.current = pipe
    const body = pipe === "stderr" ? this.marked(text, state.colors) : text
    state.colors = colorsAfter(state.colors, text)
    this.atStart = text.endsWith("\n")
    return before + body
  }

  /** Another stream prints now. */
  private turn({ colors }: State): string {
    const line = this.atStart ? "" : "\n"
    this.atStart = true
    return `\u001b[0m${line}${colors}`
  }

  private marked(text: string, colors: string): string {
    const first = this.atStart ? colored + colors : ""
    const body = text.replace(/\r(?!\n)|\n(?=[^])/g, (end, at: number) => {
      return end + colored + colorsAfter(colors, text.slice(0, at))
    })
    return first + body
  }
}

const fresh = (): State => ({ decoder: utf8Decoder(), colors: "", rest: "" })

const colorsAfter = (before: string, text: string): string => {
  let colors = before
  for (const [sequence, values = ""] of text.matchAll(setsColors)) {
    colors = /^0*$/.test(values) ? "" : /^0+[;:]/.test(values) ? sequence : colors + sequence
  }
  return colors.length > longest ? colors.slice(colors.lastIndexOf("\u001b")) : colors
}

/** A text that was copied, without the marks. */
export const unmarked = (text: string): string => text.replaceAll(new RegExp(`^${mark}`, "gm"), "")
