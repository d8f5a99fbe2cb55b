/** Tests ExecServer.ts: the dialects v0 and auto. */
import * as Effect from "effect/Effect"
import { describe, expect, it } from "vitest"
import { toBase64, utf8 } from "../protocol/Bytes.ts"
import { effect, pass, settle } from "../testing/Effects.ts"
import * as Client from "./testing/Client.ts"

const exec = (processId: string, change: object = {}) => ({
  processId,
  argv: ["a"],
  cwd: "/tmp",
  env: { A: "b" },
  tty: false,
  ...change,
})

const connect = (dialect: "v0" | "auto", options: Parameters<typeof Client.make>[0] = {}) =>
  Effect.gen(function* () {
    const { fake, connect } = yield* Client.make(options, { dialect })
    return { fake, connect, client: yield* connect }
  })

const base64 = (text: string) => toBase64(utf8.encode(text))

describe("v0", () => {
  it(
    "starts a process without a handshake and reports its output and exit",
    effect(function* () {
      const { fake, client } = yield* connect("v0")
      expect((yield* client.ask("command/exec", exec("p"))).result).toEqual({
        processId: "p",
        pid: fake.children[0]?.pid,
        running: true,
        exitCode: null,
        stdout: null,
        stderr: null,
      })
      const child = yield* fake.next
      expect(child.spec).toMatchObject({
        argv: ["a"],
        cwd: "/tmp",
        env: { A: "b" },
        stdio: { kind: "pipe", stdin: false },
      })
      child.output("stdout", "out")
      child.output("stderr", "err")
      child.finish(3)
      expect(yield* client.received).toEqual([
        {
          method: "command/exec/outputDelta",
          params: { processId: "p", stream: "stdout", chunk: base64("out") },
        },
        {
          method: "command/exec/outputDelta",
          params: { processId: "p", stream: "stderr", chunk: base64("err") },
        },
        { method: "command/exec/exited", params: { processId: "p", exitCode: 3 } },
      ])
    }),
  )

  it(
    "reports PTY output as stdout, and death by a signal as -1",
    effect(function* () {
      const { fake, client } = yield* connect("v0")
      yield* client.ask("command/exec", exec("p", { tty: true, arg0: null, outputBytesCap: 0 }))
      const child = yield* fake.next
      expect(child.spec.stdio).toEqual({ kind: "pty", size: { rows: 24, columns: 80 } })
      child.output("pty", "x")
      child.finish({ kind: "signaled", signal: 9 })
      expect(yield* client.received).toMatchObject([
        { params: { stream: "stdout", chunk: base64("x") } },
        { method: "command/exec/exited", params: { exitCode: -1 } },
      ])
    }),
  )

  it(
    "writes to a PTY, and refuses to write to pipes and unknown ids",
    effect(function* () {
      const { fake, client } = yield* connect("v0")
      yield* client.ask("command/exec", exec("tty", { tty: true }))
      yield* client.ask("command/exec", exec("pipe"))
      const write = (processId: string) =>
        client.ask("command/exec/write", { processId, chunk: base64("hi\n") })
      expect((yield* write("tty")).result).toEqual({ accepted: true })
      yield* settle
      expect(fake.children[0]?.written).toBe("hi\n")
      expect(yield* write("pipe")).toMatchObject(Client.error(-32600, "stdin is closed for process pipe"))
      expect(yield* write("none")).toMatchObject(Client.error(-32600, "unknown process id none"))
    }),
  )

  it(
    "forgets a process at its exit, even if its output goes on",
    effect(function* () {
      const { fake, client } = yield* connect("v0")
      yield* client.ask("command/exec", exec("p", { tty: true }))
      expect(yield* client.ask("command/exec", exec("p"))).toMatchObject(
        Client.error(-32600, "process p already exists"),
      )
      const child = yield* fake.next
      child.exit(0)
      yield* pass(100)
      expect(yield* client.received).toMatchObject([{ method: "command/exec/exited" }])
      expect((yield* client.ask("command/exec/terminate", { processId: "p" })).result).toEqual({
        running: false,
      })
      child.output("pty", "late")
      expect(yield* client.received).toMatchObject([{ params: { chunk: base64("late") } }])
      expect((yield* client.ask("command/exec", exec("p"))).result?.running).toBe(true)
    }),
  )

  it(
    "forgets a process that is terminated before it has ended",
    effect(function* () {
      const { fake, client } = yield* connect("v0")
      yield* client.ask("command/exec", exec("p"))
      const child = yield* fake.next
      client.send({ id: 1, method: "command/exec/terminate", params: { processId: "p" } })
      client.send({ id: 2, method: "command/exec/terminate", params: { processId: "p" } })
      client.send({ id: 3, method: "command/exec", params: exec("p") })
      const answers = yield* client.received
      expect(child.kills).toBe(1)
      expect(answers.filter(({ id }) => id !== undefined)).toMatchObject([
        { id: 1, result: { running: true } },
        { id: 2, result: { running: false } },
        { id: 3, result: { running: true } },
      ])
      expect(answers).toContainEqual({
        method: "command/exec/exited",
        params: { processId: "p", exitCode: -1 },
      })
    }),
  )

  it(
    "kills every process at the end of the connection",
    effect(function* () {
      const { fake, client } = yield* connect("v0")
      yield* client.ask("command/exec", exec("p"))
      const child = yield* fake.next
      yield* client.transport.close
      yield* settle
      expect(child.released).toBe(true)
    }),
  )

  it(
    "answers initialize at any time, with any params",
    effect(function* () {
      const { client } = yield* connect("v0")
      for (const params of [undefined, { clientName: "x" }, 5])
        expect((yield* client.ask("initialize", params)).result).toEqual({
          protocolVersion: "exec-server.v0",
        })
      client.send({ method: "initialized" }, { method: "initialized" })
      expect(yield* client.received).toEqual([])
    }),
  )

  it(
    "refuses what it does not know and goes on",
    effect(function* () {
      const { client } = yield* connect("v0")
      expect(yield* client.ask("process/start", {})).toMatchObject(
        Client.error(-32600, "unknown method: process/start"),
      )
      client.send({ method: "bogus" }, { id: 5, result: {} }, { id: 6, error: { code: 1, message: "x" } })
      expect(yield* client.received).toEqual([
        { id: -1, ...Client.error(-32600, "unexpected notification method: bogus") },
      ])
      expect(yield* client.ask("command/exec", exec("p", { argv: [] }))).toMatchObject(
        Client.error(-32602, "argv must not be empty"),
      )
      expect(yield* client.ask("command/exec", {})).toMatchObject(
        Client.error(-32602, "missing field `processId`"),
      )
      client.transport.write("{bad")
      expect(yield* client.ended).toBe(true)
    }),
  )
})

