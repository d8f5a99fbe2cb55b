import * as Effect from "effect/Effect"
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { defaults } from "../protocol/Limits.ts"
import { effect } from "../testing/Effects.ts"
import * as OutputLog from "./OutputLog.ts"
import * as Options from "./Options.ts"
import * as ProcessRegistry from "./ProcessRegistry.ts"
import * as Retention from "./Retention.ts"
import { noStdin, now } from "./testing/Registry.ts"
import * as Fake from "../spawn/Fake.ts"
import { Spawner } from "../spawn/Spawner.ts"

const kibibyte = 1024
const mebibyte = kibibyte * kibibyte

const fill = (log: OutputLog.OutputLog, bytes: number, mark = 0) => {
  for (let left = bytes; left > 0; left -= 16 * kibibyte) {
    log.append("stdout", new Uint8Array(Math.min(left, 16 * kibibyte)).fill(mark))
  }
}

/** Logs that share so much memory, of 256 KiB each. */
const logs = (limit: number, count: number) => {
  const retention = Retention.make(limit)
  const limits = { bytes: 256 * kibibyte, chunks: 50_000 }
  return { retention, logs: Array.from({ length: count }, () => OutputLog.make(limits, retention)) }
}

const held = (all: ReadonlyArray<OutputLog.OutputLog>) => all.map((log) => log.size().bytes / kibibyte)

describe("Retention", () => {
  it("counts the memory of every log, and no longer that of one that is forgotten", () => {
    const { retention, logs: all } = logs(Infinity, 3)
    for (const log of all) fill(log, 100 * kibibyte)
    const sum = all.reduce((sum, log) => sum + log.size().reserved, 0)
    expect(retention.total()).toBe(sum)
    all[0]?.leave()
    fill(all[0]!, 256 * kibibyte)
    expect(retention.total()).toBe(sum - (all[1]?.size().reserved ?? 0))
  })

  it("takes from those that were closed first, then from those that were silent longest", () => {
    const { logs: all } = logs(4.7 * 256 * kibibyte, 6)
    for (const log of all.slice(0, 4)) fill(log, 256 * kibibyte)
    all[2]?.finish()
    all[1]?.finish()
    fill(all[4]!, 256 * kibibyte)
    expect(held(all)).toEqual([256, 256, 0, 256, 256, 0])
    fill(all[5]!, 256 * kibibyte)
    expect(held(all)).toEqual([256, 0, 0, 256, 256, 256])
    fill(all[0]!, 16 * kibibyte)
    fill(all[1]!, 256 * kibibyte)
    expect(held(all)).toEqual([256, 256, 0, 128, 256, 256])
  })

  it("takes nothing that an attached reader has yet to get", () => {
    const { retention, logs: all } = logs(256 * kibibyte, 2)
    const cursor = all[0]?.attach(0)
    fill(all[0]!, 256 * kibibyte)
    fill(all[1]!, 256 * kibibyte)
    expect(held(all)[0]).toBe(256)
    cursor?.advance(16)
    fill(all[1]!, 256 * kibibyte)
    expect(held(all)[0]).toBeLessThanOrEqual(128)
    expect(retention.total()).toBeLessThan(2 * 256 * kibibyte)
  })

  it("leaves the newest of an open log, with the seq that it had", () => {
    const { logs: all } = logs(660 * kibibyte, 3)
    fill(all[0]!, 256 * kibibyte, 7)
    for (const log of all.slice(1)) fill(log, 256 * kibibyte)
    const first = all[0]?.after(0)
    expect(first).toMatchObject({ seq: 9, bytes: new Uint8Array(16 * kibibyte).fill(7) })
    expect(all[0]?.nextSeq()).toBe(17)
  })

  it("stays below the limit and counts right, whatever is written, closed, read and forgotten", () => {
    const step = fc.record({
      log: fc.nat(9),
      what: fc.constantFrom("write", "write", "write", "finish", "leave", "attach", "read"),
      bytes: fc.integer({ min: 1, max: 200 * kibibyte }),
    })
    fc.assert(
      fc.property(fc.array(step, { maxLength: 200 }), (steps) => {
        const { retention, logs: all } = logs(512 * kibibyte, 10)
        const gone = new Set<OutputLog.OutputLog>()
        const done = new Set<OutputLog.OutputLog>()
        const finish = (log: OutputLog.OutputLog) => void (done.add(log), log.finish())
        const leave = (log: OutputLog.OutputLog) => void (gone.has(log) || (gone.add(log), log.leave()))
        const cursors = new Map<OutputLog.OutputLog, OutputLog.Cursor>()
        for (const { log: index, what, bytes } of steps) {
          const log = all[index]!
          if (what === "write" && !done.has(log)) log.append("stdout", new Uint8Array(bytes))
          if (what === "finish") finish(log)
          if (what === "leave") leave(log)
          if (what === "attach") cursors.set(log, cursors.get(log) ?? log.attach(log.nextSeq() - 1))
          if (what === "read") cursors.get(log)?.advance(log.nextSeq() - 1)
          const counted = all.filter((log) => !gone.has(log))
          const reserved = counted.reduce((sum, log) => sum + log.size().reserved, 0)
          expect(retention.total()).toBe(reserved)
          const pinned = [...cursors.values()].reduce((sum, cursor) => sum + cursor.lag(), 0)
          if (pinned === 0) expect(reserved).toBeLessThanOrEqual(512 * kibibyte)
        }
      }),
      { numRuns: 200 },
    )
  })

  it("asks a bounded number of logs per step, however many are held by readers", () => {
    const retention = Retention.make(0)
    let asked = 0
    const log = (): Retention.Retained => ({ reserved: () => 1, shed: () => void (asked += 1) })
    for (let index = 0; index < 2_000; index++) retention.changed(log(), 1)
    expect(asked).toBeLessThanOrEqual(32 * 10_000)
    asked = 0
    retention.changed(log(), 1)
    expect(asked).toBe(32)
  })
})

describe("ProcessRegistry", () => {
  it(
    "keeps the output of 2,000 finished processes within the limit, and every exit code readable",
    effect(function* () {
      const limits = { ...defaults, retainedTotal: 4 * mebibyte, startBurst: 2_000 }
      const shared = Options.share(limits)
      const fake = yield* Fake.make()
      const spawner = yield* Effect.provide(Spawner, fake.layer)
      const registry = yield* ProcessRegistry.make(spawner, { ...Options.defaultOptions, limits }, shared)
      for (let index = 0; index < 2_000; index++) {
        const process = yield* registry.start(`${index}`, noStdin)
        process.release()
        const child = fake.children[index]
        child?.output("stdout", new Uint8Array(8 * kibibyte))
        child?.finish(index % 256)
        yield* Effect.yieldNow
        expect(shared.retention.total()).toBeLessThanOrEqual(4 * mebibyte)
      }
      expect(yield* registry.read("3", now)).toMatchObject({
        chunks: [],
        exitCode: 3,
        closed: true,
        nextSeq: 4,
      })
      expect((yield* registry.read("1999", now)).chunks.length).toBe(1)
    }),
  )
})
