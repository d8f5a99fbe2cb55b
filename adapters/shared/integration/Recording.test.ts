/** Recordings of real processes, read again here, and by asciinema where it is installed. */
import { execFileSync } from "node:child_process"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Stream from "effect/Stream"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import * as Asciicast from "../../../core/client/asciicast/index.ts"
import type { Client } from "../../../core/client/Client.ts"
import { connect } from "../../testing/Client.ts"

let client: Client
const folder = mkdtempSync(join(tmpdir(), "procwire-recording-"))
beforeAll(async () => {
  client = await connect({ inProcess: true })
})
afterAll(async () => {
  await client.close()
  rmSync(folder, { recursive: true, force: true })
})

const hasAsciinema = (() => {
  try {
    return execFileSync("asciinema", ["--version"], { encoding: "utf8" }).startsWith("asciinema 2")
  } catch {
    return false
  }
})()

/** The recording of a process in a terminal that is resized while it runs, and its chunks. */
const record = (version: 2 | 3) =>
  Effect.gen(function* () {
    const process = yield* client.effect.start({
      argv: ["/bin/sh", "-c", "stty -echo; printf '\\033[1mone 語'; read line; printf 'two\\r\\n'; exit 3"],
      tty: true,
      history: { maxBytes: 1024 * 1024 },
    })
    yield* process.wait({ until: [{ pattern: "語" }] })
    yield* process.resize({ rows: 30, columns: 100 })
    yield* process.write(new TextEncoder().encode("\n"))
    const exitCode = yield* process.exitCode
    yield* process.wait({ until: [{ closed: true }] })
    const { chunks, times = [] } = yield* process.history({ times: true })
    const lines = yield* Stream.runCollect(Asciicast.lines(process, { version, exitCode, term: "xterm" }))
    return { chunks, times, text: lines.join("") }
  }).pipe(Effect.scoped, Effect.runPromise)

describe("a recording", () => {
  it.each([2, 3] as const)(
    "has what the process has printed, exact to the chunk, in version %i",
    async (version) => {
      const { chunks, times, text } = await record(version)
      const { header, events } = Result.getOrThrow(Asciicast.read(text))
      expect(header).toMatchObject({ version, columns: 80, rows: 24, term: "xterm" })
      const [begin = 0] = times
      const output = events.filter(({ kind }) => kind === "output")
      // A chunk may end within a character.
      const decoder = new TextDecoder()
      const wanted = chunks.map(({ chunk }, index) => ({
        kind: "output",
        at: (times[index] ?? 0) - begin,
        text: decoder.decode(chunk, { stream: true }),
      }))
      expect(output).toEqual(wanted.filter(({ text }) => text !== ""))
      const kinds = events.map(({ kind }) => kind)
      const resized = kinds.indexOf("resize")
      expect(events[resized]).toMatchObject({ rows: 30, columns: 100 })
      expect(events[resized + 1]).toMatchObject({ text: expect.stringContaining("two") })
      expect(kinds.slice(output.length + 1)).toEqual(version === 2 ? [] : ["exit"])
    },
  )

  it.skipIf(!hasAsciinema)("is played by asciinema", async () => {
    const { chunks, text } = await record(2)
    const file = join(folder, "x.cast")
    writeFileSync(file, text)
    // It wants a terminal, which shall change nothing.
    const player = await client.start({
      argv: ["/bin/sh", "-c", `stty raw -echo; exec asciinema cat ${file}`],
      tty: true,
      inherit: "all",
      env: { LC_ALL: "C.UTF-8" },
    })
    await player.wait({ until: [{ closed: true }] })
    const played = await player.read()
    const bytesOf = (all: typeof chunks) => Buffer.concat(all.map(({ chunk }) => Buffer.from(chunk)))
    expect(bytesOf(played.chunks).toString("latin1")).toContain(bytesOf(chunks).toString("latin1"))
  })
})
