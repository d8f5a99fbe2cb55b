/** client/: errors name what has failed and where, and their stacks begin where the program has called. */
import { inspect } from "node:util"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import type { Client } from "../../../core/client/Client.ts"
import { ClientError } from "../../../core/client/ClientError.ts"
import { platform } from "../../testing/Runtime.ts"
import * as Program from "../Program.ts"

const { connect } = Program.make(platform)

let client: Client
beforeAll(async () => {
  client = await connect({ inProcess: true })
})
afterAll(() => client.close())

const drain = async (items: AsyncIterable<unknown>) => {
  for await (const _ of items);
}

/** The error of a rejected call. A call that throws at once fails the test. */
const errorOf = async (call: () => PromiseLike<unknown>): Promise<ClientError> => {
  const promise = call()
  try {
    await promise
  } catch (error) {
    expect(error).toBeInstanceOf(ClientError)
    return error as ClientError
  }
  throw new Error("it did not reject")
}

const file = "CallSites.test.ts"
const none = "/nope/never"

type Call = () => PromiseLike<unknown>

describe("an error of a promise", () => {
  it.each<[string, Call]>([
    ["start", () => client.start({ argv: [none] })],
    ["start, refused here", () => client.start({} as never)],
    ["run", () => client.run({ argv: ["false"], reject: true })],
    ["$", () => client.$`false`],
    ["$, varied", () => client.$`false`.env({ A: "1" }).quiet()],
    ["$ and text", () => client.$`false`.text()],
    ["$ and json", () => client.$`echo {`.json()],
    ["$ and lines", () => drain(client.$`false`.lines())],
    ["attach", () => client.attach("nobody")],
    ["call", () => client.call("process/read", { processId: "nobody" })],
    ["call without params", () => (client.call as (method: string) => Promise<unknown>)("process/read")],
    ["call of no method", () => (client.call as (method: string) => Promise<unknown>)("foo")],
    ["$ and lines, refused here", async () => drain(client.$({ retry: 1 })`true`.lines())],
    ["list", () => drain(client.list({ limit: -1 } as never))],
    ["readTextFile", () => client.fs.readTextFile(none)],
    ["stat", () => client.fs.stat(none)],
    ["stat, refused here", () => client.fs.stat(none, { follow: true } as never)],
    ["open", () => client.fs.open(none)],
    ["readStream", () => drain(client.fs.readStream(none))],
    ["write", () => client.fs.write(none, ["x"])],
    ["input of a file", () => client.run({ argv: ["cat"], input: { file: none } })],
    ["http.request", () => client.http.request({ url: "http://127.0.0.1:1/" })],
    ["http.stream", () => client.http.stream({ url: "http://127.0.0.1:1/" })],
    ["connect", () => connect({ url: "ws://127.0.0.1:1" })],
    ["connect, refused here", () => connect({} as never)],
    ["a time", () => client.run({ argv: ["sleep", "60"] }, { timeout: 1 })],
    [
      "write to a process",
      async () => {
        throw await errorOf(async () => (await client.start({ argv: ["true"] })).write("x"))
      },
    ],
    [
      "the output of a stream that is none",
      async () => {
        throw await errorOf(async () => drain((await client.start({ argv: ["true"] })).output("x" as never)))
      },
    ],
  ])("begins where it was called, and shows nothing of the library: %s", async (_, call) => {
    const error = await errorOf(call)
    const frames = String(error.stack)
      .split("\n")
      .filter((line) => /^\s+at |@/.test(line))
    expect(frames[0]).toContain(file)
    const printed = inspect(error)
    expect(printed).not.toMatch(
      /node_modules\/effect|fiberRuntime|core\/(client|rpc)\/(?!testing)[A-Z]\w+\.ts/,
    )
    const [first = ""] = error.message.split("\n")
    expect(printed.split(first).length - 1).toBe(1)
  })

  it("is another one for each call that the same loss fails", async () => {
    const other = await connect({ inProcess: true })
    const calls = [1, 2].map(() =>
      other.call("process/wait" as never, { processId: "p" } as never).catch((error: unknown) => error),
    )
    await other.close()
    const [one, two] = await Promise.all(calls)
    expect(one).not.toBe(two)
  })

  it.each<[string, Call, object]>([
    [
      "readTextFile /nope/never: no such file or directory",
      () => client.fs.readTextFile(none),
      { method: "readTextFile", path: none, code: "ENOENT", rpcCode: -32004 },
    ],
    [
      "readDirectory /etc/passwd: not a directory",
      () => client.fs.readDirectory("/etc/passwd"),
      { method: "readDirectory", path: "/etc/passwd", code: "ENOTDIR", rpcCode: -32603 },
    ],
    [
      "stat /nope/never: no such file or directory",
      () => client.fs.stat(none),
      { method: "stat", path: none },
    ],
    ["walk /nope/never: no such", () => client.fs.walk(none), { method: "walk", path: none }],
    ["open /nope/never: no such", () => client.fs.open(none), { method: "open", code: "ENOENT" }],
    ["write /nope/never: no such", () => client.fs.write(none, ["x"]), { method: "write", path: none }],
    [
      "writeFile /nope/never: no such",
      () => client.fs.writeFile(none, "x"),
      { method: "writeFile", path: none },
    ],
    [
      "copy /nope/never to /tmp/x: no such",
      () => client.fs.copy(none, "/tmp/x"),
      { method: "copy", path: none },
    ],
    ["canonicalize /nope/never: no such", () => client.fs.canonicalize(none), { method: "canonicalize" }],
    ["remove /nope/never: no such", () => client.fs.remove(none, { force: false }), { method: "remove" }],
    [
      "readStream /nope/never: no such",
      () => client.run({ argv: ["cat"], input: { file: none } }),
      { path: none, code: "ENOENT" },
    ],
    [
      "http.request GET 127.0.0.1:1: connection refused",
      () => client.http.request({ url: "http://127.0.0.1:1/x?secret" }),
      { method: "http.request", host: "127.0.0.1:1", code: "ECONNREFUSED", rpcCode: -32603 },
    ],
    [
      "http.stream PUT 127.0.0.1:1: connection refused",
      () => client.http.stream({ url: "http://u:p@127.0.0.1:1/x", method: "PUT" }),
      { method: "http.stream", host: "127.0.0.1:1", code: "ECONNREFUSED" },
    ],
    [
      "http.request GET no-such-host.invalid: ",
      () => client.http.request({ url: "http://no-such-host.invalid/" }),
      { host: "no-such-host.invalid", code: expect.stringMatching(/^(ENOTFOUND|EAI_AGAIN)$/) },
    ],
  ])("names what has failed: %s", async (message, call, fields) => {
    const error = await errorOf(call)
    expect(error.message).toContain(message)
    expect(error).toMatchObject(fields)
    if (message.includes("http")) expect(error.message).not.toContain("secret")
  })
})
