/** Receipts from the child to the consumer: what they tell, and that they tell of a chunk that any layer loses. */
import { createHash } from "node:crypto"
import * as Effect from "effect/Effect"
import * as Latch from "effect/Latch"
import * as Fiber from "effect/Fiber"
import { afterEach, describe, expect, it, vi } from "vitest"
import { Tally } from "./client.ts"
import * as ExecClient from "../../client/ExecClient.ts"
import { TestNetwork } from "../../testing/TestNetwork.ts"
import * as TestServer from "../../testing/TestServer.ts"
import type { Sequenced } from "../../client/ProcessEvent.ts"
import { ReorderBuffer } from "../../client/EventRecovery.ts"
import { Ring } from "../../process/Ring.ts"
import { current } from "../../protocol/dialect/current.ts"
import { Hasher, type HasherService, portable } from "../../protocol/Hasher.ts"
import { effect, pass, settle } from "../../testing/Effects.ts"
import { connected, eventsOf, soon } from "../../testing/NetworkClient.ts"

const sha256 = (text: string) => createHash("sha256").update(text).digest("hex")
const start = { argv: ["x"], processId: "p", receipt: true }
const stream = (text: string, chunks: number, firstSeq: number, lastSeq: number) => ({
  bytes: text.length,
  sha256: sha256(text),
  chunks,
  firstSeq,
  lastSeq,
  unreadBytes: 0,
})
const empty = { bytes: 0, sha256: sha256(""), chunks: 0, unreadBytes: 0 }

/** Lets three chunks, the exit and the end of a process arrive, and whatever has to be fetched again. */
const play = Effect.fnUntraced(function* ({ client, fake }: Effect.Success<ReturnType<typeof connected>>) {
  const process = yield* client.start(start)
  const child = yield* fake.next
  for (const text of ["one\n", "two\n", "three\n"]) {
    child.output("stdout", text)
    yield* settle
  }
  child.finish()
  yield* pass(2 * soon)
  return process
})

const yes = Latch.makeUnsafe(true)

/** A server whose ring has only the last chunk: what was delivered cannot be read again. */
const forgetful = { limits: { retainedChunks: 1 } }

afterEach(() => vi.restoreAllMocks())

