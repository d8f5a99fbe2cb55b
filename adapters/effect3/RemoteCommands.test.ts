import * as Command from "@effect/platform/Command"
import type { PlatformError } from "@effect/platform/Error"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Option from "effect/Option"
import * as Scope from "effect/Scope"
import * as Sink from "effect/Sink"
import * as Stream from "effect/Stream"
import { expect, it } from "vitest"
import * as Folder from "../shared/testing/Folder.ts"
import { isAlive } from "../shared/testing/Proc.ts"
import { onEachServer } from "./testing/Services.ts"

const sh = (script: string) => Command.make("/bin/sh", "-c", script)

const textOf = <E>(bytes: Stream.Stream<Uint8Array, E>) => Stream.mkString(Stream.decodeText(bytes))

const firstLine = <E>(bytes: Stream.Stream<Uint8Array, E>) =>
  Effect.map(Stream.runHead(Stream.splitLines(Stream.decodeText(bytes))), Option.getOrThrow)

/** The failure: the tag, the reason and the method. */
const failure = <A, R>(effect: Effect.Effect<A, PlatformError, R>) =>
  Effect.map(Effect.flip(effect), (error) => {
    const reason = error._tag === "SystemError" ? error.reason : (error.description ?? "")
    return [error._tag, `${error.module}.${error.method}`, reason] as const
  })

