/** The promise client, as both a program on Node and a page see it. */
import {
  type Client,
  ClientError,
  type ClientReason,
  connect,
  type Command,
  type Duration,
  type EffectFace,
  type Input,
  type ListedProcess,
  type Params,
  type ProcessEvent,
  type Result,
  type RunOptions,
} from "procwire/web"
import { same } from "./same.js"

declare const client: Client
declare const signal: AbortSignal

/** The result of `connect`. */
export const connected = async (): Promise<void> => {
  const current = await connect({ url: "ws://127.0.0.1:7000" }, { reconnect: { window: "1 minute" } })
  same<typeof current, Client>(true)
  // @ts-expect-error: there is no such option
  await connect({ url: "ws://127.0.0.1:7000" }, { reconect: {} })
  // @ts-expect-error: a target is an object
  await connect("ws://127.0.0.1:7000")
  // @ts-expect-error: a text for a duration has a unit that exists
  await connect({ url: "ws://127.0.0.1:7000" }, { reconnect: { window: "1 fortnight" } })
  const durations: ReadonlyArray<Duration> = [5, 5n, [1, 500], "1 second", "1.5 hours", "3 millis"]
  // @ts-expect-error: nor is one an object
  const duration: Duration = { seconds: 5 }
  console.log(durations, duration)
}

/** `run`, `start` and their options. */
export const processes = async (): Promise<void> => {
  const result = await client.run({ argv: ["ls"], timeout: "5 minutes", maxBuffer: 10, signal }, { signal })
  same<typeof result, Result>(true)
  same<typeof result.exitCode, number>(true)
  same<typeof result.stdout, string>(true)
  same<typeof result.stdoutBytes, Uint8Array>(true)
  same<typeof result.timedOut, boolean>(true)
  // @ts-expect-error: a result is not changed
  result.exitCode = 1
  // @ts-expect-error: a program needs arguments
  await client.run({})
  // @ts-expect-error: a command is a list, not a line
  await client.run({ argv: "ls -l" })
  // @ts-expect-error: a misspelt option
  await client.run({ argv: ["ls"], timout: 5 })
  // @ts-expect-error: variables are texts
  await client.run({ argv: ["ls"], env: { PORT: 80 } })
  // @ts-expect-error: only `signal` and `timeout` belong to the call
  await client.run({ argv: ["ls"] }, { maxBuffer: 1 })
  // @ts-expect-error: with exactOptionalPropertyTypes, what is not given is left out
  await client.start({ argv: ["ls"], cwd: undefined })
  // The last argument of a call, and a signal, may be what a caller was given, or was not.
  const how: { signal?: AbortSignal | undefined } = {}
  await client.run({ argv: ["ls"], signal: how.signal }, { signal: how.signal, timeout: undefined })

  const child = await client.start({ argv: ["sh"], tty: true, terminalSize: { rows: 24, columns: 80 } })
  same<typeof child.exitCode, Promise<number>>(true)
  await child.signal("SIGUSR1")
  await child.signal(10)
  // @ts-expect-error: a size has rows and columns
  await child.resize({ rows: 24 })
  // @ts-expect-error: a process reads texts or bytes
  await child.write(1)
  for await (const line of child.lines("stderr")) same<typeof line, string>(true)
  for await (const bytes of child.output()) same<typeof bytes, Uint8Array>(true)
  // @ts-expect-error: there is no such stream
  child.lines("stdlog")
  for await (const event of child) seen(event)
}

const seen = (event: ProcessEvent): void => {
  switch (event.kind) {
    case "output":
      return same<typeof event.bytes, Uint8Array>(true)
    case "exited":
      return same<typeof event.exitCode, number>(true)
    case "failed":
      // @ts-expect-error: only what the process has said has bytes
      return event.bytes
    default:
      // @ts-expect-error: there is no such event
      return event.kind === "gone"
  }
}

/** `$`: what a template is made of, and what it gives. */
export const templates = async (): Promise<void> => {
  const { $ } = client
  const command = $`git log -n ${5} -- ${["a", "b"]}`
  same<typeof command, Command>(true)
  same<Awaited<typeof command>, Result>(true)
  same<Awaited<ReturnType<typeof command.text>>, string>(true)
  same<Awaited<ReturnType<typeof command.json>>, unknown>(true)
  const { version } = await $`cat package.json`.json<{ version: string }>()
  same<typeof version, string>(true)
  for await (const line of command.lines()) same<typeof line, string>(true)
  const piped = $({ cwd: "/", env: { A: "1" }, shell: true })`ls *`.pipe`wc -l`
    .pipe($`cat`)
    .quiet()
    .nothrow()
  same<typeof piped, Command>(true)
  same<Awaited<ReturnType<typeof command.catch<null>>>, Result | null>(true)
  // @ts-expect-error: an object is no argument
  await $`echo ${{ a: 1 }}`
  // @ts-expect-error: neither is what may be missing
  await $`echo ${undefined}`
  // @ts-expect-error: nor false, which shells would see as a word
  await $`echo ${false}`
  // @ts-expect-error: the template says what runs
  $({ argv: ["ls"] })
  // @ts-expect-error: a misspelt option
  $({ cmd: "/" })
  // @ts-expect-error: a text is no template
  $("ls")
  // @ts-expect-error: a duration
  $`ls`.timeout({ seconds: 5 })
}