describe("auto", () => {
  it(
    "speaks v0 where the first call is command/exec, with and without a handshake",
    effect(function* () {
      const { client, connect: again } = yield* connect("auto")
      expect((yield* client.ask("command/exec", exec("p"))).result?.running).toBe(true)
      const second = yield* again
      expect((yield* second.ask("initialize", { clientName: "x" })).result).toMatchObject({
        protocolVersion: "exec-server.v0",
        sessionId: expect.any(String) as string,
        environmentInfo: {},
      })
      second.send({ method: "initialized" })
      expect((yield* second.ask("command/exec", exec("p"))).result?.running).toBe(true)
      expect(yield* second.ask("process/read", { processId: "p" })).toMatchObject(
        Client.error(-32600, "unknown method: process/read"),
      )
    }),
  )

  it(
    "speaks the current wire where the first call is another one, or resumes a session",
    effect(function* () {
      const { client, connect: again } = yield* connect("auto")
      const sessionId = yield* Client.handshake(client)
      yield* client.ask("process/start", Client.start("p"))
      expect(yield* client.ask("command/exec", exec("q"))).toMatchObject(
        Client.error(-32601, "exec-server stub does not implement `command/exec` yet"),
      )
      yield* client.transport.close
      yield* settle
      const second = yield* again
      yield* Client.handshake(second, sessionId)
      expect((yield* second.ask("command/exec", exec("q"))).error?.code).toBe(-32601)
      expect((yield* second.ask("process/read", { processId: "p" })).result).toMatchObject({ exited: false })
    }),
  )

  it(
    "refuses malformed messages like the current wire until the dialect is detected",
    effect(function* () {
      const { client } = yield* connect("auto")
      client.transport.write("{bad")
      expect(yield* client.received).toMatchObject([{ id: -1 }])
      client.send({ method: "bogus" })
      expect(yield* client.ended).toBe(true)
    }),
  )
})
