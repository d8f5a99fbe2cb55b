import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import type { Client } from "../../../core/client/Client.ts"
import { ClientError } from "../../../core/client/ClientError.ts"
import type { ClientProcess } from "../../../core/client/ClientProcess.ts"
import type { RemoteProcess } from "../../../core/client/RemoteProcess.ts"
import { connect } from "../../testing/Client.ts"

const half = "a\ud83d"

const all = async <A>(items: AsyncIterable<A>): Promise<ReadonlyArray<A>> => {
  const taken: Array<A> = []
  for await (const item of items) taken.push(item)
  return taken
}
const argv = ["true"]

type Call = (on: Client, process: ClientProcess) => PromiseLike<unknown>
type EffectCall = (on: Client["effect"], process: RemoteProcess) => Effect.Effect<unknown, unknown>

/** Every call that takes a string, in both faces, and the place that its error names. */
const calls: ReadonlyArray<readonly [name: string, place: string, call: Call, effect?: EffectCall]> = [
  ...(
    [
      ["argv", "argv[1]", { argv: ["true", half] }],
      ["the program", "argv[0]", { argv: [half] }],
      ["a value of env", "env.LANG", { argv, env: { LANG: half } }],
      ["a name in env", "a key of env", { argv, env: { [half]: "1" } }],
      ["a policy", "envPolicy.set.A", { argv, envPolicy: { inherit: "core", set: { A: half } } }],
      ["cwd", "cwd", { argv, cwd: `/${half}` }],
      ["a relative cwd", "cwd", { argv, cwd: half }],
      ["a URI as cwd", "cwd", { argv, cwd: `file:///${half}` }],
      ["processId", "processId", { argv, processId: half }],
      ["arg0", "arg0", { argv, arg0: half }],
      ["name", "name", { argv, name: half }],
      ["a value of labels", "labels.l", { argv, labels: { l: half } }],
      ["a name of labels", "a key of labels", { argv, labels: { [half]: "l" } }],
      ["the metadata", "metadata.threadId", { argv, metadata: { threadId: half } as never }],
      ["a signal", "signalOnTimeout", { argv, timeoutMs: 60_000, signalOnTimeout: half as never }],
    ] as const
  ).flatMap(([name, place, options]) => [
    [
      `start: ${name}`,
      place,
      (on: Client) => on.start(options as never),
      (on: Client["effect"]) => on.start(options as never),
    ] as const,
    [
      `run: ${name}`,
      place,
      (on: Client) => on.run(options as never),
      (on: Client["effect"]) => on.run(options as never),
    ] as const,
  ]),
  [
    "run: input",
    "path",
    (on) => on.run({ argv: ["cat"], input: { file: half } }),
    (on) => on.run({ argv: ["cat"], input: { file: half } }),
  ],
  ["$", "argv[1]", (on) => on.$`true ${half}`],
  ["$: env", "env.A", (on) => on.$`true`.env({ A: half })],
  ["$: cwd", "cwd", (on) => on.$`true`.cwd(half)],
  ["attach", "processId", (on) => on.attach(half), (on) => on.attach(half)],
  ["attach: name", "name", (on) => on.attach({ name: half }), (on) => on.attach({ name: half })],
  [
    "list: name",
    "name",
    (on) => all(on.list({ name: half })),
    (on) => Stream.runDrain(on.list({ name: half })),
  ],
  [
    "list: labels",
    "labels.a",
    (on) => all(on.list({ labels: { a: half } })),
    (on) => Stream.runDrain(on.list({ labels: { a: half } })),
  ],
  ["readFile", "path", (on) => on.fs.readFile(half), (on) => on.fs.readFile(half)],
  ["readTextFile", "path", (on) => on.fs.readTextFile(half), (on) => on.fs.readTextFile(half)],
  ["writeFile", "path", (on) => on.fs.writeFile(half, "x"), (on) => on.fs.writeFile(half, "x")],
  ["stat", "path", (on) => on.fs.stat(half), (on) => on.fs.stat(half)],
  ["createDirectory", "path", (on) => on.fs.createDirectory(half), (on) => on.fs.createDirectory(half)],
  ["readDirectory", "path", (on) => on.fs.readDirectory(half), (on) => on.fs.readDirectory(half)],
  ["walk", "path", (on) => on.fs.walk(half), (on) => on.fs.walk(half)],
  ["canonicalize", "path", (on) => on.fs.canonicalize(half), (on) => on.fs.canonicalize(half)],
  ["remove", "path", (on) => on.fs.remove(half), (on) => on.fs.remove(half)],
  ["copy: source", "sourcePath", (on) => on.fs.copy(half, "/x"), (on) => on.fs.copy(half, "/x")],
  ["copy: destination", "destinationPath", (on) => on.fs.copy("/x", half), (on) => on.fs.copy("/x", half)],
  [
    "readStream",
    "path",
    (on) => all(on.fs.readStream(half)),
    (on) => Stream.runDrain(on.fs.readStream(half)),
  ],
  ["write", "path", (on) => on.fs.write(half, ["x"]), (on) => on.fs.write(half, Stream.make("x"))],
  ["open", "path", (on) => on.fs.open(half), (on) => Effect.scoped(on.fs.open(half))],
  ["watchMissing", "[0]", (on) => on.fs.watchMissing([half]), (on) => on.fs.watchMissing([half])],
  ...(
    [
      ["url", "url", { url: `http://127.0.0.1:1/${half}` }],
      ["method", "method", { url: "http://127.0.0.1:1/", method: half }],
      ["header", "value", { url: "http://127.0.0.1:1/", headers: { "x-a": half } }],
      ["a name of headers", "name", { url: "http://127.0.0.1:1/", headers: { [half]: "x" } }],
    ] as const
  ).flatMap(([name, place, options]) => [
    [
      `http.request: ${name}`,
      place,
      (on: Client) => on.http.request(options as never),
      (on: Client["effect"]) => on.http.request(options as never),
    ] as const,
    [
      `http.stream: ${name}`,
      place,
      (on: Client) => on.http.stream(options as never),
      (on: Client["effect"]) => Effect.scoped(on.http.stream(options as never)),
    ] as const,
  ]),
  [
    "signal",
    "signal",
    (_, process) => process.signal(half as never),
    (_, process) => process.signal(half as never),
  ],
  [
    "wait",
    "until[0].pattern",
    (_, process) => process.wait({ until: [{ pattern: half }] } as never),
    (_, process) => process.wait({ until: [{ pattern: half }] } as never),
  ],
  [
    "grep",
    "pattern",
    (_, process) => process.grep({ pattern: half } as never),
    (_, process) => process.grep({ pattern: half } as never),
  ],
  [
    "end",
    "signal",
    (_, process) => process.end({ signal: half as never }),
    (_, process) => process.end({ signal: half as never }),
  ],
  [
    "call",
    "processId",
    (on) => on.call("process/read", { processId: half }),
    (on) => on.call("process/read", { processId: half }),
  ],
  [
    "call: a method",
    "",
    (on) => on.call(half as never, {} as never),
    (on) => on.call(half as never, {} as never),
  ],
]

