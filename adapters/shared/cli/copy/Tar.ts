/**
 * Files as an archive of tar, between this machine and a server: one side packs, the other unpacks into a folder that
 * is new. Neither side holds more of it than a pipe and the window of a process do.
 */
import { spawn, type ChildProcess } from "node:child_process"
import { once } from "node:events"
import process from "node:process"
import { PassThrough } from "node:stream"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import type * as ExecClient from "../../../../core/client/ExecClient.ts"
import { maxWriteBytes } from "../../../../core/client/Content.ts"
import * as ProcessStarter from "../../../../core/client/ProcessStarter.ts"
import { Unable } from "../server/Unable.ts"

/**
 * How much is read ahead of what is sent, in bytes: four of the largest writes of the wire. A write waits for the one
 * before, so small ones would have a distant server wait most of the time.
 */
const ahead = 4 * maxWriteBytes

/** Packs what is called `name` in a folder. */
export const pack = (folder: string, name: string): ReadonlyArray<string> => [
  "tar",
  "-cf",
  "-",
  "-C",
  folder,
  `./${name}`,
]

/** Unpacks into a folder, with modes and times, for the user who does it. */
export const unpack = (folder: string): ReadonlyArray<string> => ["tar", "-xpof", "-", "-C", folder]

/** One of both ends: runs it, with the bytes that go in, or come out. */
interface Local {
  readonly child: ChildProcess
  /** What it prints. */
  readonly output: PassThrough
  readonly ended: Effect.Effect<void, Unable>
}

const local = (argv: ReadonlyArray<string>) =>
  Effect.acquireRelease(
    Effect.sync((): Local => {
      // Through the shell, which is all that Deno's permissions let a command start.
      const child = spawn("/bin/sh", ["-c", 'exec "$@"', "sh", ...argv], {
        env: { ...process.env, LC_ALL: "C" },
        stdio: ["pipe", "pipe", "pipe"],
      })
      let said = ""
      child.stderr?.setEncoding("utf8").on("data", (text: string) => (said += text))
      child.stdin?.on("error", () => {})
      const closed = once(child, "close")
      // Node drops what a child has printed that has ended before somebody reads.
      const output = child.stdout.pipe(new PassThrough({ highWaterMark: ahead }))
      const ended = Effect.flatMap(
        Effect.promise(() => closed),
        ([code]) => verdict(Number(code ?? 255), said, "on this machine"),
      )
      return { child, output, ended }
    }),
    ({ child }) => Effect.sync(() => void child.kill("SIGKILL")),
  )

/** A file that has grown meanwhile is whole as far as it was, which tar tells by 1. */
const verdict = (code: number, said: string, where: string): Effect.Effect<void, Unable> => {
  const lines = said.split("\n").filter((line) => line.trim() !== "")
  const isGrown =
    code === 1 && lines.length > 0 && lines.every((line) => /file changed as we read it/.test(line))
  if (code === 0 || isGrown) return Effect.void
  const why = code === 127 ? "there is no tar" : (lines[0] ?? `tar has ended with ${code}`)
  return new Unable({ message: `${where}: ${why}` })
}

/** From the server to this machine; `seen` is told how many bytes have come. */
export const fetch = (
  client: ExecClient.ExecClient,
  from: ReadonlyArray<string>,
  to: ReadonlyArray<string>,
  seen: (bytes: number) => void,
) =>
  Effect.gen(function* () {
    const { child, ended } = yield* local(to)
    const { process: remote, subscription } = yield* ProcessStarter.scoped(
      client.startSubscribed({ argv: from, env: { LC_ALL: "C" } }),
    )
    let said = ""
    for (;;) {
      const batch = yield* subscription.next
      if (batch === undefined) break
      for (const event of batch) {
        if (event.kind === "failed") return yield* new Unable({ message: event.message })
        if (event.kind !== "output") continue
        if (event.stream === "stderr") said += new TextDecoder().decode(event.bytes)
        else {
          yield* put(child, event.bytes)
          seen(event.bytes.length)
        }
      }
    }
    // An archive that is cut short looks whole to tar: so what has sent it is asked first.
    yield* verdict(yield* remote.exitCode, said, "on the host")
    child.stdin?.end()
    yield* ended
  }).pipe(Effect.scoped)

/** From this machine to the server. */
export const send = (
  client: ExecClient.ExecClient,
  from: ReadonlyArray<string>,
  to: ReadonlyArray<string>,
  seen: (bytes: number) => void,
) =>
  Effect.gen(function* () {
    const { child, output, ended } = yield* local(from)
    child.stdin?.end()
    const { process: remote, subscription } = yield* ProcessStarter.scoped(
      client.startSubscribed({ argv: to, pipeStdin: true, env: { LC_ALL: "C" } }),
    )
    const pieces = Stream.fromAsyncIterable(
      output as AsyncIterable<Uint8Array>,
      (cause) => new Unable({ message: String(cause) }),
    )
    const whole = Stream.runForEach(pieces, (bytes) =>
      Effect.tap(remote.write(bytes), () => Effect.sync(() => seen(bytes.length))),
    )
    // Whoever unpacks says best why it takes no more.
    const sent = yield* Effect.either(Effect.zipRight(whole, ended))
    if (sent._tag === "Left" && sent.left instanceof Unable) return yield* sent.left
    yield* Effect.ignore(client.call("process/closeStdin", { processId: remote.id }))
    let said = ""
    for (let batch = yield* subscription.next; batch !== undefined; batch = yield* subscription.next)
      for (const event of batch) {
        if (event.kind === "failed") return yield* new Unable({ message: event.message })
        if (event.kind === "output") said += new TextDecoder().decode(event.bytes)
      }
    yield* verdict(yield* remote.exitCode, said, "on the host")
    if (sent._tag === "Left") return yield* sent.left
  }).pipe(Effect.scoped)

const put = (child: ChildProcess, bytes: Uint8Array): Effect.Effect<void> =>
  Effect.async((resume) => {
    const { stdin } = child
    if (stdin === null || stdin.destroyed) return resume(Effect.void)
    stdin.write(bytes, () => resume(Effect.void))
  })
