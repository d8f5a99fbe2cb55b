/**
 * The wire between a server and its holder: frames over a unix socket, in both directions.
 *
 * A frame is a length (u32, big endian, of what follows it), a kind (u8), the number of a child (u32, 0 for none) and a
 * payload: raw bytes for output and input, JSON for the rest. The holder says hello first, then the server, then the
 * holder welcomes it or refuses it in words. The number of the protocol is independent of any release: a server speaks
 * each number up to its own, and leaves a newer holder alone.
 */
import type { Input, Port, ProcessEvidenceService, Subject } from "../../../core/spawn/ProcessEvidence.ts"
import type {
  Capabilities,
  Ending,
  ExitStatus,
  OutputStream,
  SpawnSpec,
  TerminalSize,
} from "../../../core/spawn/Spawner.ts"

/** The number of the protocol. */
export const protocol = 1

/** The largest frame behind its length, in bytes: 16 MiB. */
export const maxFrameBytes = 16 * 1024 * 1024

/** The bytes of a frame before its payload. */
export const headerBytes = 9

/** The kinds of frames. Those of a server are below 64. */
export const kinds = {
  hello: 0,
  spawn: 1,
  write: 2,
  endStdin: 3,
  signal: 4,
  kill: 5,
  resize: 6,
  abandonOutput: 7,
  lingering: 8,
  outlived: 9,
  pause: 10,
  resume: 11,
  note: 12,
  placed: 13,
  forget: 14,
  list: 15,
  adopt: 16,
  flush: 17,
  told: 18,
  exitAfter: 19,
  evidence: 20,
  session: 21,
  sessions: 22,
  welcome: 64,
  refused: 65,
  reply: 66,
  output: 67,
  end: 68,
  exit: 69,
  skip: 70,
  left: 71,
} as const

/** The bits of a hello. */
export const features = {
  /** The holder remembers sessions: `session` and `sessions`. */
  sessions: 1,
} as const

/** The kind of a frame. */
export type Kind = (typeof kinds)[keyof typeof kinds]

/** A process on this machine, now and for ever: numbers of processes come again. */
export interface Identity {
  readonly pid: number
  /** The time of its start, in the unit of the kernel. */
  readonly begin: string
  /** The id of the boot. */
  readonly boot: string
}

/** The first frame of either side. */
export interface Hello extends Identity {
  readonly protocol: number
  /** A bit for each thing that one side can do beyond the number: those of `features`. */
  readonly features: number
}

/** The first frame of a server. */
export interface ServerHello extends Hello {
  /** The milliseconds that a child without a server is kept; absent if those of the server before hold on. */
  readonly ttlMillis?: number | undefined
}

/** The end of the handshake: what the spawner of the holder can do, and the first number that is free for a child. */
export interface Welcome {
  readonly capabilities: Capabilities
  readonly next: number
  /** The evidence that the holder has of its children. */
  readonly tells: ProcessEvidenceService["tells"]
}

/** A question for evidence: whether a child waits for input, or whether it listens on a port. */
export interface Question {
  readonly of: Subject
  readonly port?: number | undefined
  readonly host?: string | undefined
}

/** The refusal of a server by a holder. */
export interface Refused {
  readonly reason: "Busy" | "Protocol" | "Broken"
  readonly message: string
}

/** A request, which is answered by a reply of the same id. */
export interface Request {
  readonly id: number
  readonly spec?: SpawnSpec
  readonly name?: string
  readonly size?: TerminalSize
  readonly question?: Question
}

/** The abilities of a child, and its pid. */
export interface Started {
  readonly pid?: number
  readonly outlived: boolean
  readonly resize: boolean
  readonly pause: boolean
}

/** A session of the server: opened, or ended. */
export interface Session {
  readonly id: string
  readonly open: boolean
}

/** The note of a child. */
export interface Note {
  /** Text for the next server. */
  readonly about: string
  /** The milliseconds for which it waits for one once its end was sent; absent for as long as any other. */
  readonly endedMillis?: number | undefined
}

/** The answer to a request; `error` if it has failed. */
export interface Reply {
  readonly id: number
  readonly started?: Started
  readonly is?: boolean
  readonly evidence?: Input | Port
  readonly sessions?: ReadonlyArray<string>
  readonly error?: { readonly reason: string; readonly message: string }
}

/** A child without a server. */
export interface LeftChild {
  readonly about: string
  readonly lost: { readonly stdout: number; readonly stderr: number; readonly pty: number }
  readonly pty: boolean
  readonly size?: TerminalSize | undefined
  /** When it exited, in milliseconds since 1970. */
  readonly endedAtMs?: number | undefined
  readonly writeIds: ReadonlyArray<string>
}

/** The end of a child. */
export interface Exited {
  readonly status: ExitStatus
  readonly ending?: Ending
}

/** The streams by the byte that names each. */
export const streams: ReadonlyArray<OutputStream> = ["stdout", "stderr", "pty"]

/** A frame that has come. */
export interface Frame {
  readonly kind: number
  readonly child: number
  /** A view: it is overwritten never, but keeps more memory alive than its own. */
  readonly payload: Buffer
}

/** The frame of a payload, as bytes of its own. */
export const frame = (kind: Kind, child: number, payload: Uint8Array): Buffer => {
  const bytes = begin(kind, child, payload.length)
  bytes.set(payload, headerBytes)
  return bytes
}

