/** Tests Marks.ts on a server: `process/mark`, and the marks of `process/read`. */
import * as Effect from "effect/Effect"
import { describe, expect, it } from "vitest"
import { effect, settle } from "../../testing/Effects.ts"
import { type Client, type Received, ready, start } from "../../server/testing/Client.ts"

const [prompt, run, failed] = ["\x1b]133;A\x07", "\x1b]133;C\x07", "\x1b]133;D;3\x07"]

/** Events in short: the text of output, the kind of a mark, each behind its seq. */
const short = (messages: ReadonlyArray<Received>) =>
  messages.map(({ method = "", params = {} }) => {
    const { chunk, seq } = params
    const { kind } = params as { readonly kind?: string }
    return `${seq} ${chunk === undefined ? (kind ?? method.slice(8)) : atob(chunk)}`
  })

const started = (params: object) =>
  Effect.gen(function* () {
    const made = yield* ready()
    yield* made.client.ask("process/start", start("p", params))
    return { ...made, child: yield* made.fake.next }
  })

const read = (client: Client, params: object = {}) =>
  Effect.map(
    client.ask("process/read", { processId: "p", ...params }),
    ({ result }) => result as unknown as Read,
  )
interface Read {
  readonly chunks: ReadonlyArray<{ readonly seq: number }>
  readonly marks?: ReadonlyArray<{ readonly seq: number; readonly kind: string }>
  readonly nextSeq: number
}
const seqs = ({ chunks, marks = [] }: Read) => [chunks.map(({ seq }) => seq), marks.map(({ seq }) => seq)]

describe("process/mark", () => {
  it(
    "stands between the output in front of it and the output behind it, in the order of seq",
    effect(function* () {
      const { client, child } = yield* started({ tty: true, marks: true })
      child.output("pty", `${prompt}$ ls\r\n${run}file\r\n${failed}`)
      child.finish(0)
      const messages = yield* client.received
      expect(short(messages)).toEqual([
        `1 ${prompt}`,
        "2 promptStart",
        `3 $ ls\r\n${run}`,
        "4 commandStart",
        `5 file\r\n${failed}`,
        "6 commandEnd",
        "7 exited",
        "8 closed",
      ])
      expect(messages[5]).toEqual({
        method: "process/mark",
        params: { processId: "p", seq: 6, kind: "commandEnd", exitCode: 3, cwd: null },
      })
      const whole = yield* read(client)
      expect(seqs(whole)).toEqual([
        [1, 3, 5],
        [2, 4, 6],
      ])
      expect(whole.marks?.[2]).toEqual({ seq: 6, kind: "commandEnd", exitCode: 3, cwd: null })
      expect(seqs(yield* read(client, { afterSeq: 2 }))).toEqual([
        [3, 5],
        [4, 6],
      ])
      const page = yield* read(client, { maxBytes: 1 })
      expect([...seqs(page), page.nextSeq]).toEqual([[1], [], 2])
      const next = yield* read(client, { afterSeq: 1, maxBytes: 1 })
      expect([...seqs(next), next.nextSeq]).toEqual([[3], [2], 4])
    }),
  )

  it(
    "is told at once, also where nothing follows, and to a long poll",
    effect(function* () {
      const { client, child } = yield* started({ tty: false, marks: true })
      child.output("stdout", failed.slice(0, 5))
      child.output("stderr", prompt)
      expect(short(yield* client.received)).toEqual([`1 ${failed.slice(0, 5)}`, `2 ${prompt}`])
      client.send({ id: 1, method: "process/read", params: { processId: "p", afterSeq: 3, waitMs: 60_000 } })
      child.output("stdout", failed.slice(5))
      const messages = yield* client.received
      expect(short(messages.filter(({ method }) => method !== undefined))).toEqual([
        `3 ${failed.slice(5)}`,
        "4 commandEnd",
      ])
      expect(messages.find(({ id }) => id === 1)?.result).toMatchObject({ marks: [{ seq: 4 }], nextSeq: 5 })
    }),
  )

  it(
    "is not told without marks: true, and no output is cut for it",
    effect(function* () {
      for (const marks of [undefined, null, false]) {
        const { client, child } = yield* started({ tty: true, marks })
        child.output("pty", `${prompt}$ ${run}`)
        expect(short(yield* client.received)).toEqual([`1 ${prompt}$ ${run}`])
        expect(yield* read(client)).not.toHaveProperty("marks")
      }
    }),
  )

  it(
    "is told again once, behind the seq that a resume names",
    effect(function* () {
      const { client, child, connect, sessionId } = yield* started({ tty: true, marks: true })
      child.output("pty", `${prompt}$ ${run}`)
      yield* client.received
      yield* client.transport.close
      yield* settle
      child.output("pty", `x${failed}`)
      const again = yield* connect
      again.send({
        id: 1,
        method: "initialize",
        params: { clientName: "again", resumeSessionId: sessionId, replayAfter: { p: 1 } },
      })
      expect(short((yield* again.received).slice(1))).toEqual([
        "2 promptStart",
        `3 $ ${run}`,
        "4 commandStart",
        `5 x${failed}`,
        "6 commandEnd",
      ])
    }),
  )

  it(
    "is kept as long as its output, and no longer: a flood of marks takes bounded memory",
    effect(function* () {
      const made = yield* ready({}, { limits: { retainedChunks: 100 } })
      yield* made.client.ask("process/start", start("p", { tty: true, marks: true }))
      const child = yield* made.fake.next
      for (let at = 0; at < 50; at++) {
        child.output("pty", prompt.repeat(20))
        yield* made.client.received
      }
      const { chunks, marks = [] } = yield* read(made.client)
      expect(chunks.length).toBe(100)
      expect(marks.length).toBeGreaterThanOrEqual(100)
      expect(marks.length).toBeLessThanOrEqual(202)
      expect(marks.at(-1)?.seq).toBe(2000)
    }),
  )
})
