/** Secrets in the server: wherever a value could leave, its name does. */
import * as Effect from "effect/Effect"
import { describe, expect, it } from "vitest"
import { effect, pass, settle } from "../../testing/Effects.ts"
import * as SpanRecorder from "../../testing/SpanRecorder.ts"
import { fromBase64, toBase64, utf8, utf8Decoder } from "../../protocol/Bytes.ts"
import * as Result from "effect/Result"
import { error, handshake, make, ready, type Received, start } from "../../server/testing/Client.ts"
import type { AuditLog } from "../../server/audit/AuditLog.ts"
import { SpawnError } from "../../spawn/SpawnError.ts"
import * as FakeKeeper from "../keep/FakeKeeper.ts"
import * as Fake from "../../spawn/Fake.ts"
import { Spawner } from "../../spawn/Spawner.ts"
import * as Masking from "./Masking.ts"
import { formsOf } from "./Secrets.ts"

const value = "hunter22+/é"
const secrets = { TOKEN: { value } }

const decoder = utf8Decoder()
const textOf = (all: ReadonlyArray<Received>) =>
  all
    .flatMap(({ method, params }) => (method === "process/output" ? [params?.chunk ?? ""] : []))
    .map((chunk) => decoder.decode(Result.getOrThrow(fromBase64(chunk))))
    .join("")

/** No form of the value is in anything that was told, be it as base64. */
const expectNone = (told: unknown) => {
  const text = JSON.stringify(told)
  for (const form of formsOf({ value })) expect(text).not.toContain(JSON.stringify(form).slice(1, -1))
}

describe("a process with secrets", () => {
  it(
    "has them in its environment, and no reader has them of its output",
    effect(function* () {
      const { client, fake } = yield* ready()
      yield* client.ask("process/start", start("p", { secrets, env: { TOKEN: "old", A: "b" } }))
      const child = yield* fake.next
      expect(child.spec.env).toEqual({ TOKEN: value, A: "b" })
      expect(child.spec.secrets).toBeUndefined()
      for (const text of [
        `a ${value.slice(0, 4)}`,
        value.slice(4),
        ` ${toBase64(utf8.encode(value))}\n`,
        "hunter",
      ])
        child.output("stdout", text)
      const told = yield* client.received
      expect(textOf(told)).toBe("a ***TOKEN*** ***TOKEN***\n")
      child.finish()
      yield* pass(100)
      expect(textOf(yield* client.received)).toBe("hunter")
      const read = yield* client.ask("process/read", { processId: "p" })
      expect(read.result).toMatchObject({ closed: true, exitCode: 0 })
      expectNone([told, read])
    }),
  )

  it(
    "shows the first bytes of a value when it pauses, by the clock of the server",
    effect(function* () {
      const { client, fake } = yield* ready()
      yield* client.ask("process/start", start("p", { secrets, tty: true }))
      const child = yield* fake.next
      child.output("pty", "$ h")
      yield* pass(19)
      expect(textOf(yield* client.received)).toBe("$ ")
      yield* pass(1)
      expect(textOf(yield* client.received)).toBe("h")
      child.output("pty", "unt")
      yield* pass(10_000)
      expect(textOf(yield* client.received)).toBe("")
      child.output("pty", "!")
      expect(textOf(yield* client.received)).toBe("unt!")
    }),
  )

  it("is in lists, in the audit log, in traces and in errors without them", () => {
    const { ended, layer } = SpanRecorder.make()
    const events: Array<unknown> = []
    const auditLog: AuditLog = {
      admit: (event) => Effect.sync(() => void events.push(event)),
      note: (event) => void events.push(event),
    }
    return effect(function* () {
      const { client, fake } = yield* Effect.provide(ready({}, { auditLog, listSessions: "all" }), layer)
      const quoting = {
        secrets,
        argv: [`/bin/${value}`, `--token=${value}`],
        arg0: value,
        cwd: `file:///tmp/${encodeURIComponent(value)}`,
        name: `n-${value}`,
        labels: { k: value },
        restart: { policy: "no" },
      }
      expect(yield* client.ask("process/start", start("p", quoting))).toMatchObject({ result: {} })
      const child = yield* fake.next
      expect(child.spec).toMatchObject({ argv: quoting.argv, arg0: value, cwd: `/tmp/${value}` })
      const list = yield* client.ask("process/list", {})
      expect(list.result).toMatchObject({
        processes: [
          {
            argv: ["/bin/***TOKEN***", "--token=***TOKEN***"],
            cwd: "file:///tmp/***TOKEN***",
            name: "n-***TOKEN***",
            labels: { k: "***TOKEN***" },
          },
        ],
      })
      child.finish()
      yield* pass(100)
      yield* client.received
      client.send({ id: 7, method: "process/restart", params: { processId: "p" } })
      const second = yield* fake.next
      yield* settle
      expect(second.spec.env).toEqual({ TOKEN: value })
      second.output("stdout", `${value}.`)
      yield* client.received
      const told = yield* client.ask("process/read", { processId: "p" })
      expect(told.result?.chunks).toMatchObject([{ chunk: toBase64(utf8.encode("***TOKEN***.")) }])
      const wrong = yield* client.ask(
        "process/start",
        start("q", { ...quoting, cwd: `file://host/${encodeURIComponent(value)}` }),
      )
      expect(wrong.error?.message).toContain("***TOKEN***")
      expect(ended.map(({ name }) => name)).toContain("process")
      expectNone([list, told, wrong, events, ended.map(({ span }) => [...span.attributes])])
    })()
  })

  it(
    "is refused by the system without them",
    effect(function* () {
      const { client } = yield* ready({
        beforeSpawn: () =>
          new SpawnError({ reason: "Unknown", message: `exec ${value}: no`, cause: [value] }),
      })
      expect(yield* client.ask("process/start", start("p", { secrets }))).toMatchObject(
        error(-32603, "exec ***TOKEN***: no"),
      )
    }),
  )

  it(
    "is refused if it cannot be masked, without a value",
    effect(function* () {
      const { client } = yield* ready()
      for (const [given, text] of [
        [{ A: { value: "five5" } }, "secret A has less than 6 bytes, which cannot be masked"],
        [{ A: { value: "" } }, "secret A has less than 6 bytes, which cannot be masked"],
        [{ A: { value: "with\0nul" } }, "secret A has a NUL byte"],
        [
          { LONG_NAME: { value: "other1" }, B: { value: "LONG_NAME" } },
          "secret B has a value that masks show: the name of LONG_NAME",
        ],
        [
          { "s3cret-val": { value: "123456" } },
          "secret 1 has no valid name: expected letters, digits and _, at most 128, no digit first",
        ],
        [{ A: { value: "x".repeat(256 * 1024 + 1) } }, "the secrets have more than 262144 bytes together"],
        [
          { A: "secret-value" },
          "invalid secret, expected an object with the text `value` (field `secrets.A`)",
        ],
        [
          { A: { value: 123456 } },
          "invalid secret, expected an object with the text `value` (field `secrets.A`)",
        ],
        [{ A: {} }, "missing field `value` of `secrets.A`"],
      ] as const)
        expect((yield* client.ask("process/start", start("p", { secrets: given }))).error?.message).toContain(
          text,
        )
      expect(
        yield* client.ask("process/start", start("p", { secrets: { A: { value: "sixsix" } } })),
      ).toMatchObject({
        result: { processId: "p" },
      })
    }),
  )
})

