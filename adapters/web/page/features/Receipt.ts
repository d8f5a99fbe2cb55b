/** The receipt of a process: time, CPU and memory in its foot; streams, bytes and SHA-256 in the title of its head. */
import type { Receipt } from "../../../../core/features/receipt/wire.ts"
import * as Words from "../model/Words.ts"
import type { Feature } from "./Feature.ts"

export const receipt: Feature = {
  start: (can) => (can("processReceipt") ? { receipt: true } : {}),
  closed: ({ receipt }) => receipt && { end: receipt, facts: factsOf(receipt), lines: linesOf(receipt) },
}

const factsOf = (receipt: Receipt): ReadonlyArray<string> => {
  const { startedAtMs, endedAtMs, userCpuMicros, systemCpuMicros, peakMemory, coreDumped } = receipt
  const cpu = userCpuMicros === undefined ? undefined : (userCpuMicros + (systemCpuMicros ?? 0)) / 1000
  const missing = Object.values(receipt.streams).reduce((sum, stream) => sum + (stream?.unreadBytes ?? 0), 0)
  return Words.known(
    `after ${Words.duration(endedAtMs - startedAtMs)}`,
    cpu === undefined ? undefined : `${Words.duration(cpu)} CPU`,
    peakMemory?.exact === true ? `${Words.bytes(peakMemory.bytes)} memory` : undefined,
    coreDumped === true ? "core dumped" : undefined,
    missing === 0 ? undefined : `${Words.bytes(missing)} were read by nobody`,
  )
}

const linesOf = ({ streams }: Receipt): ReadonlyArray<string> =>
  Object.entries(streams).flatMap(([name, stream]) =>
    stream === undefined ? [] : [`${name}: ${stream.bytes} B, SHA-256 ${stream.sha256 ?? "not known"}`],
  )