onEachServer("CommandExecutor", (run) => {
  it("gives output as text and lines, and the exit code", async () => {
    expect(await run(Command.string(Command.make("echo", "a b", "$HOME")))).toBe("a b $HOME\n")
    expect(await run(Command.lines(sh("printf 'one\\ntwo'; echo three >&2")))).toEqual(["one", "two"])
    expect(await run(Command.exitCode(sh("exit 7")))).toBe(7)
    const lines = Stream.runCollect(Command.streamLines(sh("printf 'ä\\nß\\n'")))
    expect([...(await run(lines))]).toEqual(["ä", "ß"])
  })

  it("keeps a character whole that two writes share", async () => {
    const split = sh("printf '\\303'; read go; printf '\\244\\n'")
    const go = Stream.fromEffect(Effect.succeed(new TextEncoder().encode("go\n")))
    expect(await run(Command.lines(Command.stdin(split, go)))).toEqual(["ä"])
  })

  it("separates stdout and stderr, however late they are read", async () => {
    const both = Effect.gen(function* () {
      const process = yield* Command.start(sh("echo out; echo err >&2; exit 3"))
      const code = yield* process.exitCode
      return [code, yield* textOf(process.stderr), yield* textOf(process.stdout)]
    })
    expect(await run(both)).toEqual([3, "err\n", "out\n"])
  })

  it("loses nothing of what waits for a reader", async () => {
    const late = Effect.gen(function* () {
      const process = yield* Command.start(sh("seq 1 700000; echo written >&2"))
      // It stands still at 1 MiB; the number of its last line proves that nothing is gone.
      const size = yield* Stream.runFold(process.stdout, 0, (sum, bytes) => sum + bytes.length)
      return [size, yield* process.exitCode]
    })
    expect(await run(late)).toEqual([4_788_895, 0])
  })

  it("drops what nobody reads once the exit code is asked for", async () => {
    expect(await run(Command.exitCode(sh("seq 1 700000; exit 4")))).toBe(4)
  })

  it("feeds a command from a text, a stream, or its sink", async () => {
    expect(await run(Command.string(Command.feed(Command.make("cat"), "fed")))).toBe("fed")
    const pieces = Stream.map(Stream.range(1, 200), () => new Uint8Array(1000))
    expect(await run(Command.string(Command.stdin(Command.make("wc", "-c"), pieces)))).toBe("200000\n")
    const sunk = Effect.gen(function* () {
      const process = yield* Command.start(Command.make("cat"))
      yield* Stream.run(Stream.make(new TextEncoder().encode("sunk")), process.stdin)
      return yield* textOf(process.stdout)
    })
    expect(await run(sunk)).toBe("sunk")
  })

  it("pipes commands into each other, and ends one whose reader has gone", async () => {
    const sorted = sh("printf 'b\\na\\n'").pipe(
      Command.pipeTo(Command.make("sort")),
      Command.pipeTo(sh("cat -n")),
    )
    expect(await run(Command.lines(sorted))).toEqual(["     1\ta", "     2\tb"])
    const endless = Command.pipeTo(Command.make("yes"), Command.make("head", "-n", "2"))
    expect(await run(Command.lines(endless))).toEqual(["y", "y"])
  })

  it("holds back the first of a pipe while the second does not read", async () => {
    const { at } = Folder.make("mkfifo go")
    const slow = Effect.gen(function* () {
      let written = 0
      const source = Stream.forever(Stream.make(new Uint8Array(65_536))).pipe(
        Stream.take(400),
        Stream.tap((bytes) => Effect.sync(() => (written += bytes.length))),
      )
      const pipe = Command.pipeTo(Command.make("cat"), sh(`read go < ${at("go")}; wc -c`))
      const process = yield* Command.start(Command.stdin(pipe, source))
      // It has stopped below what the pipe, the windows and the server hold; looking too early proves no less.
      for (let before = -1; written === 0 || written > before;) {
        before = written
        for (let turn = 0; turn < 10; turn++) yield* Command.exitCode(Command.make("true"))
      }
      const stalled = written
      yield* Command.exitCode(sh(`echo go > ${at("go")}`))
      return { stalled, counted: (yield* textOf(process.stdout)).trim() }
    })
    const { stalled, counted } = await run(slow)
    expect(counted).toBe("26214400")
    expect(stalled).toBeLessThan(26_214_400)
  })

  it("passes the environment, the directory and the shell", async () => {
    const { path } = Folder.make()
    const print = sh('echo "$A ${PATH:+path}"; pwd').pipe(Command.workingDirectory(path))
    expect(await run(Command.lines(Command.env(print, { A: "1" })))).toEqual(["1 path", path])
    const alone = Command.env(Command.make("/usr/bin/env"), { A: "1" }, { extendEnv: false })
    expect(await run(Command.lines(alone))).toContain("A=1")
    expect((await run(Command.lines(alone))).some((line) => line.startsWith("HOME="))).toBe(false)
    const shell = Command.make("echo", "$((6 * 7))", "|", "cat").pipe(Command.runInShell(true))
    expect(await run(Command.string(shell))).toBe("42\n")
    expect(await run(Command.string(Command.runInShell(Command.make("echo", "$0"), "/bin/sh")))).toBe(
      "/bin/sh\n",
    )
  })

  it("gives output to a sink", async () => {
    const counting = Sink.foldLeft(new Uint8Array(1), (sum: Uint8Array, bytes: Uint8Array) =>
      Uint8Array.of((sum[0] ?? 0) + bytes.length),
    )
    const counted = Stream.runHead(Command.stream(Command.stdout(Command.make("echo", "abc"), counting)))
    expect(Option.getOrThrow(await run(counted))).toEqual(Uint8Array.of(4))
  })

  it("kills with the signal that is named, and tells the death as a failure", async () => {
    const killed = Effect.gen(function* () {
      const process = yield* Command.start(sh("trap 'exit 5' USR1; echo ready; while :; do sleep 0.05; done"))
      expect(yield* firstLine(process.stdout)).toBe("ready")
      expect(yield* process.isRunning).toBe(true)
      yield* process.kill("SIGUSR1")
      expect(yield* process.isRunning).toBe(false)
      expect(yield* process.exitCode).toBe(5)
      yield* process.kill()
      const other = yield* Command.start(Command.make("sleep", "1000"))
      yield* other.kill()
      return yield* Effect.flip(other.exitCode)
    })
    expect((await run(killed)).message).toContain("the process died of SIGTERM")
  })

  it("has the pid on the server's host", async () => {
    const pids = Effect.gen(function* () {
      const process = yield* Command.start(sh("echo $$"))
      return [`${process.pid}`, yield* firstLine(process.stdout)]
    })
    const [told, own] = await run(pids)
    expect(told).toBe(own)
  })

  it("ends the process group with the scope, and with the interruption of a run", async () => {
    const script = sh("sleep 1000 & echo $!; wait")
    const scoped = Effect.gen(function* () {
      const scope = yield* Scope.make()
      const process = yield* Scope.extend(Command.start(script), scope)
      const pid = Number(yield* firstLine(process.stdout))
      expect(isAlive(pid)).toBe(true)
      yield* Scope.close(scope, Exit.void)
      expect(yield* process.isRunning).toBe(false)
      return pid
    })
    const { at } = Folder.make("mkfifo pid")
    const interrupted = Effect.gen(function* () {
      const running = yield* Effect.fork(Command.string(sh(`sleep 1000 & echo $! > ${at("pid")}; wait`)))
      const pid = Number(yield* Command.string(Command.make("cat", at("pid"))))
      expect(isAlive(pid)).toBe(true)
      yield* Fiber.interrupt(running)
      return pid
    })
    for (const program of [scoped, interrupted]) {
      const pid = await run(program)
      await expect.poll(() => isAlive(pid), { timeout: 60_000 }).toBe(false)
    }
  })

  it("fails with the errors of the platform", async () => {
    const { at } = Folder.make("touch plain")
    const start = (command: Command.Command) => run(failure(Command.exitCode(command)))
    expect(await start(Command.make("no-such-program"))).toEqual(["SystemError", "Command.start", "NotFound"])
    expect(await start(Command.make(at("plain")))).toEqual([
      "SystemError",
      "Command.start",
      "PermissionDenied",
    ])
    const nowhere = Command.workingDirectory(Command.make("true"), at("none"))
    expect(await start(nowhere)).toEqual(["SystemError", "Command.start", "NotFound"])
    const [tag, , words] = await start(Command.stdin(Command.make("cat"), "inherit"))
    expect(tag).toBe("BadArgument")
    expect(words).toContain("cannot inherit stdin")
    const odd = Effect.flatMap(Command.start(Command.make("cat")), ({ kill }) => kill("SIGLOST"))
    expect(await run(failure(odd))).toEqual([
      "BadArgument",
      "Command.kill",
      "no signal of the wire is SIGLOST",
    ])
  })
})