/** The frame of a JSON value. */
export const json = (kind: Kind, child: number, value: unknown): Buffer =>
  frame(kind, child, Buffer.from(JSON.stringify(value)))

/** Chunk `n` of the output of a child. */
export const output = (child: number, n: number, stream: OutputStream, bytes: Uint8Array): Buffer => {
  const whole = begin(kinds.output, child, 9 + bytes.length)
  putNumber(whole, headerBytes, n)
  whole[headerBytes + 8] = streams.indexOf(stream)
  whole.set(bytes, headerBytes + 9)
  return whole
}

/** Reads the payload of `output`. */
export const readOutput = (payload: Buffer) => {
  const stream = streams[payload.length < 9 ? -1 : payload[8]!]
  if (stream === undefined) throw new BrokenFrame("an output of no stream")
  return { n: getNumber(payload, 0), stream, bytes: payload.subarray(9) }
}

/** Input of a child, the id of the request, and that of the client's write, empty for none. */
export const write = (child: number, id: number, writeId: string, bytes: Uint8Array): Buffer => {
  const named = Buffer.from(writeId)
  const whole = begin(kinds.write, child, 8 + named.length + bytes.length)
  whole.writeUInt32BE(id, headerBytes)
  whole.writeUInt32BE(named.length, headerBytes + 4)
  whole.set(named, headerBytes + 8)
  whole.set(bytes, headerBytes + 8 + named.length)
  return whole
}

/** Reads the payload of `write`. */
export const readWrite = (payload: Buffer) => {
  const end = payload.length < 8 ? Infinity : 8 + payload.readUInt32BE(4)
  if (end > payload.length) throw new BrokenFrame("an input without an id")
  return {
    id: payload.readUInt32BE(0),
    writeId: payload.subarray(8, end).toString(),
    bytes: payload.subarray(end),
  }
}

/** Chunk `n` has this seq: `placed` of a server, and `skip` of a holder; `exitAfter`: it is the last before the exit. */
export const place = (
  kind: typeof kinds.placed | typeof kinds.skip | typeof kinds.exitAfter,
  child: number,
  n: number,
  seq: number,
) => {
  const whole = begin(kind, child, 16)
  putNumber(whole, headerBytes, n)
  putNumber(whole, headerBytes + 8, seq)
  return whole
}

/** Reads the payload of `placed` and `skip`. */
export const readPlace = (payload: Buffer): readonly [n: number, seq: number] => {
  if (payload.length !== 16) throw new BrokenFrame("a place of another length")
  return [getNumber(payload, 0), getNumber(payload, 8)]
}

/** The stream of `end`. */
export const readStream = (payload: Buffer): OutputStream => {
  const stream = streams[payload[0] ?? -1]
  if (stream === undefined) throw new BrokenFrame("the end of no stream")
  return stream
}

/** Reads JSON, which is an object of the kind that the caller says. */
export const readJson = <A>(payload: Buffer): A => {
  let value: unknown
  try {
    value = JSON.parse(payload.toString())
  } catch {
    throw new BrokenFrame("JSON that cannot be read")
  }
  if (typeof value !== "object" || value === null) throw new BrokenFrame("JSON that is no object")
  return value as A
}

/** The other side has not kept to the protocol. */
export class BrokenFrame extends Error {}

/** Cuts what comes into frames. Throws `BrokenFrame`. */
export class FrameReader {
  private parts: Array<Buffer> = []
  private held = 0
  /** The bytes of the frame whose beginning is held. */
  private wanted = 0

  /** Calls `use` for each frame that is whole now. */
  push(bytes: Buffer, use: (frame: Frame) => void): void {
    let rest = bytes
    if (this.held > 0) {
      this.parts.push(bytes)
      this.held += bytes.length
      if (this.held < Math.max(4, this.wanted)) return
      rest = Buffer.concat(this.parts, this.held)
      this.parts = []
      this.held = 0
    }
    let at = 0
    while (rest.length - at >= 4) {
      const length = rest.readUInt32BE(at)
      if (length < headerBytes - 4 || length > maxFrameBytes)
        throw new BrokenFrame(`a frame of ${length} bytes; one has 5 to ${maxFrameBytes}`)
      this.wanted = 4 + length
      if (rest.length - at < this.wanted) break
      use({
        kind: rest[at + 4]!,
        child: rest.readUInt32BE(at + 5),
        payload: rest.subarray(at + headerBytes, at + this.wanted),
      })
      at += this.wanted
      this.wanted = 0
    }
    if (at === rest.length) return
    this.parts = [rest.subarray(at)]
    this.held = rest.length - at
  }
}

const begin = (kind: Kind, child: number, payloadBytes: number): Buffer => {
  const bytes = Buffer.allocUnsafe(headerBytes + payloadBytes)
  bytes.writeUInt32BE(headerBytes - 4 + payloadBytes, 0)
  bytes[4] = kind
  bytes.writeUInt32BE(child, 5)
  return bytes
}

/** A number up to 2^53, in 8 bytes. */
const putNumber = (to: Buffer, at: number, value: number): void => {
  to.writeUInt32BE(Math.floor(value / 2 ** 32), at)
  to.writeUInt32BE(value % 2 ** 32, at + 4)
}

const getNumber = (from: Buffer, at: number): number =>
  from.readUInt32BE(at) * 2 ** 32 + from.readUInt32BE(at + 4)
