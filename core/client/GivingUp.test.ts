/**
 * Tests that every call of the promise clients takes `{ signal, timeout }`: each function of each object is called
 * while the server answers nothing, and has to be given up. A function that is not in the table fails the test.
 */
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Scope from "effect/Scope"
import { afterEach, describe, expect, it } from "vitest"
import { effect, pass, settle } from "../testing/Effects.ts"
import * as MutePeer from "../testing/MutePeer.ts"
import * as Client from "./Client.ts"
import * as ExecClient from "./ExecClient.ts"
import { type CallOptions, inSteps } from "./GivingUp.ts"
import * as V0Client from "./v0/V0Client.ts"
import * as V0ExecClient from "./v0/V0ExecClient.ts"

const scopes: Array<Scope.Closeable> = []
afterEach(async () => {
  for (const scope of scopes.splice(0)) await Effect.runPromise(Scope.close(scope, Exit.void))
})

const inScope = <A, E>(effect: Effect.Effect<A, E, Scope.Scope>): Promise<A> => {
  const scope = Effect.runSync(Scope.make())
  scopes.push(scope)
  return Effect.runPromise(Scope.provide(effect, scope))
}

type Call = (how: CallOptions) => Promise<unknown> | AsyncIterable<unknown>

/** Every function of an object that waits for something. */
type Calls<A> = {
  readonly [K in keyof A & string as A[K] extends (...args: never) => ReturnType<Call> ? K : never]: Call
}

/** The functions that wait for nothing. */
const immediate = [
  "a streamed response.header",
  "client.$",
  ...["then", "catch", "finally", "pipe", "input", "env", "cwd", "timeout", "signal", "quiet", "nothrow"].map(
    (name) => `command.${name}`,
  ),
]

const walked = <A extends object>(name: string, object: A, calls: Calls<A>): Record<string, Call> => {
  const descriptors = Object.entries(Object.getOwnPropertyDescriptors(object))
  const functions = descriptors.flatMap(([key, { value }]) =>
    typeof value === "function" ? [`${name}.${key}`] : [],
  )
  const made = Object.fromEntries(Object.entries<Call>(calls).map(([key, call]) => [`${name}.${key}`, call]))
  const known = [...Object.keys(made), ...immediate.filter((one) => one.startsWith(`${name}.`))]
  expect(known.sort(), `the calls of ${name} in this table`).toEqual(functions.sort())
  return made
}

const current = async () => {
  const peer = await inScope(MutePeer.make)
  const exec = await inScope(ExecClient.make(peer.transport))
  const client = Client.fromEffect(exec, Effect.never)
  // An attachment has every call that a process has.
  const process = await client.attach({ processId: "p" })
  const [file, watch] = [await client.fs.open("/f"), await client.fs.watchMissing(["/w"])]
  const stream = await client.http.stream({ url: "http://x/" })
  peer.mute = true
  const { fs, http } = client
  // A promise of it would run it.
  const command = { of: client.$`y` }
  return { peer, client, fs, http, process, file, watch, stream, command }
}

