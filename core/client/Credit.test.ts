/** The credit that a client grants: to servers that have it and to others, and on the next connection. */
import * as Effect from "effect/Effect"
import { describe, expect, it } from "vitest"
import { effect, pass, settle } from "../testing/Effects.ts"
import { connected, soon } from "../testing/NetworkClient.ts"
import { TestNetwork } from "../testing/TestNetwork.ts"
import * as TestServer from "../testing/TestServer.ts"
import * as ExecClient from "./ExecClient.ts"

const chunk = new Uint8Array(64 * 1024)

interface Sent {
  readonly method: string
  readonly params: { readonly processId?: string; readonly credit?: unknown; readonly bytes?: number }
}

const sentOf = ({ sent }: TestNetwork, ...methods: ReadonlyArray<string>) =>
  sent.map((text) => JSON.parse(text) as Sent).filter(({ method }) => methods.includes(method))

const grantsOf = (network: TestNetwork) => sentOf(network, "process/credit").map(({ params }) => params)

describe("The credit of a process", () => {
  it(
    "is one window at the start, and what is taken from then on",
    effect(function* () {
      const { client, fake, network } = yield* connected()
      const start = { argv: ["x"], processId: "p", credit: 4 * chunk.length }
      const { subscription } = yield* client.startSubscribed(start)
      const child = yield* fake.next
      for (let i = 0; i < 12; i++) child.output("stdout", chunk)
      for (let i = 0; i < 9; i++) yield* settle
      expect(child.paused).toBe(true)
      expect(grantsOf(network)).toEqual([])
      expect(((yield* subscription.next) ?? []).length).toBe(4)
      for (let i = 0; i < 9; i++) yield* settle
      expect(grantsOf(network)).toEqual([{ processId: "p", bytes: 4 * chunk.length }])
      expect(((yield* subscription.next) ?? []).length).toBe(4)
      subscription.close()
      child.finish()
      for (let i = 0; i < 9; i++) yield* settle
      expect(sentOf(network, "process/start")[0]?.params.credit).toBe(4 * chunk.length)
      // A consumer that leaves waits for nothing.
      expect(grantsOf(network).length).toBeGreaterThan(1)
    }),
  )

  it(
    "is not spoken of to a server that does not announce it, nor with null",
    effect(function* () {
      const { fake, connect } = yield* TestServer.make()
      const network = new TestNetwork({ fake, connect }, yield* Effect.scope)
      const client = yield* ExecClient.make(network.open)
      yield* client.start({ argv: ["x"], credit: null })
      expect(sentOf(network, "process/start").map(({ params }) => params.credit)).toEqual([null])
      network.toClient = (text) => text.replace(`"processCredit":true`, `"processCredit":false`)
      const other = yield* ExecClient.make(network.open)
      yield* other.start({ argv: ["x"], credit: 100_000 })
      const children = [yield* fake.next, yield* fake.next]
      for (const child of children) for (let i = 0; i < 40; i++) child.output("stdout", chunk)
      for (let i = 0; i < 20; i++) yield* settle
      expect(sentOf(network, "process/start").map(({ params }) => "credit" in params)).toEqual([true, false])
      expect(grantsOf(network)).toEqual([])
    }),
  )

  it(
    "begins on the next connection with what is free of the window, whatever the last one was granted",
    effect(function* () {
      const { client, fake, network } = yield* connected()
      const options = { argv: ["x"], processId: "p", credit: 4 * chunk.length }
      const { subscription } = yield* client.startSubscribed(options)
      yield* client.start({ argv: ["y"], processId: "free", credit: null })
      const child = yield* fake.next
      for (let i = 0; i < 3; i++) child.output("stdout", chunk)
      for (let i = 0; i < 9; i++) yield* settle
      yield* network.cut
      for (let i = 0; i < 6; i++) child.output("stdout", chunk)
      yield* pass(soon)
      const resumed = sentOf(network, "initialize").at(-1)
      expect(resumed?.params).toMatchObject({ credit: { p: chunk.length } })
      let taken = 0
      for (let i = 0; i < 9; i++) yield* settle
      // One chunk has come on the new connection, and waits with the three of the old one.
      for (const event of (yield* subscription.next) ?? []) taken = event.kind === "output" ? event.seq : 0
      expect(taken).toBe(4)
      child.finish()
      for (let batch = yield* subscription.next; batch !== undefined; batch = yield* subscription.next) {
        for (const event of batch) if (event.kind === "output") expect(event.seq).toBe((taken += 1))
      }
      expect(taken).toBe(9)
    }),
  )

  it(
    "that is refused, by a server that knows the process no more, loses what is left, and nobody waits for it",
    effect(function* () {
      const { client, fake, network } = yield* connected()
      const { subscription } = yield* client.startSubscribed({
        argv: ["x"],
        processId: "p",
        credit: chunk.length,
      })
      const child = yield* fake.next
      for (let i = 0; i < 3; i++) child.output("stdout", chunk)
      child.finish()
      network.toServer = (text) => text.replace(/"p"/, `"forgotten"`)
      for (let i = 0; i < 9; i++) yield* settle
      expect(((yield* subscription.next) ?? []).map((event) => "seq" in event && event.seq)).toEqual([1])
      const [end] = (yield* subscription.next) ?? []
      expect(end).toMatchObject({ kind: "failed", reason: "EventsLost", gone: { from: 2 } })
    }),
  )

  it(
    "is given to a process that is taken over, with nothing but a grant",
    effect(function* () {
      const { fake, connect } = yield* TestServer.make()
      const network = new TestNetwork({ fake, connect }, yield* Effect.scope)
      const first = yield* ExecClient.make(network.open)
      yield* first.start({ argv: ["x"], processId: "p" })
      const child = yield* fake.next
      yield* network.cut
      yield* settle
      const second = yield* ExecClient.make(network.open, { resumeSessionId: first.sessionId })
      const process = yield* second.attach("p")
      expect(grantsOf(network)).toEqual([{ processId: "p", bytes: 1024 * 1024 }])
      const { next } = yield* process.subscribe
      while (!child.paused) {
        child.output("stdout", chunk)
        yield* settle
      }
      for (let i = 0; i < 9; i++) yield* settle
      expect(grantsOf(network).length).toBe(1)
      expect(((yield* next) ?? []).length).toBe(16)
    }),
  )
})