/** Everything that a process can be given to read. */
export const inputs: ReadonlyArray<Input> = [
  "text",
  new Uint8Array(1),
  { file: "/srv/dump.sql" },
  ["a", new Uint8Array(1)],
  new Blob(["a"]),
  new Blob(["a"]).stream(),
  new Response("a").body ?? "",
]
// @ts-expect-error: numbers are not
export const noInput: Input = [1]
// @ts-expect-error: nor is nothing
export const noInputEither: Input = null
export const options: RunOptions = { argv: ["ls"], inherit: "none", envPolicy: null, labels: { a: "b" } }

/** Streams are those of the web. */
export const streams = async (): Promise<void> => {
  await using child = await client.start({ argv: ["gzip"], pipeStdin: true })
  const packed: Promise<Blob> = new Response(child.stdout).blob()
  await new Blob(["log"]).stream().pipeTo(child.stdin)
  const reader: ReadableStreamDefaultReader<Uint8Array> = child.stderr.getReader()
  const { value } = await reader.read()
  same<typeof value, Uint8Array | undefined>(true)
  const writer = child.stdin.getWriter()
  await writer.write(new Uint8Array(1))
  const writing: WritableStreamDefaultWriter<Uint8Array> = writer
  for await (const bytes of child.stdout) same<typeof bytes, Uint8Array>(true)
  console.log(await packed, writing)
}

/** Errors, files, HTTP, and any method of the wire. */
export const others = async (error: unknown): Promise<void> => {
  if (error instanceof ClientError) {
    same<typeof error._tag, "ClientError">(true)
    same<typeof error.reason, ClientReason>(true)
    same<typeof error.stack, string | undefined>(true)
    if (error.reason === "Failed") console.log(error.message, error.cause)
    // @ts-expect-error: the reasons are a closed set
    if (error.reason === "Oops") return
    // @ts-expect-error: an error of this client is no effect
    console.log(error.pipe)
    same<typeof error.code, number | string | undefined>(true)
  }
  console.log(new ClientError({ reason: "Failed", message: "it failed" }))
  // @ts-expect-error: an error has a reason
  console.log(new ClientError({ message: "it failed" }))
  same<Awaited<ReturnType<typeof client.fs.readTextFile>>, string>(true)
  await client.fs.readTextFile("/tmp/a", { followSymlinks: false }, { timeout: "1 second" })
  await client.fs.readTextFile("/tmp/a", undefined, { signal })
  await client.fs.write("/tmp/a", ["a", new Uint8Array(1)], { timeout: 5000 })
  // @ts-expect-error: a path is a text
  await client.fs.stat(new URL("file:///tmp"))
  const file = await client.fs.open("/tmp/a")
  same<Awaited<ReturnType<typeof file.read>>["chunk"], Uint8Array>(true)
  const { status } = await client.http.request({ url: "http://127.0.0.1/" })
  same<typeof status, number>(true)
  for await (const listed of client.list()) same<typeof listed, ListedProcess>(true)
  const { platformOs, capabilities } = client.environmentInfo
  same<typeof platformOs, string | null | undefined>(true)
  same<NonNullable<typeof capabilities>["processList"], boolean | undefined>(true)
  // Nothing is known of what is Effect behind it, not even as `any`.
  same<typeof client.effect, EffectFace>(true)
  // @ts-expect-error: only the doors with Effect know it
  console.log(client.effect.start)
}

/** Every method of the wire. */
export const calls = async (): Promise<void> => {
  await client.call("environment/status", {})
  const { exitCode } = await client.call("process/read", { processId: "1" })
  same<typeof exitCode, number | null>(true)
  const { dataBase64 } = await client.call("fs/readFile", { path: "/tmp/a" })
  same<typeof dataBase64, Uint8Array>(true)
  const { process } = await client.call("process/attach", { processId: "1" }, { timeout: 5 })
  same<typeof process, ListedProcess>(true)
  await client.call("process/write", { processId: "1", chunk: new Uint8Array(1) })
  await client.call("process/write", { processId: "1", chunk: "YQ==" })
  same<Params<"process/write">["chunk"], string | Uint8Array>(true)
  same<Params<"fs/readFile">["path"], string>(true)
  // @ts-expect-error: a misspelt method
  await client.call("process/strat", {})
  // @ts-expect-error: params are those of the method
  await client.call("process/terminate", { id: "1" })
  // @ts-expect-error: each of its kind
  await client.call("process/terminate", { processId: 1 })
  // @ts-expect-error: bytes are those of a chunk alone
  await client.call("fs/writeFile", { path: "/tmp/a", dataBase64: new Uint8Array(1) })
  // @ts-expect-error: a result has what the method gives
  console.log((await client.call("process/read", { processId: "1" })).outputs)
}
