/** Times and sizes, as short as people read them. */

/** A span of time by its largest unit: `5s`, `3m`, `2h`, `4d`. */
export const age = (millis: number): string => {
  const seconds = Math.max(0, Math.floor(millis / 1000))
  if (seconds < 60) return `${seconds}s`
  if (seconds < 3600) return `${Math.floor(seconds / 60)}m`
  if (seconds < 48 * 3600) return `${Math.floor(seconds / 3600)}h`
  return `${Math.floor(seconds / 86_400)}d`
}

/** Bytes with a unit of 1024: `0 B`, `1.5 KiB`, `12 MiB`. */
export const bytes = (count: number): string => {
  const units = ["B", "KiB", "MiB", "GiB", "TiB", "PiB"]
  let [value, unit] = [count, 0]
  while (value >= 1024 && unit < units.length - 1) [value, unit] = [value / 1024, unit + 1]
  return `${unit === 0 || value >= 10 ? Math.floor(value) : Math.floor(value * 10) / 10} ${units[unit]}`
}

/** A copied file or folder; the size of a folder is not known, and 0. */
export interface Copied {
  readonly kind: string
  readonly name: string
  /** In bytes. */
  readonly size: number
}

/** The columns of the bar, without its ends. */
const barWidth = 24

/** The line after so many bytes, at a time in milliseconds, in a terminal of so many columns. */
export const progressOf =
  ({ kind, name, size }: Copied, begun: number) =>
  (sum: number, now: number, columns: number): string => {
    const seconds = Math.max(0.1, (now - begun) / 1000)
    const speed = `${bytes(Math.round(sum / seconds))}/s`
    if (kind !== "file" || size === 0) return cut(`${name}  ${bytes(sum)}  ${speed}`, columns)
    // The archive is a little longer than the file.
    const part = Math.min(1, sum / size)
    const done = Math.floor(part * barWidth)
    const bar = `[${"#".repeat(done)}${" ".repeat(barWidth - done)}]`
    const amount = `${bytes(Math.min(sum, size))} of ${bytes(size)}`
    const facts = `${String(Math.floor(part * 100)).padStart(3)} %  ${amount}  ${speed}`
    const whole = `${name}  ${bar} ${facts}`
    return whole.length < columns ? whole : cut(`${facts}  ${name}`, columns)
  }

/** A line that is as long as the terminal would begin another. */
const cut = (line: string, columns: number): string => line.slice(0, Math.max(0, columns - 1))

/** Lines of at most so many characters, broken at blanks; a longer word has a line of its own. */
export const wrap = (text: string, most: number): ReadonlyArray<string> => {
  const lines: Array<string> = []
  for (const word of text.split(" ")) {
    const last = lines.at(-1)
    if (last !== undefined && last.length + 1 + word.length <= most)
      lines[lines.length - 1] = `${last} ${word}`
    else lines.push(word)
  }
  return lines
}
