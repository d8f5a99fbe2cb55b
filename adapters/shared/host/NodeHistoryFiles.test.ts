// NodeHistoryFiles: a history in real files, of which the writes fail as those on a full disk do.
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as Effect from "effect/Effect"
import { expect, it, onTestFinished } from "vitest"
import { Batch, toPool } from "../../../core/features/history/Batch.ts"
import { Budget } from "../../../core/features/history/Budget.ts"
import { type Folder, HistoryError } from "../../../core/features/history/HistoryFiles.ts"
import * as Recovery from "../../../core/features/history/Recovery.ts"
import { Segments } from "../../../core/features/history/Segments.ts"
import * as NodeHistoryFiles from "./NodeHistoryFiles.ts"

const sizeOf = (folder: string) =>
  readdirSync(folder).reduce((sum, name) => sum + statSync(join(folder, name)).size, 0)

/** The folder, on a disk of so many bytes: a write takes what fits, and fails. */
const small = (folder: Folder, capacity: number): Folder => ({
  ...folder,
  create: (name) =>
    Effect.map(folder.create(name), (file) => ({
      ...file,
      append: (bytes) =>
        Effect.suspend(() => {
          const room = capacity - sizeOf(folder.name)
          if (bytes.length <= room) return file.append(bytes)
          const full = new HistoryError({ reason: "Full", message: "planted" })
          return Effect.andThen(file.append(bytes.subarray(0, Math.max(0, room))), Effect.fail(full))
        }),
    })),
})

it("has the newest output whole where writes fail for want of room, each of them in part", async () => {
  const path = mkdtempSync(join(tmpdir(), "procwire-history-files-test-"))
  onTestFinished(() => rmSync(path, { recursive: true }))
  const folder = NodeHistoryFiles.toFolder(path)
  const { end, kept, lost } = await Effect.runPromise(
    Effect.gen(function* () {
      const segments = new Segments(small(folder, 500_000), 64 * 1024 * 1024, new Budget(Infinity))
      for (let n = 0; n < 300; n += 1) {
        const batch = new Batch(1024 * 1024, toPool())
        const bytes = new TextEncoder().encode(`${String(n).padStart(9_999, "x")}\n`)
        batch.add({ kind: "output", seq: n + 1, stream: "stdout", bytes }, n * 10_000, n, 0)
        yield* segments.append(batch)
        expect(sizeOf(path)).toBeLessThanOrEqual(500_000)
      }
      yield* segments.close
      const { cutBytes, ...recovered } = yield* Recovery.recover(folder)
      expect(cutBytes).toBe(0)
      return { ...recovered, lost: segments.lost }
    }),
  )
  expect(end).toEqual({ byte: 3_000_000, line: 300 })
  const begin = kept[0]?.first.byte ?? 0
  expect(end.byte - begin).toBeGreaterThan(300_000)
  expect(lost).toEqual({ bytes: begin, message: "planted" })
  const outputs = readdirSync(path).filter((name) => name.endsWith(".out"))
  const lines = outputs
    .sort()
    .flatMap((name) => readFileSync(join(path, name), "utf8").split("\n").slice(0, -1))
  expect(lines.map((line) => Number(line.replace(/^x*/, "")))).toEqual(
    lines.map((_, index) => begin / 10_000 + index),
  )
})
