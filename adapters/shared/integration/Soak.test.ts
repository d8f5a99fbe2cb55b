/**
 * Server, client and resumption together: three children whose output is checked byte for byte, readers of three
 * speeds, and a connection that is cut at random moments: half of the time on the client's side alone. `npm run lab --
 * soak` runs it for ten minutes.
 */
import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { setTimeout as sleep } from "node:timers/promises"
import * as Effect from "effect/Effect"
import * as Random from "effect/Random"
import { afterEach, describe, expect, it } from "vitest"
import type { ClientProcess } from "../../../core/client/Client.ts"
import type { Status } from "../../../core/client/Reconnect.ts"
import { connect } from "../../testing/Client.ts"
import { command } from "../../testing/Runtime.ts"
import { CuttingProxy } from "../testing/CuttingProxy.ts"

const seconds = Number(process.env["PROCWIRE_SOAK_SECONDS"] ?? 12)
const seed = Number(process.env["PROCWIRE_SOAK_SEED"] ?? 1)

/** Bytes that come at least between every third cut and the next: connections to a busy machine bring little. */
const leastBytes = 6 * 1024 * 1024

const [program, ...main] = command

/** Prints a number of bytes at a rate: 32-bit words that count up, with the number of the child in the top bits. */
const printer = `
const [id, rate, total] = process.argv.slice(1).map(Number)
const began = Date.now()
let n = 0
const words = (count) => {
  const all = new Uint32Array(count)
  for (let i = 0; i < count; i++) all[i] = ((id << 28) | n++) >>> 0
  return Buffer.from(all.buffer)
}
const go = () => {
  const due = Math.min(total, rate * (Date.now() - began) / 1000) - n * 4
  if (n * 4 >= total) return
  if (due < 4) return setTimeout(go, 5)
  const more = process.stdout.write(words(Math.min(due >> 2, 16384)))
  if (more) setImmediate(go)
  else process.stdout.once("drain", go)
}
go()
`

/** Compares output, as it arrives, with what the child of that number prints. */
const checker = (id: number) => {
  let at = 0
  let expected = Buffer.alloc(0)
  let from = 0
  return {
    length: () => at,
    take: (bytes: Uint8Array) => {
      for (let done = 0; done < bytes.length;) {
        if (at >= from + expected.length) {
          from = at - (at % 4)
          const words = Uint32Array.from({ length: 16_384 }, (_, i) => ((id << 28) | (from / 4 + i)) >>> 0)
          expected = Buffer.from(words.buffer)
        }
        const size = Math.min(bytes.length - done, from + expected.length - at)
        const wanted = expected.subarray(at - from, at - from + size)
        const same = wanted.equals(bytes.subarray(done, done + size))
        if (!same)
          throw new Error(`child ${id}: another byte than was printed, between ${at} and ${at + size}`)
        at += size
        done += size
      }
    },
  }
}

let server: ChildProcess | undefined
let proxy: CuttingProxy | undefined
afterEach(() => {
  proxy?.close()
  server?.kill("SIGKILL")
})

const serve = async (...flags: ReadonlyArray<string>): Promise<CuttingProxy> => {
  const started = spawn(program, [...main, "serve", ...flags], { stdio: ["ignore", "pipe", "inherit"] })
  server = started
  const [line] = (await once(started.stdout, "data")) as [Buffer]
  return (proxy = await CuttingProxy.make(line.toString().trim()))
}

const print = (id: number, rate: number, total: number) => ({
  argv: ["node", "-e", printer, String(id), String(rate), String(total)],
})

