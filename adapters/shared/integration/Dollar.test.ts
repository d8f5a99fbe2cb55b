/** `$` of a client: commands as templates, over a real server in this program. */
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import * as fc from "fast-check"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import type { Client } from "../../../core/client/Client.ts"
import { ClientError } from "../../../core/client/ClientError.ts"
import type { Command, Dollar } from "../../../core/client/command/Command.ts"
import * as Pipeline from "../../../core/client/Pipeline.ts"
import type { Output } from "../../../core/client/ProcessEvent.ts"
import { anyText } from "../../../core/testing/Texts.ts"
import { connect } from "../../testing/Client.ts"

let client: Client
let $: Dollar
const folder = mkdtempSync(join(tmpdir(), "procwire-dollar-"))
beforeAll(async () => {
  client = await connect({ inProcess: true })
  $ = client.$
})
afterAll(async () => {
  await client.close()
  rmSync(folder, { recursive: true })
})

/** The rejection of a command. */
const failure = async (command: PromiseLike<unknown>): Promise<ClientError> => {
  const error = await command.then(
    () => new Error("it did not reject"),
    (cause: unknown) => cause,
  )
  expect(error).toBeInstanceOf(ClientError)
  return error as ClientError
}

const linesOf = async (command: Command) => {
  const all: Array<string> = []
  for await (const line of command.lines()) all.push(line)
  return all
}

/** Waits for the end of a process, and tells its exit code. */
const exitCodeOf = async (processId: string) => {
  for (;;) {
    const state = await client.call("process/read", { processId, afterSeq: 2 ** 40, waitMs: 60_000 })
    if (state.closed) return state.exitCode
  }
}

