/**
 * The output that `run` collects: the bytes of stdout and stderr, and in which order they came. They become text when
 * that is asked for.
 */
import { concat, utf8Decoder } from "../protocol/Bytes.ts"

/** The streams of a result. That of a terminal is stdout. */
export type Collected = "stdout" | "stderr"

/** Bytes that grow at their end. */
export class Growing {
  private room: Uint8Array
  length = 0

  /** With room for so many bytes, which grows. */
  constructor(room = 0) {
    this.room = new Uint8Array(room)
  }

  append(bytes: Uint8Array): void {
    const length = this.length + bytes.length
    if (length > this.room.length) {
      const room = new Uint8Array(Math.max(length, 2 * this.room.length))
      room.set(this.bytes)
      this.room = room
    }
    this.room.set(bytes, this.length)
    this.length = length
  }

  get bytes(): Uint8Array {
    return this.room.subarray(0, this.length)
  }
}

/** Collects at most `most` bytes of each stream. */
export class CollectedOutput {
  private readonly streams = { stdout: new Growing(), stderr: new Growing() }
  /** The lengths of what came of one stream without a break, in order: of stderr they are negative. */
  private readonly runs: Array<number> = []

  private readonly most: number

  constructor(most: number) {
    this.most = most
  }

  /** Takes what there is room for, and tells whether that was all. */
  add(stream: Collected, bytes: Uint8Array): boolean {
    const taken = bytes.subarray(0, this.most - this.streams[stream].length)
    this.streams[stream].append(taken)
    const sign = stream === "stdout" ? 1 : -1
    const last = this.runs.at(-1) ?? 0
    if (last * sign > 0) this.runs[this.runs.length - 1] = last + sign * taken.length
    else if (taken.length > 0) this.runs.push(sign * taken.length)
    return taken.length === bytes.length
  }

  /** The bytes of a stream. */
  bytes(stream: Collected): Uint8Array {
    return this.streams[stream].bytes
  }

  /** The same as text: malformed UTF-8 becomes U+FFFD. */
  text(stream: Collected): string {
    return utf8Decoder().decode(this.bytes(stream))
  }

  /** Both streams as they came; a character is where its last byte was. */
  all(): string {
    const decoders = { stdout: utf8Decoder(), stderr: utf8Decoder() }
    const texts = this.pieces().map(([stream, bytes]) => decoders[stream].decode(bytes, { stream: true }))
    return texts.join("") + decoders.stdout.decode() + decoders.stderr.decode()
  }

  /** The bytes of both streams as they came. */
  allBytes(): Uint8Array {
    return concat(this.pieces().map(([, bytes]) => bytes))
  }

  /** The unbroken pieces of both streams, in order. */
  private pieces(): ReadonlyArray<readonly [stream: Collected, bytes: Uint8Array]> {
    const at = { stdout: 0, stderr: 0 }
    return this.runs.map((run) => {
      const stream = run > 0 ? "stdout" : "stderr"
      const from = at[stream]
      at[stream] = from + Math.abs(run)
      return [stream, this.bytes(stream).subarray(from, at[stream])]
    })
  }
}
