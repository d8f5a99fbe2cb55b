/**
 * Reads the frames of RFC 6455 that a client sends, straight from the bytes of its socket.
 *
 * A payload is copied once, to memory that the next message may use again, and unmasked there four bytes at a time;
 * where messages are only passed on, it is unmasked where it lies, and not copied. A message that is longer than the
 * limit, a frame of more than 16 MiB and a breach of the protocol are reported as soon as their header is there. Memory
 * grows with the bytes that have come, never with the length in a header.
 */
import { concat } from "../../../core/protocol/Bytes.ts"
import { tooLong, TransportError } from "../../../core/transport/Transport.ts"
import { maxFrameBytes } from "./WebSocketFrames.ts"

/** Memory of a message that is kept for the next one. */
const largestKept = 1024 * 1024
const [continuation, text, binary, close, ping, pong] = [0, 1, 2, 8, 9, 10]
/** The longest payload of a control frame. */
const longestControl = 125

/** So many parts of a message that are shorter than that, one after the other, become one: each is an object. */
const few = { parts: 64, bytes: 1024 }

const nothing = new Uint8Array(0)

export interface Sink {
  /** Takes a message, text or binary. Its memory is used again afterwards, unless the answer is true. */
  readonly message: (bytes: Uint8Array) => boolean
  /** Takes the payload of a ping, a copy. */
  readonly ping: (payload: Uint8Array) => void
  readonly pong: () => void
  /** A Close frame has come. The rest is not read. */
  readonly close: () => void
}

/** Takes a message in parts, which it owns. */
export type TakeParts = (parts: ReadonlyArray<Uint8Array>, length: number) => void

export class FrameReader {
  private readonly maxMessageBytes: number
  private readonly sink: Sink
  private readonly header = new Uint8Array(14)
  /** Bytes of the header that have come. */
  private have = 0
  private opcode = continuation
  /** Bytes of the payload that have not come yet. */
  private missing = 0
  /** The message so far. */
  private memory = nothing
  /** Instead of it, where messages are passed on. */
  private parts: Array<Uint8Array> | undefined
  private take: TakeParts | undefined
  /** Short ones at the end of them. */
  private short = 0
  /** Length of the frames of the message that are complete. */
  private message = 0
  /** Length of the same with the bytes of this frame. */
  private length = 0
  private inMessage = false
  /** The payload of a control frame, which may come between those of a message. */
  private payload: Uint8Array = nothing
  private over = false

  constructor(maxMessageBytes: number, sink: Sink) {
    this.maxMessageBytes = maxMessageBytes
    this.sink = sink
  }

  /** Hands messages to `take` from now on, those that have not begun yet. Pushed bytes are its own then. */
  passOn(take: TakeParts): void {
    this.take = take
    if (!this.inMessage) this.parts = []
  }

  /** Takes the next bytes; answers their fault. Then, and after a Close frame, nothing more is read. */
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
    if (isControl(this.opcode)) {
      this.payload = concat([this.payload, bytes])
      return
    }
    const length = this.length + bytes.length
    if (this.parts !== undefined) {
      unmask(bytes, this.mask, this.length - this.message)
      this.parts.push(bytes)
      this.short = bytes.length < few.bytes ? this.short + 1 : 0
      if (this.short === few.parts) {
        this.parts.push(concat(this.parts.splice(-few.parts)))
        this.short = 0
      }
    } else {
      if (length > this.memory.length) this.grow(length)
      this.memory.set(bytes, this.length)
    }
    this.length = length
  }

  private grow(length: number): void {
    const whole = this.length + this.missing
    const grown = new Uint8Array(Math.max(this.memory.length * 2, Math.min(whole, length * 2)))
    grown.set(this.memory.subarray(0, this.length))
    this.memory = grown
  }

  private get mask(): Uint8Array {
    return this.header.subarray(this.have - 4, this.have)
  }

  /** The payload is there. */
  private complete(): void {
    const { header, mask, memory, message, length, parts } = this
    this.have = 0
    if (isControl(this.opcode)) return this.control(mask)
    if (parts === undefined && length > message) unmask(memory.subarray(message, length), mask)
    this.message = length
    if ((header[0]! & 0x80) === 0) return
    this.inMessage = false
    this.message = this.length = 0
    this.parts = this.take && []
    this.short = 0
    if (parts !== undefined) return this.take?.(parts, length)
    const kept = this.sink.message(memory.subarray(0, length))
    if (kept || memory.length > largestKept) this.memory = nothing
  }

  private control(mask: Uint8Array): void {
    const { payload } = this
    this.payload = nothing
    unmask(payload, mask)
    if (this.opcode === ping) return this.sink.ping(payload)
    if (this.opcode === pong) return this.sink.pong()
    this.over = true
    this.sink.close()
  }
}

const isControl = (opcode: number): boolean => opcode >= close && opcode <= pong

/** Unmasks bytes of a payload where they lie, words at a time; `at` is the place of the first one in it. */
const unmask = (bytes: Uint8Array, mask: Uint8Array, at = 0): void => {
  const from = bytes.byteOffset
  const to = from + bytes.length
  const key = new Uint8Array(4)
  for (let i = 0; i < 4; i += 1) key[(from + i) & 3] = mask[(at + i) & 3]!
  const word = new Int32Array(key.buffer)[0]!
  if (word === 0) return
  const all = new Uint8Array(bytes.buffer)
  const words = new Int32Array(bytes.buffer, 0, bytes.buffer.byteLength >> 2)
  const [first, end] = [(from + 3) >> 2, to >> 2]
  const head = Math.min(first << 2, to)
  for (let at = from; at < head; at += 1) all[at]! ^= key[at & 3]!
  for (let at = first; at < end; at += 1) words[at]! ^= word
  for (let at = Math.max(head, end << 2); at < to; at += 1) all[at]! ^= key[at & 3]!
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
