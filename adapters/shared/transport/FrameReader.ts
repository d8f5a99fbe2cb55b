/**
 * Reads the frames of RFC 6455 that a client sends, straight from the bytes of its socket.
 *
 * A payload is copied once, to memory that the next message may use again, and unmasked there four bytes at a time. A
 * message that is longer than the limit, a frame of more than 16 MiB and a breach of the protocol are told as soon as
 * their header is there. Memory grows with what has come, never with what a header announces.
 */
import { tooLong, TransportError } from "../../../core/transport/Transport.ts"
import { maxFrameBytes } from "./WebSocketFrames.ts"

/** Memory of a message that is kept for the next one. */
const largestKept = 1024 * 1024
const [continuation, text, binary, close, ping, pong] = [0, 1, 2, 8, 9, 10]
/** The longest payload of a control frame. */
const longestControl = 125

const nothing = new Uint8Array(0)

/** What becomes of what comes. */
export interface Sink {
  /** Takes a message, text or binary. Its memory is used again afterwards, unless the answer is true. */
  readonly message: (bytes: Uint8Array) => boolean
  /** Takes the payload of a ping, a copy. */
  readonly ping: (payload: Uint8Array) => void
  /** A pong has come. */
  readonly pong: () => void
  /** A Close frame has come. What follows it is not read. */
  readonly close: () => void
}

/** The reader of one connection. */
export class FrameReader {
  private readonly maxMessageBytes: number
  private readonly sink: Sink
  private readonly header = new Uint8Array(14)
  /** Bytes of the header that have come. */
  private have = 0
  private opcode = continuation
  /** Bytes of the payload that have not come yet. */
  private missing = 0
  /** The message so far, and behind it a control frame between its frames. Its start is where words are aligned. */
  private memory = nothing
  /** Length of the frames of the message that are complete. */
  private message = 0
  /** Length of the same with what has come of this frame. */
  private length = 0
  private inMessage = false
  private over = false

  constructor(maxMessageBytes: number, sink: Sink) {
    this.maxMessageBytes = maxMessageBytes
    this.sink = sink
  }

  /** Takes the next bytes; answers what is wrong with them. Then, and after a Close frame, nothing more is read. */
  push(chunk: Uint8Array): TransportError | undefined {
    let at = 0
    while (!this.over) {
      if (this.missing > 0) {
        const step = Math.min(this.missing, chunk.length - at)
        if (step === 0) return undefined
        this.keep(step === chunk.length ? chunk : chunk.subarray(at, at + step))
        at += step
        this.missing -= step
        if (this.missing === 0) this.complete()
        continue
      }
      if (at === chunk.length) return undefined
      this.header[this.have++] = chunk[at++]!
      if (this.have < 2 || this.have < headerLength(this.header[1]!)) continue
      const fault = this.begin()
      if (fault !== undefined) {
        this.over = true
        return fault
      }
      if (this.missing === 0) this.complete()
    }
    return undefined
  }

  /** The header is there. */
  private begin(): TransportError | undefined {
    const [first = 0, second = 0] = this.header
    this.opcode = first & 0x0f
    this.missing = payloadLength(this.header)
    const fault = this.breach(first, second)
    if (fault !== undefined)
      return new TransportError({ reason: "Io", message: `Invalid WebSocket frame: ${fault}` })
    if (isControl(this.opcode)) return undefined
    this.inMessage = true
    if (this.message + this.missing > this.maxMessageBytes) return tooLong(this.maxMessageBytes)
    return this.missing > maxFrameBytes
      ? new TransportError({ reason: "MessageTooLarge", message: "frame is longer than 16 MiB" })
      : undefined
  }

  private breach(first: number, second: number): string | undefined {
    const { opcode, missing, inMessage } = this
    if ((first & 0x70) !== 0) return "RSV1, RSV2 and RSV3 must be clear"
    if (
      opcode === continuation
        ? !inMessage
        : opcode === text || opcode === binary
          ? inMessage
          : !isControl(opcode)
    )
      return `invalid opcode ${opcode}`
    if ((second & 0x80) === 0) return "MASK must be set"
    if (!isControl(opcode)) return undefined
    if ((first & 0x80) === 0) return "FIN must be set"
    return (second & 0x7f) > longestControl || (opcode === close && missing === 1)
      ? `invalid payload length ${missing}`
      : undefined
  }

  private keep(bytes: Uint8Array): void {
    const length = this.length + bytes.length
    if (length > this.memory.length) {
      const whole = this.length + this.missing
      const grown = new Uint8Array((Math.max(this.memory.length * 2, Math.min(whole, length * 2)) + 3) & ~3)
      grown.set(this.memory.subarray(0, this.length))
      this.memory = grown
    }
    this.memory.set(bytes, this.length)
    this.length = length
  }

  /** The payload is there. */
  private complete(): void {
    const { have, header, memory, message, length } = this
    this.have = 0
    if (length > message) unmask(memory, message, length, header.subarray(have - 4, have))
    if (isControl(this.opcode)) return this.control()
    this.message = length
    if ((header[0]! & 0x80) === 0) return
    this.inMessage = false
    this.message = this.length = 0
    const kept = this.sink.message(memory.subarray(0, length))
    if (kept || memory.length > largestKept) this.memory = nothing
  }

  private control(): void {
    const payload = this.memory.slice(this.message, this.length)
    this.length = this.message
    if (this.opcode === ping) return this.sink.ping(payload)
    if (this.opcode === pong) return this.sink.pong()
    this.over = true
    this.sink.close()
  }
}

const isControl = (opcode: number): boolean => opcode >= close && opcode <= pong

/** Unmasks the bytes between two places of memory whose length is a multiple of four. */
const unmask = (memory: Uint8Array<ArrayBuffer>, from: number, to: number, mask: Uint8Array): void => {
  const key = new Uint8Array(4)
  for (let i = 0; i < 4; i += 1) key[(from + i) & 3] = mask[i]!
  const word = new Int32Array(key.buffer)[0]!
  if (word === 0) return
  const words = new Int32Array(memory.buffer)
  const [first, end] = [(from + 3) >> 2, to >> 2]
  const head = Math.min(first << 2, to)
  for (let at = from; at < head; at += 1) memory[at]! ^= key[at & 3]!
  for (let at = first; at < end; at += 1) words[at]! ^= word
  for (let at = Math.max(head, end << 2); at < to; at += 1) memory[at]! ^= key[at & 3]!
}

const headerLength = (second: number): number => {
  const short = second & 0x7f
  const extended = short === 126 ? 2 : short === 127 ? 8 : 0
  return 2 + extended + (second & 0x80 ? 4 : 0)
}

const payloadLength = (header: Uint8Array): number => {
  const short = header[1]! & 0x7f
  const view = new DataView(header.buffer)
  if (short === 126) return view.getUint16(2)
  return short === 127 ? view.getUint32(2) * 2 ** 32 + view.getUint32(6) : short
}
