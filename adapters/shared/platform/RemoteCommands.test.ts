import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Option from "effect/Option"
import * as PlatformError from "effect/PlatformError"
import * as ChildProcess from "effect/process/ChildProcess"
import { ChildProcessSpawner } from "effect/process/ChildProcessSpawner"
import * as Redacted from "effect/Redacted"
import * as Scope from "effect/Scope"
import * as Sink from "effect/Sink"
import * as Stream from "effect/Stream"
import { expect, it } from "vitest"
import * as Folder from "../testing/Folder.ts"
import { onEachServer } from "../testing/PlatformServices.ts"
import { isAlive } from "../testing/Proc.ts"

const { make, pipeTo } = ChildProcess

const sh = (script: string, options: ChildProcess.CommandOptions = {}) =>
  make("/bin/sh", ["-c", script], options)

const cat = (stdin: ChildProcess.CommandInput = "pipe") => make("cat", { stdin })

const string = (command: ChildProcess.Command) =>
  ChildProcessSpawner.use((spawner) => spawner.string(command))

const lines = (command: ChildProcess.Command) => ChildProcessSpawner.use((spawner) => spawner.lines(command))

const exitCode = (command: ChildProcess.Command) =>
  ChildProcessSpawner.use((spawner) => spawner.exitCode(command))

const textOf = <E>(bytes: Stream.Stream<Uint8Array, E>) => Stream.mkString(Stream.decodeText(bytes))

const firstLine = <E>(bytes: Stream.Stream<Uint8Array, E>) =>
  Effect.map(Stream.runHead(Stream.splitLines(Stream.decodeText(bytes))), Option.getOrThrow)

const sizeOf = <E>(bytes: Stream.Stream<Uint8Array, E>) =>
  Stream.runFold(
    bytes,
    () => 0,
    (sum, { length }) => sum + length,
  )

const encoded = (...texts: ReadonlyArray<string>) => Stream.encodeText(Stream.make(...texts))

/** The failure: its tag, its method and, of an argument, what is wrong with that. */
const failure = <A, R>(effect: Effect.Effect<A, PlatformError.PlatformError, R>) =>
  Effect.map(Effect.flip(effect), ({ reason }) => {
    const said = reason._tag === "BadArgument" ? [reason.description] : []
    return [reason._tag, `${reason.module}.${reason.method}`, ...said]
  })