describe("a server with secrets", () => {
  it(
    "gives them to every process that does not set them itself, and masks them in each",
    effect(function* () {
      const own = [
        { name: "TOKEN", value },
        { name: "KEY", value: "key-of-the-server" },
      ]
      const { client, fake } = yield* ready({}, { secrets: own })
      yield* client.ask("process/start", start("p", { env: { KEY: "mine" } }))
      const child = yield* fake.next
      expect(child.spec.env).toEqual({ TOKEN: value, KEY: "mine" })
      child.output("stderr", `${value} mine key-of-the-server`)
      expect(textOf(yield* client.received)).toBe("***TOKEN*** mine ***KEY***")
      yield* client.ask("process/start", start("q", { secrets: { KEY: { value: "other-key" } } }))
      const other = yield* fake.next
      expect(other.spec.env).toEqual({ TOKEN: value, KEY: "other-key" })
      other.output("stdout", `${value} other-key key-of-the-server`)
      expect(textOf(yield* client.received)).toBe("***TOKEN*** ***KEY*** ***KEY***")
    }),
  )

  it(
    "refuses them where a keeper has the output as it was written",
    effect(function* () {
      const { server } = yield* FakeKeeper.make()
      const { client } = yield* ready({}, { kept: yield* server })
      const info = yield* client.ask("environment/info", {})
      expect(info.result).toMatchObject({ capabilities: { processSecrets: false, processKeep: true } })
      expect(yield* client.ask("process/start", start("p", { secrets }))).toMatchObject(
        error(
          -32602,
          "`secrets` cannot be masked: the holder of processes is of an older version, which ends with the last process in it",
        ),
      )
    }),
  )

  it(
    "has a keeper mask them, and the next server goes on with the same output",
    effect(function* () {
      const fake = yield* Fake.make()
      const inner = yield* Effect.provide(Spawner, fake.layer)
      const { server } = yield* FakeKeeper.over(Masking.before(inner))
      const first = yield* server
      const one = yield* ready({}, { kept: first })
      yield* one.client.ask("process/start", start("p", { secrets, argv: ["x", value] }))
      const child = yield* fake.next
      expect([child.spec.env, child.spec.secrets]).toEqual([{ TOKEN: value }, undefined])
      child.output("stdout", "!")
      yield* settle
      child.output("stdout", `?${value.slice(0, 5)}`)
      yield* settle
      child.output("stdout", `${value.slice(5)}c ${value.slice(0, 6)}`)
      const before = yield* one.client.received
      expect(textOf(before)).toBe("!?***TOKEN***c ")
      yield* first.die
      const two = yield* make({}, { kept: yield* server })
      const client = yield* two.connect
      yield* handshake(client, one.sessionId)
      child.output("stdout", `${value.slice(6)}!`)
      yield* settle
      const { result } = yield* Effect.map(client.received, () => undefined).pipe(
        Effect.andThen(client.ask("process/read", { processId: "p", afterSeq: 0 })),
      )
      const chunks = (result?.chunks ?? []) as ReadonlyArray<{ seq: number; chunk: string }>
      expect(
        chunks.map(({ seq, chunk }) => [seq, decoder.decode(Result.getOrThrow(fromBase64(chunk)))]),
      ).toEqual([
        [1, "!"],
        [2, "?"],
        [3, "***TOKEN***c "],
        [4, "***TOKEN***!"],
      ])
      const list = yield* client.ask("process/list", {})
      expect(list.result).toMatchObject({ processes: [{ argv: ["x", "***TOKEN***"] }] })
      expectNone([before, result, list])
    }),
  )
})
