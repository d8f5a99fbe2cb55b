/** The frames of the wire, and the recorded bytes of protocol 1, which every later release must read. */
import { readFileSync } from "node:fs"
import { describe, expect, test } from "vitest"
import * as HolderWire from "./HolderWire.ts"
import * as Recorded from "./testing/Recorded.ts"

const framesOf = (bytes: Buffer, pieceBytes = bytes.length) => {
  const frames: Array<HolderWire.Frame> = []
  const reader = new HolderWire.FrameReader()
  for (let at = 0; at < bytes.length; at += pieceBytes)
    reader.push(bytes.subarray(at, at + pieceBytes), (frame) => frames.push(frame))
  return frames
}

describe("a reader of frames", () => {
  const { kinds } = HolderWire
  const sent = [
    HolderWire.output(7, 2 ** 40 + 3, "pty", Buffer.from("text")),
    HolderWire.write(7, 0xffffffff, "ä", Buffer.from([0, 255])),
    HolderWire.place(kinds.placed, 8, 9, Number.MAX_SAFE_INTEGER),
    HolderWire.frame(kinds.note, 8, new Uint8Array(0)),
    HolderWire.json(kinds.list, 0, { id: 1, name: "ä\ud800" }),
  ]

  test.each([1, 2, 3, 5, 8, 1000])("reads what comes in pieces of %i bytes", (pieceBytes) => {
    const [output, write, place, note, list] = framesOf(Buffer.concat(sent), pieceBytes)
    expect(output).toMatchObject({ kind: kinds.output, child: 7 })
    const read = HolderWire.readOutput(output!.payload)
    expect([read.n, read.stream, read.bytes.toString()]).toEqual([2 ** 40 + 3, "pty", "text"])
    expect(HolderWire.readWrite(write!.payload).id).toBe(0xffffffff)
    expect(HolderWire.readWrite(write!.payload).writeId).toBe("ä")
    expect([...HolderWire.readWrite(write!.payload).bytes]).toEqual([0, 255])
    expect(HolderWire.readPlace(place!.payload)).toEqual([9, Number.MAX_SAFE_INTEGER])
    expect(note).toMatchObject({ kind: kinds.note, child: 8, payload: Buffer.alloc(0) })
    // A character that is half of one stays so.
    expect(HolderWire.readJson(list!.payload)).toEqual({ id: 1, name: "ä\ud800" })
  })

  const length = (bytes: number) =>
    Buffer.from([...Uint8Array.of(0, 0, 0, 0)].map((_, i) => (bytes >>> (24 - 8 * i)) & 255))

  test.each([0, 4, HolderWire.maxFrameBytes + 1, 0xffffffff])("refuses a frame of %i bytes", (bytes) => {
    expect(() => framesOf(length(bytes))).toThrow(`a frame of ${bytes} bytes; one has 5 to 16777216`)
  })

  test("refuses payloads that are none", () => {
    const short = Buffer.alloc(3)
    for (const read of [
      HolderWire.readOutput,
      HolderWire.readWrite,
      HolderWire.readPlace,
      HolderWire.readJson,
    ])
      expect(() => read(short)).toThrow(HolderWire.BrokenFrame)
    expect(() => HolderWire.readJson(Buffer.from("1"))).toThrow("JSON that is no object")
    expect(() => HolderWire.readStream(Buffer.from([3]))).toThrow("the end of no stream")
  })
})

describe("the recorded bytes of protocol 1", () => {
  const recorded = readFileSync(new URL("testing/protocol-1.txt", import.meta.url), "utf8")

  const from = (sign: string, talk: string) => talk.split("\n").filter((line) => line.startsWith(sign))

  test("are those of a talk today", async () => {
    const today = await Recorded.talk()
    // The two directions are not in step.
    for (const sign of [">", "<"]) expect(from(sign, today)).toEqual(from(sign, recorded))
  })

  test("are answered by a holder as they were", async () => {
    expect(await Recorded.play(recorded)).toBe(recorded)
  })

  test("tell a server what they told", async () => {
    expect(await Recorded.hear(recorded)).toEqual(Recorded.heard)
  })
})
