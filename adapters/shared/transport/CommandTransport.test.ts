import { existsSync, writeFileSync } from "node:fs"
import * as process from "node:process"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Scope from "effect/Scope"
import * as TestClock from "effect/testing/TestClock"
import { describe, expect, it, vi } from "vitest"
import type { Transport } from "../../../core/transport/Transport.ts"
import * as Folder from "../testing/Folder.ts"
import { isAlive } from "../testing/Proc.ts"
import * as CommandTransport from "./CommandTransport.ts"

const run = <A, E>(test: Effect.Effect<A, E, Scope.Scope>) => Effect.runPromise(Effect.scoped(test))

const shell = (script: string) => CommandTransport.connectCommand({ command: "sh", args: ["-c", script] })

const take = (transport: Transport, count: number) =>
  Effect.gen(function* () {
    const taken: Array<string> = []
    while (taken.length < count) taken.push(yield* transport.incoming.take)
    return taken
  })

describe("CommandTransport", () => {
  it("starts the command with the given environment and directory", () =>
    run(
      Effect.gen(function* () {
        const transport = yield* CommandTransport.connectCommand({
          command: "/bin/sh",
          args: ["-c", 'echo "$A"; pwd'],
          env: { A: "b" },
          cwd: "/",
        })
        expect(yield* take(transport, 2)).toEqual(["b", "/"])
      }),
    ))

  it("ends incoming after the command's last message, also where a descendant holds its stdout", () =>
    run(
      Effect.gen(function* () {
        const transport = yield* shell("sleep 60 & echo $!; echo last; exit 3")
        const [pid, last] = yield* take(transport, 2)
        expect(last).toBe("last")
        yield* transport.incoming.await
        process.kill(Number(pid), "SIGKILL")
      }),
    ))

  it.each([
    ["echo last; exit 3", "the command has exited with code 3"],
    ["echo last; kill -9 $$", "SIGKILL has ended the command"],
  ])("fails after the last message of a command that fails: %s", (script, message) =>
    run(
      Effect.gen(function* () {
        const transport = yield* shell(script)
        expect(yield* take(transport, 1)).toEqual(["last"])
        const failure = yield* Effect.flip(transport.incoming.await)
        expect(failure).toMatchObject({ reason: "Io", message })
      }),
    ),
  )

  it("ends at the end of stdout of a command that runs on", () =>
    run(
      Effect.gen(function* () {
        const transport = yield* shell("echo last; exec >&-; exec sleep 60")
        expect(yield* take(transport, 1)).toEqual(["last"])
        yield* transport.incoming.await
      }),
    ))

  it("delivers everything a dead command wrote to a reader that is late", () =>
    run(
      Effect.gen(function* () {
        const transport = yield* shell("seq 1 5000")
        yield* Effect.sleep("600 millis")
        const texts = yield* take(transport, 5000)
        expect(texts.at(-1)).toBe("5000")
        yield* transport.incoming.await
      }),
    ))

  it("delivers what was written while this process did not run", () =>
    run(
      Effect.gen(function* () {
        // The command dies at once; what it has started writes while nothing here can read.
        const folder = Folder.make()
        const [go, written] = [folder.at("go"), folder.at("written")]
        const transport = yield* shell(
          `(until [ -e ${go} ]; do sleep 0.01; done; seq 1 5000; : >${written}) & echo $$`,
        )
        const pid = Number(yield* transport.incoming.take)
        while (isAlive(pid)) yield* Effect.promise(() => new Promise(setImmediate))
        writeFileSync(go, "")
        while (!existsSync(written));
        for (const until = Date.now() + 500; Date.now() < until;);
        expect((yield* take(transport, 5000)).at(-1)).toBe("5000")
        yield* transport.incoming.await
      }),
    ))

  it("ends incoming although a descendant goes on writing", () =>
    run(
      Effect.gen(function* () {
        // The command lives until its descendant has written, as it owes nothing that comes later.
        const transport = yield* shell("sh -c 'echo $$; exec yes 1111111111111111' & read -r line")
        const pid = Number(yield* transport.incoming.take)
        transport.write("go")
        const draining = Effect.forever(transport.incoming.takeAll)
        yield* Effect.exit(Effect.raceFirst(Effect.exit(draining), transport.incoming.await))
        process.kill(pid, "SIGKILL")
      }),
    ))

  it("fails to open a command that does not exist, naming it", () =>
    run(
      Effect.gen(function* () {
        const error = yield* Effect.flip(CommandTransport.connectCommand({ command: "no-such-command" }))
        expect(error.reason).toBe("Open")
        expect(error.message).toContain("no-such-command")
      }),
    ))

  it("ends the command's stdin when the scope closes, and waits for it", () =>
    Effect.gen(function* () {
      const scope = yield* Scope.make()
      const transport = yield* Scope.provide(shell("echo $$; exec cat"), scope)
      const pid = Number(yield* transport.incoming.take)
      yield* Scope.close(scope, Exit.void)
      expect(isAlive(pid)).toBe(false)
    }).pipe(Effect.runPromise))

  it("kills a command that ignores the end of its stdin and SIGTERM", () =>
    Effect.gen(function* () {
      const scope = yield* Scope.make()
      const transport = yield* Scope.provide(shell("trap '' TERM; echo $$; while :; do sleep 1; done"), scope)
      const pid = Number(yield* transport.incoming.take)
      const closing = yield* Effect.forkChild(Scope.close(scope, Exit.void))
      while (closing.pollUnsafe() === undefined) {
        yield* TestClock.adjust("100 millis")
        yield* Effect.promise(() => new Promise(setImmediate))
      }
      // The test clock runs ahead of the kill.
      yield* Effect.promise(() => vi.waitFor(() => expect(isAlive(pid)).toBe(false), { timeout: 60_000 }))
    }).pipe(Effect.provide(TestClock.layer()), Effect.runPromise))
})