onEachServer("ChildProcessSpawner", (run) => {
  it("gives output as text and lines, and the exit code", async () => {
    expect(await run(string(make`echo ${["a b", "$HOME"]}`))).toBe("a b $HOME\n")
    expect(await run(lines(sh("printf 'one\\ntwo'; echo three >&2")))).toEqual(["one", "two"])
    expect(await run(exitCode(sh("exit 7")))).toBe(7)
    const streamed = ChildProcessSpawner.use((spawner) =>
      Stream.runCollect(spawner.streamLines(sh("printf 'ä\\nß\\n'"))),
    )
    expect(await run(streamed)).toEqual(["ä", "ß"])
    const both = ChildProcessSpawner.use((spawner) =>
      spawner.lines(sh("echo one; echo two >&2; echo three"), { includeStderr: true }),
    )
    expect((await run(both)).sort()).toEqual(["one", "three", "two"])
  })

  it("keeps a character whole that two writes share", async () => {
    const split = sh("printf '\\303'; read go; printf '\\244\\n'", { stdin: encoded("go\n") })
    expect(await run(lines(split))).toEqual(["ä"])
  })

  it("separates stdout and stderr, however late they are read", async () => {
    const both = Effect.gen(function* () {
      const process = yield* sh("echo out; echo err >&2; exit 3")
      const code = yield* process.exitCode
      return [code, yield* textOf(process.stderr), yield* textOf(process.stdout)]
    })
    expect(await run(both)).toEqual([3, "err\n", "out\n"])
  })

  it("has both together in the order of the process", async () => {
    // Only an answer goes on, so the server has seen each before the next one.
    const turns = "for n in 1 2 3; do echo out$n; read go; echo err$n >&2; read go; done"
    const ordered = Effect.gen(function* () {
      const process = yield* sh(turns, { stdin: { stream: "pipe", endOnDone: false } })
      const seen: Array<string> = []
      yield* Stream.runForEach(Stream.splitLines(Stream.decodeText(process.all)), (line) =>
        Effect.andThen(
          Effect.sync(() => seen.push(line)),
          Effect.exit(Stream.run(encoded("\n"), process.stdin)),
        ),
      )
      return seen
    })
    expect(await run(ordered)).toEqual(["out1", "err1", "out2", "err2", "out3", "err3"])
  })

  it("loses nothing of what waits for a reader", async () => {
    const late = Effect.gen(function* () {
      const process = yield* sh("seq 1 700000; echo written >&2")
      // It stands still at 1 MiB; the number of its last line proves that nothing is gone.
      return [yield* sizeOf(process.stdout), yield* process.exitCode]
    })
    expect(await run(late)).toEqual([4_788_895, 0])
  })

  it("drops what nobody reads once the exit code is asked for", async () => {
    const unread = Effect.flatMap(sh("seq 1 700000; exit 4"), (process) => process.exitCode)
    expect(await run(unread)).toBe(4)
    expect(await run(exitCode(sh("seq 1 700000; seq 1 700000 >&2; exit 5")))).toBe(5)
    const ignored = sh("seq 1 700000; exit 6", { stdout: "ignore", stderr: "ignore" })
    expect(
      await run(Effect.flatMap(ignored, ({ stdout, exitCode }) => Effect.andThen(sizeOf(stdout), exitCode))),
    ).toBe(6)
  })

  it("feeds a command from a stream, or its sink, or not at all", async () => {
    expect(await run(string(cat(encoded("fed"))))).toBe("fed")
    const pieces = Stream.map(Stream.range(1, 200), () => new Uint8Array(1000))
    expect(await run(string(make("wc", ["-c"], { stdin: pieces })))).toBe("200000\n")
    const sunk = Effect.gen(function* () {
      const process = yield* cat()
      yield* Stream.run(encoded("sunk"), process.stdin)
      return yield* textOf(process.stdout)
    })
    expect(await run(sunk)).toBe("sunk")
    const twice = Effect.gen(function* () {
      const process = yield* sh("read a; read b; echo $a $b", { stdin: { stream: "pipe", endOnDone: false } })
      yield* Stream.run(encoded("one\n"), process.stdin)
      yield* Stream.run(encoded("two\n"), process.stdin)
      return yield* textOf(process.stdout)
    })
    expect(await run(twice)).toBe("one two\n")
    expect(await run(string(cat("ignore")))).toBe("")
  })

  it("tells the failure of its input as that of the exit code, at once", async () => {
    const broken = PlatformError.systemError({ module: "Test", method: "source", _tag: "BadResource" })
    const input = Stream.concat(encoded("half"), Stream.fail(broken))
    expect(await run(failure(exitCode(cat(input))))).toEqual(["BadResource", "Test.source"])
  })

  it("pipes commands into each other, and ends one whose reader has gone", async () => {
    const sorted = sh("printf 'b\\na\\n'").pipe(pipeTo(make("sort")), pipeTo(sh("cat -n")))
    expect(await run(lines(sorted))).toEqual(["     1\ta", "     2\tb"])
    const nested = pipeTo(sh("printf 'b\\na\\n'"), pipeTo(make("sort"), sh("cat -n")))
    expect(await run(lines(nested))).toEqual(["     1\ta", "     2\tb"])
    const endless = pipeTo(make("yes"), make("head", ["-n", "2"]))
    expect(await run(lines(endless))).toEqual(["y", "y"])
  })

  it("pipes either output, or both, and writes to the first of a pipe", async () => {
    const both = sh("echo out; echo err >&2")
    expect(await run(lines(pipeTo(both, cat(), { from: "stderr" })))).toEqual(["err"])
    expect((await run(lines(pipeTo(both, cat(), { from: "all" })))).sort()).toEqual(["err", "out"])
    const fed = Effect.gen(function* () {
      const process = yield* pipeTo(cat(), make("tr", ["a-z", "A-Z"]))
      yield* Stream.run(encoded("through"), process.stdin)
      return yield* textOf(process.stdout)
    })
    expect(await run(fed)).toBe("THROUGH")
  })

  it("holds back the first of a pipe while the second does not read", async () => {
    const { at } = Folder.make("mkfifo go")
    const slow = Effect.gen(function* () {
      let written = 0
      const source = Stream.forever(Stream.make(new Uint8Array(65_536))).pipe(
        Stream.take(400),
        Stream.tap((bytes) => Effect.sync(() => (written += bytes.length))),
      )
      const process = yield* pipeTo(cat(source), sh(`read go < ${at("go")}; wc -c`))
      // It has stopped below what the pipe, the windows and the server hold; looking too early proves no less.
      for (let before = -1; written === 0 || written > before;) {
        before = written
        for (let turn = 0; turn < 10; turn++) yield* exitCode(make("true"))
      }
      const stalled = written
      yield* exitCode(sh(`echo go > ${at("go")}`))
      return { stalled, counted: (yield* textOf(process.stdout)).trim() }
    })
    const { stalled, counted } = await run(slow)
    expect(counted).toBe("26214400")
    expect(stalled).toBeLessThan(26_214_400)
  })

  it("passes the directory and the shell", async () => {
    const { path } = Folder.make()
    expect(await run(string(make("pwd", { cwd: path })))).toBe(`${path}\n`)
    expect(await run(string(make("echo $((6 * 7)) | cat", { shell: true })))).toBe("42\n")
    expect(await run(string(make("echo $0", { shell: "/bin/sh" })))).toBe("/bin/sh\n")
  })

  it("passes the environment: that of the server, with changes, or none of it", async () => {
    const print = (options: ChildProcess.CommandOptions) =>
      run(string(make("/bin/sh", ["-c", 'echo "$A ${PATH:+path} ${HOME:+home}"'], options)))
    expect(await print({})).toBe(" path home\n")
    expect(await print({ env: { A: "1", HOME: undefined }, extendEnv: true })).toBe("1 path \n")
    const alone = await run(lines(make("/usr/bin/env", { env: { A: "1", B: undefined } })))
    expect(alone).toContain("A=1")
    expect(alone.some((line) => /^(HOME|B)=/.test(line))).toBe(false)
  })

  it("passes what is redacted, and says it nowhere", async () => {
    const secret = Redacted.make("s3cret")
    const told = sh('echo "$1 $A"')
    const given = make("/bin/sh", [...told.args, "sh", secret], { env: { A: secret }, extendEnv: true })
    expect(await run(string(given))).toBe("s3cret s3cret\n")
    const bad = Redacted.make("s3cret\0")
    for (const command of [make("echo", [bad]), make("echo", { env: { A: bad } })]) {
      const failed = await run(Effect.flip(exitCode(command)))
      expect(failed.message).toContain("NUL")
      expect(JSON.stringify(failed)).not.toContain("s3cret")
    }
  })

  it("gives output to a sink", async () => {
    const counting = Sink.reduce(
      () => new Uint8Array(1),
      (sum: Uint8Array, bytes: Uint8Array) => Uint8Array.of((sum[0] ?? 0) + bytes.length),
    )
    const command = make("echo", ["abc"], { stdout: counting })
    const counted = Effect.flatMap(command, ({ stdout }) => Stream.runHead(stdout))
    expect(Option.getOrThrow(await run(counted))).toEqual(Uint8Array.of(4))
    let taken = 0
    const taking = Sink.as(
      Sink.forEach((bytes: Uint8Array) => Effect.sync(() => (taken += bytes.length))),
      new Uint8Array(),
    )
    expect(await run(exitCode(sh("seq 1 700000; exit 3", { stdout: taking })))).toBe(3)
    // It ends with the process: the last part may still be on its way.
    expect(taken).toBeGreaterThan(1024 * 1024)
  })

  it("kills with the signal that is named, and tells the death as a failure", async () => {
    const killed = Effect.gen(function* () {
      const process = yield* sh("trap 'exit 5' USR1; echo ready; while :; do sleep 0.05; done")
      expect(yield* firstLine(process.stdout)).toBe("ready")
      expect(yield* process.isRunning).toBe(true)
      yield* process.kill({ killSignal: "SIGUSR1" })
      expect(yield* process.isRunning).toBe(false)
      expect(yield* process.exitCode).toBe(5)
      yield* process.kill()
      const other = yield* make("sleep", ["1000"])
      yield* other.kill()
      return yield* Effect.flip(other.exitCode)
    })
    expect((await run(killed)).message).toContain("the process died of SIGTERM")
  })

  it("kills by force what does not end in time, and all of a pipe", async () => {
    const deaf = Effect.gen(function* () {
      const process = yield* sh("trap '' TERM; echo ready; while :; do sleep 0.05; done")
      yield* firstLine(process.stdout)
      yield* process.kill({ forceKillAfter: 50 })
      return yield* Effect.flip(process.exitCode)
    })
    expect((await run(deaf)).message).toContain("the process died of SIGKILL")
    const { at } = Folder.make("mkfifo pid")
    const pipe = Effect.gen(function* () {
      const process = yield* pipeTo(sh(`echo $$ > ${at("pid")}; exec sleep 1000`), make("cat"))
      const pid = Number(yield* string(make("cat", [at("pid")])))
      expect(isAlive(pid)).toBe(true)
      yield* process.kill()
      return pid
    })
    expect(isAlive(await run(pipe))).toBe(false)
  })

  it("has the pid on the server's host", async () => {
    const pids = Effect.gen(function* () {
      const process = yield* sh("echo $$")
      return [`${process.pid}`, yield* firstLine(process.stdout)]
    })
    const [told, own] = await run(pids)
    expect(told).toBe(own)
  })

  it("ends the process group with the scope, and with the interruption of a run", async () => {
    const script = sh("sleep 1000 & echo $!; wait")
    const scoped = Effect.gen(function* () {
      const scope = yield* Scope.make()
      const process = yield* Scope.provide(script, scope)
      const pid = Number(yield* firstLine(process.stdout))
      expect(isAlive(pid)).toBe(true)
      yield* Scope.close(scope, Exit.void)
      expect(yield* process.isRunning).toBe(false)
      return pid
    })
    const { at } = Folder.make("mkfifo pid")
    const interrupted = Effect.gen(function* () {
      const running = yield* Effect.forkChild(string(sh(`sleep 1000 & echo $! > ${at("pid")}; wait`)))
      const pid = Number(yield* string(make("cat", [at("pid")])))
      expect(isAlive(pid)).toBe(true)
      yield* Fiber.interrupt(running)
      return pid
    })
    for (const program of [scoped, interrupted]) {
      const pid = await run(program)
      await expect.poll(() => isAlive(pid), { timeout: 60_000 }).toBe(false)
    }
  })

  it("ends a process with the scope as its command says", async () => {
    const { at, sh: look } = Folder.make()
    const told = Effect.gen(function* () {
      const process = yield* sh(
        `trap 'echo usr > ${at("told")}; exit' USR1; echo ready; while :; do sleep 0.05; done`,
        {
          killSignal: "SIGUSR1",
        },
      )
      yield* firstLine(process.stdout)
    })
    await run(Effect.scoped(told))
    expect(look("cat told")).toBe("usr\n")
  })

  it("leaves a process alone that is not referenced, until it is again", async () => {
    const program = Effect.gen(function* () {
      const [left, taken] = [yield* Scope.make(), yield* Scope.make()]
      const script = sh("echo ready; read go; exit 3", { stdin: { stream: "pipe", endOnDone: false } })
      const one = yield* Scope.provide(script, left)
      const other = yield* Scope.provide(script, taken)
      yield* one.unref
      yield* Effect.flatten(other.unref)
      yield* Scope.close(left, Exit.void)
      yield* Scope.close(taken, Exit.void)
      yield* Effect.exit(other.exitCode)
      const running = [yield* one.isRunning, yield* other.isRunning]
      yield* Stream.run(encoded("\n"), one.stdin)
      return [...running, yield* one.exitCode]
    })
    expect(await run(program)).toEqual([true, false, 3])
  })

  it("fails with the errors of the platform", async () => {
    const { at } = Folder.make("touch plain")
    const start = (command: ChildProcess.Command) => run(failure(exitCode(command)))
    expect(await start(make("no-such-program"))).toEqual(["NotFound", "ChildProcess.spawn"])
    expect(await start(make(at("plain")))).toEqual(["PermissionDenied", "ChildProcess.spawn"])
    expect(await start(make("true", { cwd: at("none") }))).toEqual(["NotFound", "ChildProcess.spawn"])
    const odd = Effect.flatMap(cat(), ({ kill }) => kill({ killSignal: "SIGLOST" }))
    expect(await run(failure(odd))).toEqual([
      "BadArgument",
      "ChildProcess.kill",
      "no signal of the wire is SIGLOST",
    ])
  })

  it("refuses by name what the wire lacks", async () => {
    const refused = [
      cat("inherit"),
      make("echo", ["a"], { shell: true }),
      make("true", { additionalFds: { fd3: { type: "output" } } }),
      pipeTo(make("true"), cat(), { to: "fd3" }),
    ]
    const said = await Promise.all(refused.map((command) => run(failure(exitCode(command)))))
    expect(said.map(([tag, method]) => `${tag} ${method}`)).toEqual(
      refused.map(() => "BadArgument ChildProcess.spawn"),
    )
    expect(said.map(([, , words]) => words)).toEqual([
      "a command on another host cannot inherit stdin: give it a Stream",
      "with the option shell the command is the whole script, without arguments",
      "the wire has no fd3: a command on another host has stdin, stdout and stderr",
      "the wire has no fd3: a command on another host has stdin, stdout and stderr",
    ])
    const beyond = Effect.flatMap(make("true"), ({ getInputFd, getOutputFd }) =>
      Effect.andThen(Stream.run(encoded("x"), getInputFd(3)), textOf(getOutputFd(3))),
    )
    expect(await run(beyond)).toBe("")
  })
})