describe("a command", () => {
  it("resolves with its result", async () => {
    const result = await $`sh -c ${"printf out; printf err >&2; printf more"}`
    expect(result).toMatchObject({
      exitCode: 0,
      stdout: "outmore",
      stderr: "err",
      timedOut: false,
      truncated: false,
      endedBy: "exit",
    })
    expect(result.durationMs).toBeGreaterThanOrEqual(0)
    expect(Object.keys(result)).not.toContain("signal")
  })

  it("has its output in the order of seq, in all", async () => {
    const printed = { count: 0, wake: () => {} }
    const onOutput = () => {
      printed.count += 1
      printed.wake()
    }
    // The next line is asked for when the last has come.
    const input = (async function* () {
      for (let line = 1; line <= 3; line += 1) {
        while (printed.count < line) await new Promise<void>((resolve) => (printed.wake = resolve))
        yield "\n"
      }
    })()
    const steps = $({ onOutput })`sh -c ${"echo 1; read a; echo 2 >&2; read a; echo 3; read a"}`.input(input)
    expect(await steps).toMatchObject({ all: "1\n2\n3\n", stdout: "1\n3\n", stderr: "2\n" })
  })

  it("passes every argument as it is, and no shell sees it", async () => {
    const texts = fc.array(
      anyText({ maxLength: 20 }).filter((text) => !text.includes("\0")),
      { minLength: 1, maxLength: 8 },
    )
    await fc.assert(
      fc.asyncProperty(texts, async (args) => {
        const zeroed = `${args.join("\0")}\0`
        expect(await $`printf '%s\0' ${args}`.text()).toBe(zeroed)
        expect(await $({ shell: true })`printf '%s\0' ${args}`.text()).toBe(zeroed)
      }),
      { numRuns: 10 },
    )
  })

  it("has text, JSON, bytes, and the errors of what is none", async () => {
    expect(await $`printf ${"a\nb\n"}`.text()).toBe("a\nb\n")
    expect(await $`printf ${'{"a":[1]}'}`.json<{ a: Array<number> }>()).toEqual({ a: [1] })
    expect([...(await $`printf ${"\\377\\0a"}`.bytes())]).toEqual([255, 0, 97])
    const error = await failure($`printf hello`.json())
    expect(error).toMatchObject({ reason: "NotJson", result: { stdout: "hello" } })
    expect(error.message).toMatch(/^the stdout of printf is no JSON: /)
    expect(error.cause).toBeInstanceOf(SyntaxError)
  })

  it("runs once, when it is awaited, and as often as there are loops over its lines", async () => {
    const file = join(folder, "runs")
    const command = $`sh -c ${'echo run >> "$1"; wc -l < "$1"'} sh ${file}`
    expect(await linesOf(command)).toEqual(["1"])
    expect([await command.text(), await command.json(), (await command).stdout]).toEqual(["2\n", 2, "2\n"])
    expect(await linesOf(command)).toEqual(["3"])
    expect(await command.env({}).text()).toBe("4\n")
  })

  it("rejects unless it exits with 0: the end of stderr is in the message", async () => {
    const error = await failure($`sh -c ${"echo out; echo first >&2; echo last >&2; exit 3"}`)
    expect(error).toMatchObject({
      reason: "Failed",
      message: "sh exited with 3:\nfirst\nlast",
      cause: { exitCode: 3, endedBy: "exit" },
      result: { exitCode: 3, stdout: "out\n" },
    })
    expect((await failure($`sh -c ${"echo bad >&2; kill -9 $$"}`)).message).toBe("sh died of SIGKILL: bad")
    expect((await failure($`false`)).message).toBe("false exited with 1")
    const { message } = await failure($`sh -c ${"seq 1 5000 >&2; exit 1"}`)
    expect(message).toMatch(/^sh exited with 1:\n(\d{4}\n)+5000$/)
    expect(message.length).toBeLessThan(1100)
    expect(await failure($`/nope/program`)).toMatchObject({ reason: "ProgramNotFound" })
  })

  it("resolves with nothrow however it ends, but not where it cannot start", async () => {
    expect(await $`sh -c ${"echo x; exit 3"}`.nothrow()).toMatchObject({ exitCode: 3, stdout: "x\n" })
    expect(await $({ maxBuffer: 3 })`printf 12345`.nothrow()).toMatchObject({
      stdout: "123",
      truncated: true,
    })
    expect(await failure($({ maxBuffer: 3 })`printf 12345`)).toMatchObject({ reason: "OutputTooLarge" })
    expect(await failure($`/nope/program`.nothrow())).toMatchObject({ reason: "ProgramNotFound" })
  })

  it("is configured by methods that make another one, and by options of $", async () => {
    const show = $`sh -c ${'echo "$A$B"; pwd'}`
    const both = $({ env: { A: "1" }, cwd: "/" })({ env: { B: "2" } })
    expect(await show.env({ A: "a" }).env({ B: "b" }).cwd(folder).text()).toBe(`ab\n${folder}\n`)
    expect(await both`sh -c ${'echo "$A$B"; pwd'}`.text()).toBe("12\n/\n")
    expect(await show.cwd("/").text()).toBe("\n/\n")
    expect(await $`cat`.input("typed").text()).toBe("typed")
    const seen: Array<string> = []
    const onOutput = ({ stream, bytes }: Output) => void seen.push(`${stream} ${bytes.length}`)
    await $({ onOutput })`printf abc`
    await $({ onOutput })`printf abc`.quiet()
    expect(seen).toEqual(["stdout 3"])
    expect((await failure($`sleep 1000`.timeout(1))).message).toBe("sleep was ended by its timeout")
    expect(await $`sleep 1000`.timeout("1 millis").nothrow()).toMatchObject({
      timedOut: true,
      signal: "SIGTERM",
    })
  })

  it("is given up by its signal, and by that of a call, and ended then", async () => {
    for (const begin of [
      (signal: AbortSignal, processId: string) => client.run({ argv: ["sleep", "1000"], processId, signal }),
      (signal: AbortSignal, processId: string) =>
        client.run({ argv: ["sleep", "1000"], processId }, { signal }),
    ]) {
      const controller = new AbortController()
      const processId = `given-up-${String(begin)}`.length.toString()
      const running = begin(controller.signal, processId).catch((error: unknown) => error)
      while (
        !(await client.call("process/read", { processId }).then(
          () => true,
          () => false,
        ))
      );
      controller.abort("enough")
      expect(await running).toBe("enough")
      expect(await exitCodeOf(processId)).toBe(137)
    }
    const controller = new AbortController()
    const ready = { onOutput: () => controller.abort("enough") }
    const endless = $(ready)`sh -c ${"echo; exec sleep 1000"}`
    expect(
      await endless.signal(controller.signal).then(
        () => "ended",
        (error: unknown) => error,
      ),
    ).toBe("enough")
    expect(
      await $`true`.signal(AbortSignal.abort("before")).then(
        () => "ended",
        (error: unknown) => error,
      ),
    ).toBe("before")
  })

  it("has the grace of its options to end after its signal", async () => {
    const controller = new AbortController()
    const file = join(folder, "graceful")
    // No `sleep &`: a shell that has just forked still takes SIGTERM for its parent's, and loses it.
    const script = `trap 'echo ended > "$1"; exit 7' TERM; echo ready; while :; do sleep 0.01; done`
    const options = { processId: "graceful", killGraceMs: 300_000, signal: controller.signal }
    const argv = ["sh", "-c", script, "sh", file]
    const running = client.run({ argv, ...options, onOutput: () => controller.abort("enough") })
    expect(await running.catch((error: unknown) => error)).toBe("enough")
    expect(await exitCodeOf("graceful")).toBe(7)
    expect(await client.fs.readTextFile(file)).toBe("ended\n")
  })

  it("refuses options that do not exist, and what is no template", () => {
    const refused = (options: unknown) => () => ($ as unknown as (options: unknown) => unknown)(options)
    expect(refused({ cmd: "x" })).toThrow("$ has no option 'cmd': did you mean 'cwd'?")
    expect(refused({ argv: ["x"] })).toThrow("$ has no option 'argv'")
    expect(refused("ls")).toThrow("$ takes an object of options, not a string")
    expect(() => $`ls ${{} as unknown as string}`).toThrow("value 1 is an object")
  })
})