describe("A receipt", () => {
  it(
    "has the bytes, hash, chunks and seqs of each stream, and times",
    effect(function* () {
      const { client, fake } = yield* connected()
      const process = yield* client.start(start)
      const child = yield* fake.next
      child.output("stdout", "a")
      child.output("stderr", "bb")
      child.output("stdout", "ccc")
      yield* pass(1500)
      const usage = { userCpuMicros: 5, peakMemory: { bytes: 7, exact: true }, coreDumped: true }
      child.finish({ kind: "signaled", signal: 11 }, usage)
      expect(yield* process.receipt).toEqual({
        complete: true,
        receipt: {
          streams: { stdout: stream("accc", 2, 1, 3), stderr: stream("bb", 1, 2, 2) },
          endedBy: "signal",
          signal: 11,
          ...usage,
          startedAtMs: 0,
          endedAtMs: 1500,
        },
      })
      expect((yield* eventsOf(process)).at(-1)).toMatchObject({
        kind: "closed",
        receipt: { endedBy: "signal" },
      })
    }),
  )

  it(
    "comes for a PTY and for a process without output, and not without being asked for",
    effect(function* () {
      const { client, fake } = yield* connected()
      const terminal = yield* client.start({ argv: ["x"], tty: true, receipt: true })
      ;(yield* fake.next).finish(3)
      expect(yield* terminal.receipt).toMatchObject({ receipt: { streams: { pty: empty }, endedBy: "exit" } })
      const plain = yield* client.start({ argv: ["x"] })
      ;(yield* fake.next).finish()
      expect((yield* eventsOf(plain)).at(-1)).toEqual({ kind: "closed", seq: 2 })
      expect(yield* Effect.flip(plain.receipt)).toMatchObject({ reason: "InvalidOption" })
    }),
  )

  it(
    "says who has ended the process",
    effect(function* () {
      const { client, fake } = yield* connected()
      const endedBy = Effect.fnUntraced(function* (
        end: (child: (typeof fake.children)[number]) => Effect.Effect<unknown>,
      ) {
        const process = yield* client.startSubscribed({ argv: ["x"], receipt: true })
        yield* end(yield* fake.next)
        return (yield* process.process.receipt).receipt?.endedBy
      })
      const terminate = (id: string) => client.call("process/terminate", { processId: id })
      expect(yield* endedBy((child) => Effect.sync(() => child.finish(137)))).toBe("exit")
      expect(
        yield* endedBy((child) => Effect.sync(() => child.finish({ kind: "signaled", signal: 9 }))),
      ).toBe("signal")
      const killed = yield* client.start({ argv: ["x"], receipt: true })
      yield* fake.next
      yield* terminate(killed.id)
      expect((yield* killed.receipt).receipt?.endedBy).toBe("terminate")
      // It ended by itself before the kill arrived.
      const quick = yield* client.start({ argv: ["x"], receipt: true })
      const child = yield* fake.next
      child.mortal = false
      yield* terminate(quick.id)
      child.finish(0)
      expect((yield* quick.receipt).receipt?.endedBy).toBe("exit")
      const limited = yield* client.start({ argv: ["x"], receipt: true })
      const over = { endedBy: "limit", limit: "mem", oomKilled: true } as const
      ;(yield* fake.next).finish({ kind: "signaled", signal: 9 }, over)
      expect((yield* limited.receipt).receipt).toMatchObject(over)
      const timed = { endedBy: "timeout" } as const
      expect(yield* endedBy((child) => Effect.sync(() => child.finish(1, timed)))).toBe("timeout")
    }),
  )

  it(
    "counts what left the ring before any client had it",
    effect(function* () {
      const { client, fake, network } = yield* connected({}, {}, { limits: { retainedChunks: 2 } })
      const process = yield* client.start(start)
      const child = yield* fake.next
      child.output("stdout", "got")
      yield* pass(1)
      yield* network.cut
      for (const text of ["lost", "lost too", "kept", "kept"]) {
        child.output("stdout", text)
        yield* settle
      }
      network.reachable = false
      yield* pass(30_000)
      expect(yield* Effect.flip(process.receipt)).toMatchObject({ reason: "Disconnected" })
      network.reachable = true
      const other = yield* ExecClient.make(network.open, { resumeSessionId: client.sessionId })
      const again = yield* other.attach("p", 3, { receipt: true })
      child.finish()
      const delivery = yield* again.receipt
      expect(delivery).toMatchObject({ complete: false, missing: [{ from: 1, to: 3 }] })
      expect(delivery.receipt?.streams.stdout).toEqual({
        ...stream("gotlostlost tookeptkept", 5, 1, 5),
        unreadBytes: "lostlost too".length,
      })
    }),
  )

  for (const replays of [true, false]) {
    it(
      `survives a lost connection ${replays ? "with a replay" : "through process/read"}`,
      effect(function* () {
        const { client, fake, network } = yield* connected({ replays })
        const process = yield* client.start(start)
        const child = yield* fake.next
        child.output("stdout", "a")
        yield* settle
        yield* network.cut
        child.output("stdout", "b")
        child.finish()
        yield* pass(soon)
        const streams = { stdout: stream("ab", 2, 1, 2), stderr: empty }
        expect(yield* process.receipt).toMatchObject({ complete: true, receipt: { streams } })
      }),
    )
  }

  it(
    "is refused by the client where the server cannot give one",
    effect(function* () {
      const { fake, connect } = yield* TestServer.make()
      const network = new TestNetwork({ fake, connect }, yield* Effect.scope)
      network.toClient = (text) => text.replace(`"processReceipt":true`, `"processReceipt":false`)
      const client = yield* ExecClient.make(network.open)
      expect(yield* Effect.flip(client.start(start))).toMatchObject({ reason: "InvalidOption" })
      expect(fake.children).toEqual([])
    }),
  )
})

