/** All that a process has printed, as its server keeps it: what `procwire logs` shows. */
import type { ClientProcess } from "../../../../core/client/ClientProcess.ts"
import * as LineStamps from "../../../../core/client/LineStamps.ts"

/** How much is asked for at once, in bytes. */
const part = 1024 * 1024

/**
 * Reads the files of the server, which keep it since the start; with `times` each line has its time in front. Rejects
 * with `ClientError` where there are none.
 */
export const read = async (
  process: Pick<ClientProcess, "history">,
  times: boolean,
): Promise<ReadonlyArray<Uint8Array>> => {
  const stamps = times ? LineStamps.make() : undefined
  const parts: Array<Uint8Array> = []
  for (let byte = 0; ;) {
    const found = await process.history({ from: { byte }, maxBytes: part, times })
    for (const [index, { stream, chunk }] of found.chunks.entries())
      parts.push(stamps?.add(stream, chunk, found.times?.[index] ?? 0) ?? chunk)
    if (found.eof || found.nextByte === byte) return parts
    byte = found.nextByte
  }
}
