/**
 * The one hand encoder: `process/output` straight to UTF-8.
 *
 * Nearly every byte that a server sends is output. Base64 needs no escaping, so only the process id goes
 * through `JSON.stringify`, and the text is laid into its buffer without ever being joined as a string.
 * A test holds the result equal to the schema's.
 */
import { toBase64, utf8 } from "../protocol/Bytes.ts"
import type { OutputStream } from "../spawn/Spawner.ts"

/** Encodes the output notifications of one process. */
export const make = (processId: string) => {
  const head = utf8.encode(`{"method":"process/output","params":{"processId":${JSON.stringify(processId)},"seq":`)
  return (seq: number, stream: OutputStream, bytes: Uint8Array): Uint8Array => {
    const middle = `${seq},"stream":"${stream}","chunk":"`
    const chunk = toBase64(bytes)
    const text = new Uint8Array(head.length + middle.length + chunk.length + tail.length)
    text.set(head)
    let at = head.length
    at += utf8.encodeInto(middle, text.subarray(at)).written
    at += utf8.encodeInto(chunk, text.subarray(at)).written
    text.set(tail, at)
    return text
  }
}

const tail = utf8.encode('"}}')
