/**
 * Hand-written encoders for messages that carry output, straight to JSON text.
 *
 * Nearly every byte that a server sends is output. Base64 needs no escaping, so it is inserted as it is, about ten
 * times faster than `JSON.stringify`. A test holds the results equal to those of the schemas.
 */
import * as Base64Bytes from "./Base64Bytes.ts"
import { toBase64, utf8 } from "./Bytes.ts"
import type { MemoryPool } from "./MemoryPool.ts"
import type { OutputParams, ReadResult } from "./Process.ts"

/**
 * Encodes the `process/output` notifications of one process as UTF-8 without joining strings, into memory of the pool
 * if there is one.
 */
export const makeNotification = (processId: string, memory?: MemoryPool) => {
  const head = utf8.encode(
    `{"method":"process/output","params":{"processId":${JSON.stringify(processId)},"seq":`,
  )
  return ({ seq, stream, bytes }: Output): Uint8Array =>
    Base64Bytes.within(head, `${seq},"stream":"${stream}","chunk":"`, bytes, tail, memory)
}

/** The same for `command/exec/outputDelta` of v0, which has no seq and sends the output of a PTY as stdout. */
export const makeDelta = (processId: string, memory?: MemoryPool) => {
  const head = utf8.encode(
    `{"method":"command/exec/outputDelta","params":{"processId":${JSON.stringify(processId)},"stream":"`,
  )
  return ({ stream, bytes }: Output): Uint8Array =>
    Base64Bytes.within(head, `${stream === "pty" ? "stdout" : stream}","chunk":"`, bytes, tail, memory)
}

/** The JSON text of a `process/read` result. */
export const readResult = ({ chunks, ...state }: ReadResult): string =>
  `{"chunks":[${chunks.map(chunkText).join()}],${JSON.stringify(state).slice(1)}`

/** A chunk of output to encode. */
export interface Output {
  /** Its seq. */
  readonly seq: number
  /** The stream it belongs to. */
  readonly stream: (typeof OutputParams.Type)["stream"]
  /** The output itself. */
  readonly bytes: Uint8Array
}

const tail = utf8.encode('"}}')

const chunkText = ({ seq, stream, chunk }: ReadResult["chunks"][number]): string =>
  `{"seq":${seq},"stream":"${stream}","chunk":"${toBase64(chunk)}"}`
