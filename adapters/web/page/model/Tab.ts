/** Title and icon of the tab of the browser. Ended processes stay in them until somebody looks. */
import { type Change, type Row, titleOf } from "./Rows.ts"
import * as Words from "./Words.ts"

export type Icon = "idle" | "running" | "good" | "bad"

export interface Tab {
  readonly title: string
  readonly icon: Icon
}

export interface Facts {
  readonly server: string
  readonly running: number
  /** Those that have ended and were not looked at since, the last one at the end. */
  readonly ended: ReadonlyArray<Row>
  /** The headline of a lost connection; undefined while there is one. */
  readonly lost?: string | undefined
}

export const noted = (ended: ReadonlyArray<Row>, changes: ReadonlyArray<Change>): ReadonlyArray<Row> => {
  const now = changes.filter(({ kind }) => kind === "ended").map(({ row }) => row)
  return now.length === 0 ? ended : [...ended, ...now]
}

export const of = ({ server, running, ended, lost }: Facts): Tab => {
  const last = ended.at(-1)
  const base = server === "" ? "procwire" : `procwire · ${server}`
  if (lost !== undefined) return { title: `${lost} · ${base}`, icon: "bad" }
  if (last === undefined) {
    return running === 0
      ? { title: base, icon: "idle" }
      : { title: `${running} running · ${base}`, icon: "running" }
  }
  const failed = ended.find((row) => Words.toneOf(row) === "bad")
  const told = failed ?? last
  const sign = failed === undefined ? "\u2713" : "\u2717"
  const more = ended.length === 1 ? "" : ` (+${ended.length - 1})`
  return {
    title: `${sign} ${titleOf(told)} ${Words.ending(told)}${more} · ${base}`,
    icon: failed === undefined ? "good" : "bad",
  }
}