describe("soak", () => {
  it(
    `compares every byte of three children over a connection that is cut again and again, for ${seconds} s`,
    async () => {
      const random = Effect.runSync(Random.withSeed(Random.Random, seed))
      // A machine may be so busy that output is read long after its child has ended, and connecting takes many cuts.
      const patient = ["--retention-ms", "600000", "--detached-ttl-ms", "600000"]
      // In a short run it holds all that the fastest child prints, however little the connections bring meanwhile.
      const way = await serve("--retained-bytes", String(128 * 1024 * 1024), ...patient)
      const statuses: Array<Status["kind"]> = []
      const client = await connect(
        { url: way.url },
        { onStatus: ({ kind }) => statuses.push(kind), reconnect: { window: "10 minutes" } },
      )
      const rates = [8_000_000, 2_000_000, 200_000]
      const pauses = [() => 0, () => 1, () => random.nextDoubleUnsafe() * 200]
      let got = 0
      const read = async (child: ClientProcess, id: number) => {
        const { take, length } = checker(id)
        let due = 0
        for await (const bytes of child.output("stdout")) {
          take(bytes)
          got += bytes.length
          if (length() < due) continue
          due = length() + 64 * 1024
          const pause = pauses[id]?.() ?? 0
          if (pause > 0) await sleep(pause)
        }
        return [length(), await child.exitCode]
      }
      // Before the first cut: a start whose connection is cut fails.
      const children = await Promise.all(
        rates.map((rate, id) => client.start(print(id, rate, rate * seconds))),
      )
      const all = Promise.all(children.map(read))
      let over = false
      const finished = all.finally(() => (over = true))
      const longest = seconds > 60 ? 4000 : 700
      let before = 0
      for (let round = 1; !over; round++) {
        await Promise.race([sleep(100 + random.nextDoubleUnsafe() * longest), finished])
        if (round % 3 === 0) {
          while (!over && got < before + leastBytes) await Promise.race([sleep(20), finished])
          before = got
        }
        if (over) break
        if (random.nextDoubleUnsafe() < 0.5) way.cut()
        else way.strand()
      }
      expect(await all).toEqual(rates.map((rate) => [rate * seconds, 0]))
      expect(way.cuts).toBeGreaterThan(seconds > 60 ? 100 : seconds / 2)
      expect(statuses.filter((kind) => kind === "failed")).toEqual([])
      process.stdout.write(`soak: ${way.cuts} cuts, ${rates.reduce((a, b) => a + b) * seconds} bytes\n`)
      await client.close()
    },
    seconds * 4000 + 300_000,
  )

  it("reports what is gone when the ring is too small for an outage, and keeps every byte before", async () => {
    const way = await serve("--retained-bytes", "65536")
    const client = await connect({ url: way.url })
    const child = await client.start(print(5, 20_000_000, 2 ** 31))
    const { take, length } = checker(5)
    const failure = await (async () => {
      let cut = false
      for await (const event of child) {
        if (event.kind === "failed") return event
        if (event.kind === "output") take(event.bytes)
        if (length() > 1_000_000 && !cut) {
          cut = true
          way.cut()
        }
      }
      return undefined
    })()
    expect(failure).toMatchObject({
      reason: "EventsLost",
      message: expect.stringMatching(/no longer retained .* \(\d+ to \d+ are gone\)/),
      gone: { from: expect.any(Number), to: expect.any(Number) },
    })
    await expect(child.exitCode).rejects.toMatchObject({ reason: "EventsLost" })
    // The server was asked to end the process: the session has no running process of that id.
    expect(
      await client.call("process/read", { processId: child.id, afterSeq: 2 ** 40, waitMs: 5000 }),
    ).toMatchObject({
      exited: true,
      exitCode: 137,
    })
    await client.close()
  })

  it("gives up clearly when the session is gone", async () => {
    const way = await serve("--detached-ttl-ms", "50")
    const client = await connect({ url: way.url }, { reconnect: { firstPause: "400 millis" } })
    const child = await client.start({ argv: ["sleep", "1000"] })
    way.cut()
    await expect(child.exitCode).rejects.toMatchObject({
      reason: "Disconnected",
      message: expect.stringContaining(`unknown session id ${client.sessionId}`),
    })
    expect((await client.disconnected).message).toContain("failed to resume exec-server session")
  })

  it("does not reconnect when it is told not to", async () => {
    const way = await serve()
    const client = await connect({ url: way.url }, { reconnect: false })
    const child = await client.start({ argv: ["sleep", "1000"] })
    way.cut()
    await expect(child.exitCode).rejects.toMatchObject({
      message: "exec-server transport disconnected: the peer closed the connection",
    })
  })
})
