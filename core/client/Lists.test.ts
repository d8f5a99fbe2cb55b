/** `list` and `listSessions`, as streams and as async iterables. */
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { describe, expect, it } from "vitest"
import { effect } from "../testing/Effects.ts"
import { connected } from "../testing/NetworkClient.ts"
import * as MutePeer from "../testing/MutePeer.ts"
import * as Client from "./Client.ts"
import * as ExecClient from "./ExecClient.ts"
import * as Lists from "./Lists.ts"

const collect = async <A>(rows: AsyncIterable<A>): Promise<ReadonlyArray<A>> => {
  const found: Array<A> = []
  for await (const row of rows) found.push(row)
  return found
}

const numbers = Array.from({ length: 250 }, (_, at) => at)

describe("list", () => {
  it(
    "gives the rows of all pages, in both faces",
    effect(function* () {
      const { client } = yield* connected()
      for (const at of numbers) {
        const name = at % 2 === 0 ? "even" : "odd"
        yield* client.start({ argv: ["x"], processId: `p${at}`, name, labels: { at: String(at) } })
      }
      const face = Client.fromEffect(client, Effect.void)
      const rows = yield* Stream.runCollect(client.list())
      expect(rows.map(({ processId }) => processId)).toEqual(numbers.map((at) => `p${at}`))
      expect(rows[3]).toMatchObject({ name: "odd", labels: { at: "3" }, argv: ["x"], state: "running" })
      const promised = yield* Effect.promise(() => collect(face.list()))
      expect(promised).toEqual(rows)
      const odd = yield* Effect.promise(() => collect(face.list({ name: "odd", states: ["running"] })))
      expect(odd.length).toBe(125)
      const own = yield* Effect.promise(() => collect(face.listSessions()))
      expect(own).toMatchObject([{ session: 1, own: true, processes: 250 }])
      expect(yield* Stream.runCollect(client.listSessions())).toEqual(own)
    }),
  )

  it(
    "asks for no page that is not wanted",
    effect(function* () {
      const { client } = yield* connected()
      for (const at of numbers) yield* client.start({ argv: ["x"], processId: `p${at}` })
      const face = Client.fromEffect(client, Effect.void)
      let calls = 0
      const { call } = client
      const counting: typeof call = (method, params) => {
        calls += 1
        return call(method, params)
      }
      const list: typeof client.list = (options) => Lists.processes(counting, options)
      const counted = Client.fromEffect({ ...client, list }, Effect.void)
      yield* Effect.promise(async () => {
        for await (const { processId } of counted.list()) if (processId === "p100") break
      })
      expect(calls).toBe(2)
      expect((yield* Effect.promise(() => collect(face.list({ labels: { no: "one" } })))).length).toBe(0)
    }),
  )

  it(
    "refuses options that there are not, and says why the server refuses one",
    effect(function* () {
      const { client } = yield* connected()
      const wrong: object = { label: {} }
      expect(yield* Effect.flip(Stream.runDrain(client.list(wrong)))).toMatchObject({
        reason: "InvalidOption",
        message: expect.stringContaining("list has no option 'label': did you mean 'labels'?") as string,
      })
      expect(yield* Effect.flip(Stream.runDrain(client.listSessions({ name: "x" } as object)))).toMatchObject(
        {
          reason: "InvalidOption",
        },
      )
      expect(yield* Effect.flip(Stream.runDrain(client.list({ sessions: "all" })))).toMatchObject({
        reason: "Server",
        code: -32602,
        message: expect.stringContaining("--list-sessions all") as string,
      })
    }),
  )

  it(
    "lets a start with a name or labels be refused where the server cannot keep them",
    effect(function* () {
      const { transport } = yield* MutePeer.make
      const client = yield* ExecClient.make(transport)
      for (const [option, value] of Object.entries({ name: "x", labels: {} }))
        expect(yield* Effect.flip(client.start({ argv: ["x"], [option]: value }))).toMatchObject({
          reason: "InvalidOption",
          message: `${option} needs a server with the capability processList, which this one lacks`,
        })
    }),
  )
})
