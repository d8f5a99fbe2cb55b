/** stdin, stdout and stderr of a process as streams of the web, and its lines, over a real server in this program. */
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import type { Client } from "../../../core/client/Client.ts"
import { connect } from "../../testing/Client.ts"

let client: Client
beforeAll(async () => void (client = await connect({ inProcess: true })))
afterAll(() => client.close())

const megabyte = 1024 * 1024
const sh = (script: string, more: object = {}) => client.start({ argv: ["sh", "-c", script], ...more })

/** The number of bytes that the server has read of a process by that name. */
const printed = async (name: string) => {
  for await (const { bytes } of client.list({ name })) return bytes
  return -1
}

const text = (stream: ReadableStream<Uint8Array>) => new Response(stream).text()

describe("the streams of a process", () => {
  it("carry every byte both ways, by pipeTo", async () => {
    const bytes = new Uint8Array(5 * megabyte).map((_, index) => (index * 7919) >> 3)
    await using process = await client.start({ argv: ["cat"], pipeStdin: true })
    const [copied] = await Promise.all([
      new Response(process.stdout).arrayBuffer(),
      new Blob([bytes]).stream().pipeTo(process.stdin),
    ])
    expect(Buffer.compare(new Uint8Array(copied), bytes)).toBe(0)
    expect(await process.exitCode).toBe(0)
  })

  it("are one object each, and are told apart", async () => {
    const process = await sh("echo out; echo err >&2")
    expect(process.stdout).toBe(process.stdout)
    expect(await Promise.all([text(process.stdout), text(process.stderr)])).toEqual(["out\n", "err\n"])
    expect(process.stdout.locked).toBe(true)
    const terminal = await sh("stty -opost; echo shown", { tty: true })
    expect(await text(terminal.stdout)).toBe("shown\n")
  })

  it("may be read one after the other, also when the process has ended", async () => {
    const process = await sh(`head -c ${3 * megabyte} /dev/zero; echo err >&2`)
    expect((await text(process.stdout)).length).toBe(3 * megabyte)
    await process.closed
    expect(await text(process.stderr)).toBe("err\n")
    const other = await sh("echo out; echo err >&2")
    await other.closed
    expect([await text(other.stderr), await text(other.stdout)]).toEqual(["err\n", "out\n"])
  })

  it("drop what nobody has asked for, and let nobody wait for it", async () => {
    const process = await sh(`head -c ${3 * megabyte} /dev/zero >&2; echo out`)
    expect(await text(process.stdout)).toBe("out\n")
  })

  it("stall a process that nobody reads, with bounded memory, and no other one", async () => {
    const size = 8 * megabyte
    const process = await sh(`exec head -c ${size} /dev/zero`, { name: "stalled" })
    const reader = process.stdout.getReader()
    let [read, ahead] = [0, 0]
    for (let step = await reader.read(); !step.done; step = await reader.read()) {
      read += step.value.length
      // The server would read on meanwhile, if nothing kept it from that.
      expect((await client.run({ argv: ["true"] })).exitCode).toBe(0)
      ahead = Math.max(ahead, (await printed("stalled")) - read)
    }
    expect(read).toBe(size)
    expect(ahead).toBeGreaterThan(0)
    expect(ahead).toBeLessThan(4 * megabyte)
  })

  it("let the process wait for the one that is not read, and go on when it is", async () => {
    const process = await sh(`head -c ${4 * megabyte} /dev/zero >&2; echo out`)
    const { stderr } = process
    const out = text(process.stdout)
    const err = (await text(stderr)).length
    expect([err, await out]).toEqual([4 * megabyte, "out\n"])
  })

  it("let the process wait for one that was asked for and is not read, until it is cancelled", async () => {
    const script = `head -c ${32 * megabyte} /dev/zero >&2; echo out`
    const process = await sh(script, { name: "unread" })
    const { stderr } = process
    const out = text(process.stdout)
    for (let round = 0; round < 20; round += 1) await client.run({ argv: ["true"] })
    expect(await printed("unread")).toBeLessThan(4 * megabyte)
    await stderr.cancel()
    expect(await out).toBe("out\n")
  })

  it("let a writer wait while the process does not read", async () => {
    const process = await sh("read line; exec cat >/dev/null", { pipeStdin: true })
    const writer = process.stdin.getWriter()
    expect(await printedAfter(writer)).toBe(true)
    await writer.close()
    expect(await process.exitCode).toBe(0)
  })

  it("end when they are cancelled, and the process goes on", async () => {
    const process = await sh(`head -c ${8 * megabyte} /dev/zero; exit 3`)
    const reader = process.stdout.getReader()
    expect((await reader.read()).done).toBe(false)
    await reader.cancel()
    expect((await reader.read()).done).toBe(true)
    expect(await process.exitCode).toBe(3)
  })

  it("fail for a process that is followed no more, behind what has come", async () => {
    const mine = await connect({ inProcess: true })
    const process = await mine.start({ argv: ["sh", "-c", "echo out; exec sleep 1000"], pipeStdin: true })
    const reader = process.stdout.getReader()
    expect(new TextDecoder().decode((await reader.read()).value)).toBe("out\n")
    await mine.close()
    await expect(reader.read()).rejects.toMatchObject({ reason: "Disconnected" })
    await expect(process.stdin.getWriter().write(new Uint8Array(1))).rejects.toMatchObject({
      reason: "Disconnected",
    })
  })

  it("refuse a write to a process without stdin", async () => {
    const process = await client.start({ argv: ["sleep", "1000"] })
    const writer = process.stdin.getWriter()
    await expect(writer.write(new Uint8Array(1))).rejects.toMatchObject({ reason: "StdinClosed" })
    await process.terminate()
  })
})

/** True if many writes of a megabyte are done in their order. */
const printedAfter = async (writer: { write(bytes: Uint8Array): Promise<void> }) => {
  const done: Array<number> = []
  const all = Array.from({ length: 8 }, (_, index) =>
    writer.write(new Uint8Array(megabyte).fill(10)).then(() => done.push(index)),
  )
  await Promise.all(all)
  return done.join() === "0,1,2,3,4,5,6,7"
}

describe("the lines of a process", () => {
  const linesOf = async (lines: AsyncIterable<string>) => {
    const all: Array<string> = []
    for await (const line of lines) all.push(line)
    return all
  }

  it("are those of each stream, whatever the other one prints between", async () => {
    const process = await sh(
      "printf 'a\\r\\nb'; printf 'E1' >&2; printf 'c\\n'; printf '\\nE2' >&2; printf last",
    )
    await process.closed
    expect(await linesOf(process.lines("stdout"))).toEqual(["a", "bc", "last"])
    expect(await linesOf(process.lines("stderr"))).toEqual(["E1", "E2"])
    expect((await linesOf(process.lines())).sort()).toEqual(["E1", "E2", "a", "bc", "last"])
  })

  it("have a bound", async () => {
    const process = await sh("printf 1234567")
    expect(await linesOf(process.lines("stdout", { maxLineLength: 7 }))).toEqual(["1234567"])
    const long = linesOf(process.lines("stdout", { maxLineLength: 6 }))
    await expect(long).rejects.toMatchObject({ reason: "OutputTooLarge" })
    await expect(linesOf(process.lines("stdout", { maxLineLength: 0 }))).rejects.toMatchObject({
      reason: "InvalidOption",
    })
  })
})