const callsOfCurrent = ({
  client,
  fs,
  http,
  process,
  file,
  watch,
  stream,
  command: { of: command },
}: Awaited<ReturnType<typeof current>>) => ({
  ...walked("client", client, {
    start: (how) => client.start({ argv: ["y"] }, how),
    run: (how) => client.run({ argv: ["y"] }, how),
    attach: (how) => client.attach("q", 0, how),
    call: (how) => client.call("environment/status", {}, how),
    list: (how) => client.list({}, how),
    listSessions: (how) => client.listSessions({}, how),
    close: (how) => client.close(how),
  }),
  ...walked("fs", fs, {
    readFile: (how) => fs.readFile("/a", {}, how),
    readTextFile: (how) => fs.readTextFile("/a", {}, how),
    writeFile: (how) => fs.writeFile("/a", "", {}, how),
    stat: (how) => fs.stat("/a", {}, how),
    createDirectory: (how) => fs.createDirectory("/a", {}, how),
    readDirectory: (how) => fs.readDirectory("/a", how),
    walk: (how) => fs.walk("/a", {}, how),
    canonicalize: (how) => fs.canonicalize("/a", how),
    exists: (how) => fs.exists("/a", how),
    mkdir: (how) => fs.mkdir("/a", {}, how),
    glob: (how) => fs.glob("*", {}, how),
    rename: (how) => fs.rename("/a", "/b", {}, how),
    chmod: (how) => fs.chmod("/a", 0o600, {}, how),
    symlink: (how) => fs.symlink("/a", "/b", {}, how),
    remove: (how) => fs.remove("/a", {}, how),
    copy: (how) => fs.copy("/a", "/b", {}, how),
    watchMissing: (how) => fs.watchMissing(["/a"], {}, how),
    readStream: (how) => fs.readStream("/a", how),
    write: (how) => fs.write("/a", ["x"], how),
    open: (how) => fs.open("/a", "read", how),
  }),
  ...walked("http", http, {
    request: (how) => http.request({ url: "http://x/" }, how),
    stream: (how) => http.stream({ url: "http://x/" }, how),
  }),
  ...walked("process", process, {
    output: (how) => process.output("stdout", how),
    text: (how) => process.text("stdout", how),
    lines: (how) => process.lines("stdout", how),
    write: (how) => process.write("x", how),
    closeStdin: (how) => process.closeStdin(how),
    resize: (how) => process.resize({ rows: 1, columns: 1 }, how),
    interrupt: (how) => process.interrupt(how),
    signal: (how) => process.signal("terminate", how),
    terminate: (how) => process.terminate(how),
    end: (how) => process.end({}, how),
    port: (how) => process.port(80, how),
    restart: (how) => process.restart({}, how),
    read: (how) => process.read({}, how),
    wait: (how) => process.wait({ until: [{ exit: true }] }, how),
    history: (how) => process.history({}, how),
    grep: (how) => process.grep({ pattern: "x" }, how),
    writing: (how) => behindTheFirst(process.writing(how)),
    detach: (how) => process.detach(how),
    screen: (how) => process.screen({}, how),
  }),
  ...walked<Pick<typeof command, "text" | "json" | "bytes" | "lines">>("command", command, {
    text: (how) => command.text(how),
    json: (how) => command.json(how),
    bytes: (how) => command.bytes(how),
    lines: (how) => command.lines(how),
  }),
  ...walked("file", file, {
    read: (how) => file.read(0, 1, how),
    write: (how) => file.write(0, new Uint8Array(1), how),
    close: (how) => file.close(how),
  }),
  ...walked("watch", watch, { changed: (how) => watch.changed(how) }),
  ...walked("a streamed response", stream, {
    text: (how) => stream.text(how),
    close: (how) => stream.close(how),
  }),
})

const v0 = async () => {
  const peer = await inScope(MutePeer.make)
  const client = V0Client.fromEffect(await inScope(V0ExecClient.make(peer.transport)), Effect.never)
  const process = await client.start({ argv: ["x"], cwd: "/", env: {} })
  peer.mute = true
  return { client, process }
}

const callsOfV0 = ({ client, process }: Awaited<ReturnType<typeof v0>>) => ({
  ...walked("v0 client", client, {
    start: (how) => client.start({ argv: ["y"], cwd: "/", env: {} }, how),
    close: (how) => client.close(how),
  }),
  ...walked("v0 process", process, {
    output: (how) => process.output("stdout", how),
    text: (how) => process.text("stdout", how),
    write: (how) => process.write("x", how),
    terminate: (how) => process.terminate(how),
  }),
})

/** All but the first, which is known here. */
async function* behindTheFirst<A>(all: AsyncIterable<A>): AsyncGenerator<A> {
  let isFirst = true
  for await (const one of all) {
    if (!isFirst) yield one
    isFirst = false
  }
}

/** Ends here in the client, before it can be given up. */
const endsAtOnce = (name: string) => name === "a streamed response.close"

/** The outcome of a call; of a loop, of its first step. */
const outcome = async (call: Call, how: CallOptions): Promise<unknown> => {
  try {
    const made = call(how)
    if (made instanceof Promise) return await made
    for await (const one of made) return one
    return "nothing"
  } catch (error) {
    return error
  }
}

/** Plays every call on objects of its own. */
const each = async (play: (name: string, call: Call) => Promise<void>) => {
  const makers = [async () => callsOfCurrent(await current()), async () => callsOfV0(await v0())]
  for (const make of makers)
    for (const name of Object.keys(await make())) {
      const call = (await make())[name]
      if (call !== undefined) await play(name, call)
    }
}

