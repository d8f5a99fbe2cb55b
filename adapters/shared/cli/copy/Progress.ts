/** The line that tells how far a copy is. */
import * as Texts from "../show/Texts.ts"

/** What is copied; the size of a folder is not known, and 0. */
export interface Source {
  readonly kind: string
  readonly name: string
  /** In bytes. */
  readonly size: number
}

/** The columns of the bar, without its ends. */
const width = 24

/** The line after so many bytes, at a time in milliseconds, in a terminal of so many columns. */
export const make =
  ({ kind, name, size }: Source, begun: number) =>
  (sum: number, now: number, columns: number): string => {
    const seconds = Math.max(0.1, (now - begun) / 1000)
    const speed = `${Texts.bytes(Math.round(sum / seconds))}/s`
    if (kind !== "file" || size === 0) return cut(`${name}  ${Texts.bytes(sum)}  ${speed}`, columns)
    // The archive is a little longer than the file.
    const part = Math.min(1, sum / size)
    const done = Math.floor(part * width)
    const bar = `[${"#".repeat(done)}${" ".repeat(width - done)}]`
    const amount = `${Texts.bytes(Math.min(sum, size))} of ${Texts.bytes(size)}`
    const facts = `${String(Math.floor(part * 100)).padStart(3)} %  ${amount}  ${speed}`
    const whole = `${name}  ${bar} ${facts}`
    return whole.length < columns ? whole : cut(`${facts}  ${name}`, columns)
  }

/** A line that is as long as the terminal would begin another. */
const cut = (line: string, columns: number): string => line.slice(0, Math.max(0, columns - 1))
