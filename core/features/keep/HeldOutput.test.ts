/** The replay of a child for the next server: chunks, places and ends, also behind evicted output. */
import { expect, test } from "vitest"
import { HeldOutput } from "./HeldOutput.ts"

const child = () => new HeldOutput(false, { bytes: 1280 * 1024, chunks: 62_500 })

const replayed = (child: HeldOutput) => {
  const told: Array<string> = []
  child.replay({
    skip: (_, seq) => told.push(`skip ${seq}`),
    output: (n, stream, { length }) => told.push(`${n} ${stream} ${length}`),
    end: (stream) => told.push(`end ${stream}`),
    exit: () => told.push("exit"),
  })
  return told
}

const kibibytes = (count: number) => new Uint8Array(count * 1024)

test("an output is cut into chunks of 64 KiB", () => {
  const one = child()
  one.events.output("stdout", kibibytes(150))
  one.events.output("stderr", kibibytes(1))
  expect(replayed(one)).toEqual(["1 stdout 65536", "2 stdout 65536", "3 stdout 22528", "4 stderr 1024"])
})

test("ends and exit stay between the chunks between which they came", () => {
  const one = child()
  one.events.end("stderr")
  one.events.output("stdout", kibibytes(1))
  one.events.exit({ kind: "exited", code: 0 })
  expect(one.ended).toBe(false)
  one.events.output("stdout", kibibytes(2))
  one.events.end("stdout")
  expect(one.ended).toBe(true)
  expect(replayed(one)).toEqual(["end stderr", "1 stdout 1024", "exit", "2 stdout 2048", "end stdout"])
})

test("an exit that a server has told of before a paused output is repeated there", () => {
  const one = child()
  one.events.output("stdout", kibibytes(1))
  one.events.output("stdout", kibibytes(2))
  one.events.end("stdout")
  one.events.exit({ kind: "exited", code: 0 })
  one.exitAfter(1)
  expect(replayed(one)).toEqual(["1 stdout 1024", "exit", "2 stdout 2048", "end stdout"])
})

test("what is retained begins with the seq of its first chunk", () => {
  const one = child()
  const write = (chunks: number) => {
    for (let i = 0; i < chunks; i++) one.events.output("stdout", kibibytes(64))
  }
  write(2)
  one.placed(2, 5)
  one.events.output("stderr", kibibytes(1))
  write(1)
  one.placed(4, 10)
  // 1,280 KiB are 20 chunks of 64 KiB: with 24 more those of before are gone.
  write(24)
  one.placed(20, 40)
  const [skip, first] = replayed(one)
  expect(one.lost).toEqual({ stdout: 7 * 65536, stderr: 1024, pty: 0 })
  expect([skip, first]).toEqual(["skip 15", "9 stdout 65536"])
  expect(replayed(one).filter((line) => line.startsWith("skip"))).toEqual(["skip 15", "skip 40"])
})

test("a place that is told again replaces those behind it", () => {
  const one = child()
  for (let i = 0; i < 3; i++) one.events.output("stdout", kibibytes(1))
  one.placed(2, 7)
  one.placed(3, 20)
  one.placed(2, 9)
  expect(replayed(one).filter((line) => line.startsWith("skip"))).toEqual(["skip 9"])
})

test("a seq that is known before its chunk is told, too", () => {
  const one = child()
  one.events.output("stdout", kibibytes(1))
  one.events.exit({ kind: "exited", code: 0 })
  one.placed(2, 3)
  expect(replayed(one)).toEqual(["1 stdout 1024", "exit", "skip 3"])
  one.events.output("stdout", kibibytes(2))
  expect(replayed(one)).toEqual(["1 stdout 1024", "exit", "skip 3", "2 stdout 2048"])
})