describe("every call of the promise clients", () => {
  it("rejects with the reason of a signal that has aborted before", () => {
    const reason = new Error("enough")
    return each(async (name, call) =>
      expect(await outcome(call, { signal: AbortSignal.abort(reason) }), name).toBe(reason),
    )
  })

  it("rejects with the reason of a signal that aborts while it waits", () => {
    const reason = new Error("enough")
    return each(async (name, call) => {
      if (endsAtOnce(name)) return
      const controller = new AbortController()
      const ended = outcome(call, { signal: controller.signal })
      await Effect.runPromise(settle)
      controller.abort(reason)
      expect(await ended, name).toBe(reason)
    })
  })

  it("rejects with Timeout after its time", () =>
    each(async (name, call) => {
      if (endsAtOnce(name)) return
      const message = "given up after 2ms"
      expect(await outcome(call, { timeout: 2 }), name).toMatchObject({ reason: "Timeout", message })
    }))

  it("refuses options that do not exist", () =>
    each(async (name, call) =>
      expect(await outcome(call, { timeOut: 2 } as object), name).toMatchObject({ reason: "InvalidOption" }),
    ))
})

/** Names of calls, by what becomes of them on the server when they are given up. */
const ends = {
  "is cancelled": [
    "client.attach",
    "http.request",
    "http.stream",
    "a streamed response.text",
    "a streamed response.close",
    ...["canonicalize", "exists", "glob", "readDirectory", "readFile", "readTextFile", "stat", "walk"].map(
      (one) => `fs.${one}`,
    ),
    ...["grep", "history", "read", "screen", "wait"].map((one) => `process.${one}`),
  ],
  "leaves nothing": [
    "client.start",
    "client.run",
    "client.attach to a target",
    ...["text", "json", "bytes", "lines"].map((one) => `command.${one}`),
    ...["open", "readStream", "watchMissing", "write"].map((one) => `fs.${one}`),
  ],
  "is short, or may be half done": [
    "client.call",
    "client.list",
    "client.listSessions",
    "file.close",
    "file.read",
    "file.write",
    ...["chmod", "copy", "createDirectory", "mkdir", "remove", "rename", "symlink", "writeFile"].map(
      (one) => `fs.${one}`,
    ),
    ...[
      "closeStdin",
      "detach",
      "end",
      "interrupt",
      "port",
      "resize",
      "restart",
      "signal",
      "terminate",
      "write",
    ].map((one) => `process.${one}`),
  ],
  "is none there": [
    "client.close",
    "watch.changed",
    ...["lines", "output", "text", "writing"].map((one) => `process.${one}`),
  ],
}

/** Pairs of a request and the one that undoes it. */
const undoing = new Set([
  "process/start,process/terminate",
  "process/attach,process/detach",
  "fs/open,fs/close",
  "fs/watchMissing,fs/watchMissing",
])

describe("a call that is given up", () => {
  /** The messages to the server when a call is given up while it waits; it is answered then unless it was cancelled. */
  const heard = async (pick: (made: Awaited<ReturnType<typeof current>>) => Call | undefined) => {
    const made = await current()
    const call = pick(made)
    const controller = new AbortController()
    const ended = call === undefined ? undefined : outcome(call, { signal: controller.signal })
    await Effect.runPromise(settle)
    controller.abort("enough")
    await ended
    await Effect.runPromise(settle)
    made.peer.answer()
    await Effect.runPromise(settle)
    return made.peer.heard
  }

  const endOf = (methods: ReadonlyArray<string>): keyof typeof ends => {
    if (methods.length === 0) return "is none there"
    if (methods.at(-1) === "request/cancel") return "is cancelled"
    return undoing.has(methods.slice(-2).join()) ? "leaves nothing" : "is short, or may be half done"
  }

  it("is given up on the server, too: every one of them", async () => {
    const found: Record<string, Array<string>> = {}
    const note = async (name: string, pick: Parameters<typeof heard>[0]) =>
      (found[endOf(await heard(pick))] ??= []).push(name)
    for (const name of Object.keys(callsOfCurrent(await current())))
      await note(name, (made) => callsOfCurrent(made)[name])
    await note(
      "client.attach to a target",
      ({ client }) =>
        (how) =>
          client.attach({ name: "x" }, 0, how),
    )
    const sorted = (all: Readonly<Record<string, ReadonlyArray<string>>>) =>
      Object.fromEntries(Object.entries(all).map(([end, names]) => [end, [...names].sort()]))
    expect(sorted(found)).toEqual(sorted(ends))
  })

  it(
    "shares its time between the steps of a loop",
    effect(function* () {
      const step = inSteps({ timeout: "1 second" })
      const first = yield* Effect.forkChild(step(Effect.sleep(600)))
      yield* pass(600)
      expect(yield* Fiber.join(first)).toBeUndefined()
      const second = yield* Effect.forkChild(Effect.flip(step(Effect.sleep(600))))
      yield* pass(399)
      expect(second.pollUnsafe()).toBeUndefined()
      yield* pass(1)
      expect(yield* Fiber.join(second)).toMatchObject({ reason: "Timeout", message: "given up after 1s" })
    }),
  )
})
