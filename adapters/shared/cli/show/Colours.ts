/** Colours for terminals, and none elsewhere or with the variable NO_COLOR (https://no-color.org). */
import process from "node:process"
import * as Result from "effect/Result"

export type Paint = (text: string) => string

export interface Colours {
  readonly good: Paint
  readonly bad: Paint
  readonly dim: Paint
}

const as =
  (code: number, on: boolean): Paint =>
  (text) =>
    on && text !== "" ? `\u001b[${code}m${text}\u001b[m` : text

/** Those of stdout or stderr: the variable NO_COLOR counts if it is not empty. */
export const of = (to: "stdout" | "stderr"): Colours => {
  const on = process[to].isTTY === true && (variable("NO_COLOR") ?? "") === "" && variable("TERM") !== "dumb"
  return { good: as(32, on), bad: as(31, on), dim: as(2, on) }
}

/** Deno may not tell it. */
const variable = (name: string): string | undefined =>
  Result.getOrElse(
    Result.try(() => process.env[name]),
    () => undefined,
  )