describe("the lines of a command", () => {
  it("come as they are printed, and end with its failure", async () => {
    const seen: Array<string> = []
    const loop = async () => {
      for await (const line of $`sh -c ${"printf 'a\\r\\nb\\nc'; echo bad >&2; exit 3"}`.lines())
        seen.push(line)
    }
    expect((await failure(loop())).message).toBe("sh exited with 3: bad")
    expect(seen).toEqual(["a", "b", "c"])
    expect(await linesOf($`sh -c ${"echo a; exit 3"}`.nothrow())).toEqual(["a"])
    expect(await linesOf($`true`)).toEqual([])
  })

  it("have no bound, and end the command when the loop is left", async () => {
    for await (const line of $({ maxBuffer: 10 })`yes ${"x".repeat(99)}`.lines()) {
      expect(line).toBe("x".repeat(99))
      break
    }
    let count = 0
    for await (const line of $({ maxBuffer: 10 })`seq 1 50000`.lines()) {
      if (line === `${count + 1}`) count += 1
    }
    expect(count).toBe(50_000)
  })

  it("throw for one that is too long, and wait for who reads", async () => {
    const long = async () => {
      for await (const _ of $`yes ${"x".repeat(99)}`.lines({ maxLineLength: 98 }));
    }
    expect(await failure(long())).toMatchObject({ reason: "OutputTooLarge" })
    let read = 0
    let ahead = 0
    for await (const line of $({ name: "slow" })`seq 1 2000000`.lines()) {
      read += line.length + 1
      if (line.endsWith("0000")) {
        for await (const { bytes } of client.list({ name: "slow" })) ahead = Math.max(ahead, bytes - read)
      }
    }
    expect(read).toBe(14_888_896)
    expect(ahead).toBeGreaterThan(0)
    expect(ahead).toBeLessThan(4 * 1024 * 1024)
  })
})