describe("A chunk that is dropped", () => {
  // guards: receipt, whole-output
  it(
    "between the child and the log makes its stream differ",
    effect(function* () {
      const append = Ring.prototype.append
      let appends = 0
      vi.spyOn(Ring.prototype, "append").mockImplementation(function (this: Ring, ...given) {
        appends += 1
        if (appends !== 2) append.apply(this, given)
      })
      const process = yield* play(yield* connected())
      const missing = [{ from: 1, to: 2, stream: "stdout" }]
      const stdout = { bytes: 14, chunks: 2 }
      expect(yield* process.receipt).toMatchObject({
        complete: false,
        missing,
        receipt: { streams: { stdout } },
      })
    }),
  )

  it(
    "between the log and the connection is named, or was fetched again",
    effect(function* () {
      const { events } = current
      vi.spyOn(current, "events").mockImplementation((id) => {
        const encode = events(id)
        return (event) => (event.seq === 2 ? undefined : encode(event))
      })
      const lost = yield* play(yield* connected({}, {}, forgetful))
      expect(yield* lost.receipt).toEqual({ complete: false, missing: [{ from: 2, to: 2 }] })
      const found = yield* play(yield* connected())
      const streams = { stdout: stream("one\ntwo\nthree\n", 3, 1, 3), stderr: empty }
      expect(yield* found.receipt).toMatchObject({ complete: true, receipt: { streams } })
    }),
  )

  it(
    "by the transport is named",
    effect(function* () {
      const setup = yield* connected({}, {}, forgetful)
      setup.network.toClient = (text) => (text.includes(`"seq":2,`) ? undefined : text)
      const process = yield* play(setup)
      expect(yield* process.receipt).toEqual({ complete: false, missing: [{ from: 2, to: 2 }] })
    }),
  )

  it(
    "or changed by the transport makes its stream differ",
    effect(function* () {
      const setup = yield* connected()
      setup.network.toClient = (text) => text.replace(btoa("two\n"), btoa("to0\n"))
      const process = yield* play(setup)
      const missing = [{ from: 1, to: 3, stream: "stdout" }]
      expect(yield* process.receipt).toMatchObject({ complete: false, missing })
    }),
  )

  // guards: receipt
  it(
    "in the client is named",
    effect(function* () {
      interface Inside {
        last: number
        deliver(event: Sequenced): void
      }
      const inside = ReorderBuffer.prototype as unknown as Inside
      const { deliver } = inside
      vi.spyOn(inside, "deliver").mockImplementation(function (this: Inside, event) {
        if (event.seq === 2) this.last = 2
        else deliver.call(this, event)
      })
      const process = yield* play(yield* connected())
      expect(yield* process.receipt).toMatchObject({ complete: false, missing: [{ from: 2, to: 2 }] })
    }),
  )

  it(
    "by a consumer is named by its own tally",
    effect(function* () {
      const process = yield* play(yield* connected())
      const events = yield* eventsOf(process)
      const whole = new Tally()
      const part = new Tally()
      for (const event of events) {
        whole.add(event)
        if (event.kind !== "output" || event.seq !== 2) part.add(event)
      }
      expect(yield* whole.compare).toMatchObject({ complete: true })
      expect(yield* part.compare).toMatchObject({ complete: false, missing: [{ from: 2, to: 2 }] })
    }),
  )
})

describe("A hasher that has no room now and then", () => {
  it(
    "is waited for, and gets every byte once",
    effect(function* () {
      const latches: Array<Latch.Latch> = []
      const grudging: HasherService = {
        sha256: () => {
          const hash = portable.sha256()
          let room = yes
          return {
            ...hash,
            update: (bytes) => {
              if (room === yes) {
                room = Latch.makeUnsafe(false)
                latches.push(room)
                return false
              }
              room = yes
              return hash.update(bytes)
            },
            room: Effect.suspend(() => room.await),
          }
        },
      }
      const setup = yield* Effect.provideService(connected(), Hasher, grudging)
      const playing = yield* Effect.forkChild(play(setup))
      for (let i = 0; i < 50; i++) {
        yield* pass(1)
        for (const latch of latches.splice(0)) yield* latch.open
      }
      yield* pass(soon)
      const process = yield* Fiber.join(playing)
      const receipt = yield* Effect.forkChild(process.receipt)
      for (let i = 0; i < 20; i++) {
        yield* pass(1)
        for (const latch of latches.splice(0)) yield* latch.open
      }
      const streams = { stdout: stream("one\ntwo\nthree\n", 3, 1, 3) }
      expect(yield* Fiber.join(receipt)).toMatchObject({ complete: true, receipt: { streams } })
    }),
  )
})