const effectCalls = calls.flatMap(([name, place, , effect]): ReadonlyArray<[string, string, EffectCall]> =>
  effect === undefined ? [] : [[name, place, effect]],
)

let client: Client
let cat: ClientProcess
let remote: RemoteProcess
beforeAll(async () => {
  client = await connect({ inProcess: true })
  cat = await client.start({ argv: ["cat"], pipeStdin: true })
  remote = await Effect.runPromise(client.effect.start({ argv: ["cat"], pipeStdin: true }))
})
afterAll(() => client.close())

const refusal = async (call: () => PromiseLike<unknown>) => {
  try {
    await call()
  } catch (error) {
    return error
  }
  return undefined
}

const check = (error: unknown, place: string) => {
  expect(error).toBeInstanceOf(ClientError)
  const { reason, message } = error as ClientError
  expect(reason).toBe("InvalidOption")
  expect(message).toContain(place)
  if (place !== "") expect(message).toMatch(/has half a character at index \d+ \(U\+D83D/)
}

describe("half of a surrogate pair", () => {
  it.each(calls.map(([name, place, call]) => [name, place, call] as const))(
    "is refused by name: %s (%s)",
    async (_, place, call) => {
      check(await refusal(async () => call(client, cat)), place)
    },
  )

  it.each(effectCalls)("is refused by name as an effect: %s (%s)", async (_, place, call) => {
    const refused = Effect.suspend(() => call(client.effect, remote)).pipe(Effect.flip)
    check(await Effect.runPromise(refused), place)
  })

  it("ends no process of the client, and content is made well-formed as Node does", async () => {
    await cat.write(`${half}\n`)
    await cat.closeStdin()
    expect(await all(cat.text())).toEqual(["a\ufffd\n"])
    expect((await client.run({ argv: ["cat"], input: half })).stdout).toBe("a\ufffd")
  })

  it.each([
    ["url", { url: `ws://127.0.0.1:1/${half}` }],
    ["token", { url: "ws://127.0.0.1:1", token: half }],
    ["headers.a", { url: "ws://127.0.0.1:1", headers: { a: half } }],
    ["command", { command: half }],
    ["args[0]", { command: "true", args: [half] }],
    ["env.A", { command: "true", env: { A: half } }],
    ["cwd", { command: "true", cwd: half }],
  ] as const)("is refused in the target of connect: %s", async (place, target) => {
    check(await refusal(() => connect(target)), place)
  })

  it.each([["clientName"], ["resumeSessionId"]])("is refused in the options of connect: %s", async (name) => {
    check(await refusal(() => connect({ inProcess: true }, { [name]: half })), name)
  })
})
