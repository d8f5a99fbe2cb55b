/** Input of every kind for a process of `run`, over a real server in this program. */
import { createReadStream, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import type { Client } from "../../../core/client/Client.ts"
import type { Input } from "../../../core/client/Input.ts"
import { connect } from "../../testing/Client.ts"

let client: Client
const folder = mkdtempSync(join(tmpdir(), "procwire-input-"))
const file = join(folder, "input")
const bytes = new Uint8Array(3_000_000).map((_, index) => (index * 7919) >> 3)
beforeAll(async () => {
  client = await connect({ inProcess: true })
  writeFileSync(file, bytes)
})
afterAll(async () => {
  await client.close()
  rmSync(folder, { recursive: true })
})

const halves = [bytes.subarray(0, 1_000_001), bytes.subarray(1_000_001)]

async function* later<A>(pieces: Iterable<A>): AsyncGenerator<A> {
  for (const piece of pieces) {
    await Promise.resolve()
    yield piece
  }
}

const stream = (pieces: ReadonlyArray<Uint8Array | string>) =>
  new ReadableStream<Uint8Array | string>({
    start: (controller) => {
      for (const piece of pieces) controller.enqueue(piece)
      controller.close()
    },
  })

describe("the input of run", () => {
  const kinds: Readonly<Record<string, () => Input>> = {
    bytes: () => bytes,
    "a ReadableStream": () => stream(halves),
    "a Blob": () => new Blob([bytes]),
    "a file of the server": () => ({ file }),
    "a stream of Node": () => createReadStream(file),
    "an async iterable": () => later(halves),
    "an array": () => halves,
  }
  for (const [name, input] of Object.entries(kinds)) {
    it(`may be ${name}, of which every byte arrives`, async () => {
      const { stdoutBytes } = await client.run({ argv: ["cat"], input: input() })
      expect(Buffer.compare(stdoutBytes, bytes)).toBe(0)
    })
  }

  it("may be a string, or pieces that are strings", async () => {
    const copied = async (input: Input) => (await client.run({ argv: ["cat"], input })).stdout
    expect(await copied("é\n")).toBe("é\n")
    expect(await copied("")).toBe("")
    expect(await copied(["a", new Uint8Array([98]), "é"])).toBe("abé")
    expect(await copied(later(["a", "b"]))).toBe("ab")
    expect(await copied(stream(["a", "b"]))).toBe("ab")
    expect(await copied([])).toBe("")
  })

  it("is ended when the process ends", async () => {
    const seen = { ended: 0 }
    const endless = (async function* () {
      try {
        for (;;) yield new Uint8Array(65_536)
      } finally {
        seen.ended += 1
      }
    })()
    const { stdout } = await client.run({ argv: ["sh", "-c", "head -c 10 | wc -c"], input: endless })
    expect(stdout.trim()).toBe("10")
    expect(seen.ended).toBe(1)
    let cancelled = 0
    const forever = new ReadableStream<Uint8Array>({
      pull: (controller) => controller.enqueue(new Uint8Array(65_536)),
      cancel: () => void (cancelled += 1),
    })
    await client.run({ argv: ["true"], input: forever })
    expect(cancelled).toBe(1)
  })

  it("is asked for no faster than it is read", async () => {
    const asked = { bytes: 0, most: 0 }
    let read = 0
    const source = (async function* () {
      for (let piece = 0; piece < 320; piece += 1) {
        asked.bytes += 65_536
        asked.most = Math.max(asked.most, asked.bytes - read)
        yield new Uint8Array(65_536)
      }
    })()
    const onOutput = ({ bytes }: { readonly bytes: Uint8Array }) => void (read += bytes.length)
    await client.run({ argv: ["cat"], input: source, onOutput })
    expect(read).toBe(320 * 65_536)
    // 128 writes wait on the server, and the output on its way back.
    expect(asked.most).toBeLessThan(16 * 1024 * 1024)
  })

  it("may never come: the process ends without it", async () => {
    const never = { [Symbol.asyncIterator]: () => ({ next: () => new Promise<never>(() => {}) }) }
    expect(await client.run({ argv: ["true"], input: never })).toMatchObject({ exitCode: 0 })
  })

  it("ends the process where it fails, with the cause", async () => {
    const cause = new Error("the disk is gone")
    const broken = (async function* () {
      yield "a"
      throw cause
    })()
    const message = "the input has failed, and the process was terminated: the disk is gone"
    const running = client.run({ argv: ["sleep", "1000"], processId: "starved", input: broken })
    await expect(running).rejects.toMatchObject({ reason: "InputFailed", message, cause })
    const read = { processId: "starved", afterSeq: 2 ** 40, waitMs: 60_000 }
    expect(await client.call("process/read", read)).toMatchObject({ exited: true, exitCode: 137 })
    const numbers = client.run({ argv: ["cat"], input: [1] as unknown as Input })
    await expect(numbers).rejects.toMatchObject({
      reason: "InputFailed",
      cause: expect.any(TypeError) as TypeError,
    })
    const nowhere = client.run({ argv: ["cat"], input: { file: "/nope" } })
    await expect(nowhere).rejects.toMatchObject({ reason: "Server", code: "ENOENT", rpcCode: -32004 })
  })

  it("is refused where it is none", async () => {
    const expected =
      ": expected a string, a Uint8Array, a Blob, a ReadableStream, an iterable of strings or bytes, or { file: " +
      '"/path/on/the/server" }'
    for (const [input, shown] of [
      [7, "7"],
      [null, "an object"],
      [{ path: "/x" }, "an object"],
      [{ file: 7 }, "an object"],
    ]) {
      const running = client.run({ argv: ["cat"], input: input as Input })
      await expect(running).rejects.toMatchObject({
        reason: "InvalidOption",
        message: `input is ${shown}${expected}`,
      })
    }
  })
})
