/** What is known of a process, in one line: how it runs, or how it has ended. */
import type { Exited } from "../../../../core/client/ProcessEvent.ts"
import type { Receipt } from "../../../../core/features/receipt/wire.ts"
import { type Seen, stateOf } from "../model/Outage.ts"
import { directoryOf, isOver, type Row } from "../model/Rows.ts"
import * as Words from "../model/Words.ts"

/** What the events of a process have told. */
export interface Told {
  readonly exited?: Exited
  readonly receipt?: Receipt
}

/** A line of facts, and how glad to be of it; undefined while the process runs. */
export interface Facts {
  readonly tone: Words.Tone | undefined
  /** How it has ended, or that it runs. */
  readonly state: string
  /** Everything else. */
  readonly more: ReadonlyArray<string>
}

/** The facts as somebody has seen them at a time of this browser, in milliseconds since 1970. */
export const of = (row: Row, told: Told, as: Seen, now: number): Facts => {
  const { exited, receipt } = told
  const place = [row.pid === null ? undefined : `pid ${row.pid}`, directoryOf(row)]
  if (exited === undefined && !isOver(row)) {
    const size = row.terminalSize
    return {
      tone: as === "gone" ? "calm" : undefined,
      state: `${row.state === "starting" || as === "gone" ? "" : "running "}${stateOf(row, as, now)}`,
      more: words(...place, size && `${size.columns}\u00d7${size.rows}`, Words.bytes(row.bytes)),
    }
  }
  const end: Words.End = { ...row, ...exited, ...receipt }
  return {
    tone: Words.toneOf(end),
    state: Words.ending(end),
    more: words(...ofReceipt(receipt), Words.bytes(row.bytes)),
  }
}

const words = (...texts: ReadonlyArray<string | undefined>): ReadonlyArray<string> =>
  texts.filter((text): text is string => text !== undefined && text !== "")

const ofReceipt = (receipt: Receipt | undefined): ReadonlyArray<string | undefined> => {
  if (receipt === undefined) return []
  const { startedAtMs, endedAtMs, userCpuMicros, systemCpuMicros, peakMemory, coreDumped } = receipt
  const cpu = userCpuMicros === undefined ? undefined : (userCpuMicros + (systemCpuMicros ?? 0)) / 1000
  const missing = Object.values(receipt.streams).reduce((sum, stream) => sum + (stream?.unreadBytes ?? 0), 0)
  return [
    `after ${Words.duration(endedAtMs - startedAtMs)}`,
    cpu === undefined ? undefined : `${Words.duration(cpu)} CPU`,
    peakMemory?.exact === true ? `${Words.bytes(peakMemory.bytes)} memory` : undefined,
    coreDumped === true ? "core dumped" : undefined,
    missing === 0 ? undefined : `${Words.bytes(missing)} were read by nobody`,
  ]
}

/** The receipt in full, for whoever looks closer: streams, bytes and SHA-256. */
export const receiptLines = ({ streams }: Receipt): ReadonlyArray<string> =>
  Object.entries(streams).flatMap(([name, stream]) =>
    stream === undefined ? [] : [`${name}: ${stream.bytes} B, SHA-256 ${stream.sha256 ?? "not known"}`],
  )
