/**
 * The streams of a program on Node, Bun or Deno, and files of its machine, for clients that inherit them.
 */
import * as files from "node:fs/promises"
import process from "node:process"
import { setImmediate } from "node:timers"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import { LocalStreams, type LocalStreamsService, type Write } from "../../../core/client/Stdio.ts"
import * as OsError from "./OsError.ts"
import * as StandardStreams from "./StandardStreams.ts"

const failed = (cause: unknown): Error => {
  const { code } = cause as NodeJS.ErrnoException
  return Object.assign(
    new Error(OsError.fromUnknown(cause).message, { cause }),
    code === undefined ? {} : { code },
  )
}

/** The writes to each stream that are under way, counted. */
const writing = { stdout: 0, stderr: 0 }

/** The callback of a write has its error; the event, which comes behind it, would end a program that has no listener. */
const heard = (): void => {}

const writeTo =
  (to: "stdout" | "stderr"): Write =>
  (bytes) =>
    Effect.acquireUseRelease(
      Effect.sync(() => {
        if (writing[to]++ === 0) process[to].on("error", heard)
      }),
      () => Effect.mapError(StandardStreams.write(to, bytes), ({ cause }) => failed(cause)),
      () =>
        Effect.sync(() => {
          setImmediate(() => {
            if (--writing[to] === 0) process[to].off("error", heard)
          })
        }),
    )

/** A stdin without a reader does not keep the program alive; the next read goes on. */
const released = Effect.sync(() => {
  setImmediate(() => {
    const { stdin } = process
    if (stdin.listenerCount("readable") + stdin.listenerCount("data") === 0) stdin.resume().pause()
  })
})

/** Opened to append: two streams may lead to one file, and each writes at its end. */
const opened = async (path: string, keep: boolean): Promise<files.FileHandle> => {
  if (!keep) await (await files.open(path, "w")).close()
  return files.open(path, "a")
}

const open: LocalStreamsService["open"] = (path, keep) =>
  Effect.acquireRelease(Effect.tryPromise({ try: () => opened(path, keep), catch: failed }), (file) =>
    Effect.ignore(Effect.tryPromise(() => file.close())),
  ).pipe(
    Effect.map(
      (file): Write =>
        (bytes) =>
          Effect.tryPromise({ try: () => file.appendFile(bytes), catch: failed }),
    ),
  )

export const layer: Layer.Layer<never> = Layer.succeed(LocalStreams, {
  stdin: Stream.ensuring(
    Stream.mapError(StandardStreams.input, ({ cause }) => failed(cause)),
    released,
  ),
  stdout: writeTo("stdout"),
  stderr: writeTo("stderr"),
  open,
})