describe("commands that are piped", () => {
  it("pass on every byte, through any number of them", async () => {
    expect(await $`printf ${"b\na\nb\n"}`.pipe`sort`.pipe($`uniq -c`).text()).toMatch(/^ +1 a\n +2 b\n$/)
    const bytes = new Uint8Array(3_000_000).map((_, index) => (index * 7919) >> 3)
    const copied = await $`cat`.pipe`cat`.pipe`cat`.input(bytes).bytes()
    expect(Buffer.compare(copied, bytes)).toBe(0)
  })

  it("wait for a reader that starts late", async () => {
    const seen = new Set<number>()
    const stands = Effect.gen(function* () {
      // It has stopped where all processes of the client have printed what they had printed before.
      for (let turn = 0; turn < 20;) {
        const listed = yield* Stream.runCollect(client.effect.list())
        const printed = listed.reduce((sum, { bytes }) => sum + bytes, 0)
        turn = printed === 0 || !seen.has(printed) ? 0 : turn + 1
        seen.add(printed)
        yield* Effect.sleep("5 millis")
      }
    })
    const on = client.effect.runner
    const late: Pipeline.Runner = {
      ...on,
      startSubscribed: (options) => Effect.andThen(Effect.orDie(stands), on.startSubscribed(options)),
    }
    const piped = Pipeline.run([
      { on, options: { argv: ["seq", "1", "700000"] } },
      { on: late, options: { argv: ["wc", "-c"] } },
    ])
    expect(await Effect.runPromise(piped)).toMatchObject({ exitCode: 0, stdout: "4788895\n" })
  })

  it("do so between two servers", async () => {
    await using other = await connect({ inProcess: true })
    const { stdout, pipedFrom } = await $`echo here`.pipe(other.$`tr a-z A-Z`)
    expect([stdout, pipedFrom?.map(({ exitCode }) => exitCode)]).toEqual(["HERE\n", [0]])
  })

  it("reject as the leftmost that fails; with nothrow the results of all are there", async () => {
    const all = $`sh -c ${"echo x; echo bad >&2; exit 3"}`.pipe`sh -c ${"cat; exit 4"}`
    expect((await failure(all)).message).toBe("sh exited with 3: bad")
    expect(await all.nothrow()).toMatchObject({ exitCode: 4, stdout: "x\n", pipedFrom: [{ exitCode: 3 }] })
    expect(await failure($`echo x`.pipe`/nope/program`)).toMatchObject({ reason: "ProgramNotFound" })
    expect(await failure($`/nope/program`.pipe`cat`)).toMatchObject({ reason: "ProgramNotFound" })
  })

  it("end with a reader that has enough, which is no failure", async () => {
    const { stdout, pipedFrom } = await $`yes`.pipe`head -n 2`
    expect(stdout).toBe("y\ny\n")
    expect(pipedFrom?.[0]).toMatchObject({ exitCode: 141, signal: "SIGPIPE" })
    expect(await linesOf($`yes`.pipe`head -n 2`)).toEqual(["y", "y"])
  })

  it("refuse what cannot be written to", () => {
    const pipe = (next: unknown) => () => $`echo`.pipe(next as Command)
    for (const none of [undefined, {}, "sort", Promise.resolve()]) {
      expect(pipe(none)).toThrow("pipe takes a command, as $`sort`, or is a tag itself: .pipe`sort`")
    }
    expect(pipe($`sort`.input("x"))).toThrow("pipe cannot write to sort: it has input of its own")
    expect(pipe($({ tty: true })`sort`)).toThrow("it runs in a terminal, which has no end of input")
  })
})

describe("a shell, where it is asked for", () => {
  it("understands the template, and no value", async () => {
    const sh = $({ shell: true })
    const evil = `$(touch ${folder}/evil) \`touch ${folder}/evil\` "; touch ${folder}/evil; ' * ~`
    expect(await sh`for i in 1 2; do echo $i; done | tail -n 1`.text()).toBe("2\n")
    expect(await sh`echo ${evil}; echo "a ${evil}" | cat; echo "$(echo ${evil})"`.text()).toBe(
      `${evil}\na ${evil}\n${evil}\n`,
    )
    expect(await sh`cd ${folder} && ls`.text()).not.toContain("evil")
    expect(await sh`exit ${3}`.nothrow()).toMatchObject({ exitCode: 3 })
    expect(await sh`echo a`.pipe`tr a b | cat`.text()).toBe("b\n")
  })
})
