/**
 * The signals of this process that its commands get in its place, and how they get there: by `process/signal`, or as
 * an interrupt from a server that knows no other signal.
 */
import { constants } from "node:os"
import process from "node:process"
import * as Effect from "effect/Effect"
import * as Queue from "effect/Queue"
import * as Stream from "effect/Stream"
import type { ClientError } from "../../../core/client/ClientError.ts"
import type { ExecClient } from "../../../core/client/ExecClient.ts"
import type { RemoteProcess } from "../../../core/client/RemoteProcess.ts"

const onWire = { SIGINT: "interrupt", SIGTERM: "terminate", SIGHUP: "hangup", SIGQUIT: "quit" } as const

export type Name = keyof typeof onWire

export const names = Object.keys(onWire) as ReadonlyArray<Name>

/** The exit code of a program that has died of the signal, as shells have it. */
export const exitCode = (name: Name): number => 128 + constants.signals[name]

/**
 * Ends this process by the signal, so that whoever waits for it learns that: a shell ends its loop then. Where that
 * cannot be, as for process 1 of a container, the exit code says it. SIGQUIT would write a core.
 */
export const die = (name: Name): never => {
  process.removeAllListeners(name)
  // The terminal and the files are as they should be once every other listener has run.
  if (name !== "SIGQUIT")
    process.on("exit", () => {
      process.kill(process.pid, name)
      // Deno has its signals taken by a thread, which ends the process a little later.
      if ("Deno" in globalThis && process.pid !== 1)
        Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1000)
    })
  return process.exit(exitCode(name))
}

/** Each such signal of this process; without a listener the process would end. */
export const received: Stream.Stream<Name> = Stream.callback<Name>((queue) =>
  Effect.acquireRelease(
    Effect.sync(() => {
      const listeners = names.map((name) => [name, () => void Queue.offerUnsafe(queue, name)] as const)
      for (const [name, listener] of listeners) process.on(name, listener)
      return listeners
    }),
    (listeners) =>
      Effect.sync(() => {
        for (const [name, listener] of listeners) process.off(name, listener)
      }),
  ),
)

/** True if the server sends every signal; others know SIGINT alone. */
export const areKnown = ({ environmentInfo }: Pick<ExecClient, "environmentInfo">): boolean =>
  environmentInfo.capabilities?.processSignals === true

/** Sends the signal to the process group, or SIGINT where the server knows no other. */
export const send = (
  child: Pick<RemoteProcess, "signal">,
  name: Name,
  known: boolean,
): Effect.Effect<void, ClientError> => child.signal(known ? onWire[name] : "interrupt")
