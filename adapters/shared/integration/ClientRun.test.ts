/** The output of processes in `run` and `$`, over a real server in this program. */
import { mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, expectTypeOf, it } from "vitest"
import type { Client } from "../../../core/client/Client.ts"
import { ClientError } from "../../../core/client/ClientError.ts"
import type { Result } from "../../../core/client/RunResult.ts"
import { connect } from "../../testing/Client.ts"
import * as Turns from "../testing/Turns.ts"

let client: Client
beforeAll(async () => {
  client = await connect({ inProcess: true })
})
afterAll(() => client.close())

/** The error of a promise that rejects. */
const failure = async (promise: PromiseLike<unknown>): Promise<ClientError> => {
  const error = await promise.then(
    () => new Error("it did not reject"),
    (cause: unknown) => cause,
  )
  expect(error).toBeInstanceOf(ClientError)
  return error as ClientError
}

const untyped = (options: object) => options as { readonly argv: ReadonlyArray<string> }

const folder = mkdtempSync(join(tmpdir(), "procwire-run-"))
afterAll(() => rmSync(folder, { recursive: true }))

/** Fails so many times, and prints then how often it has run. */
const failing = (name: string, times: number) => [
  "sh",
  "-c",
  `echo >> "$1"; n=$(wc -l < "$1"); echo run $n; [ "$n" -gt ${times} ] || { echo bad $n >&2; exit 7; }`,
  "sh",
  join(folder, name),
]

describe("a command with retry", () => {
  it("is run again until it exits with 0, and tells how often", async () => {
    expect(await client.run({ argv: failing("run", 2), retry: 3 })).toMatchObject({
      exitCode: 0,
      stdout: "run 3\n",
      attempts: 3,
    })
    const $ = client.$({ retry: { times: 1, delayMs: 1 } })
    expect(await $`${failing("dollar", 1)}`.text()).toBe("run 2\n")
    expect(await $`true`).toMatchObject({ attempts: 1 })
    expect(await client.run({ argv: ["true"] })).not.toHaveProperty("attempts")
  })

  it("is run no more than told, and the error has the attempts and the last result", async () => {
    const error = await failure(client.$({ retry: 2 })`${failing("never", 9)}`)
    expect(error).toMatchObject({
      reason: "Failed",
      message: "after 3 attempts: sh exited with 7: bad 3",
      result: { exitCode: 7, stdout: "run 3\n", attempts: 3 },
      cause: { exitCode: 7 },
    })
  })

  it("is run again with reject: false, too, and resolves with the last result", async () => {
    const options = { retry: 1, reject: false, encoding: "buffer" } as const
    const result = await client.run({ argv: failing("kept", 9), ...options })
    expect(result).toMatchObject({ exitCode: 7, attempts: 2, stderr: new TextEncoder().encode("bad 2\n") })
  })

  it("waits between two attempts", async () => {
    const begun = performance.now()
    await client.run({ argv: failing("slow", 2), retry: { times: 2, delayMs: 150 } })
    // Timers may come a millisecond early.
    expect(performance.now() - begun).toBeGreaterThan(290)
  })

  it("is run again with all that is piped into it, and its input", async () => {
    const result = await client.$({ retry: 3 })`${failing("first", 1)}`.pipe`sh -c ${"cat; exit 0"}`
    expect(result).toMatchObject({ stdout: "run 2\n", attempts: 2 })
    const argv = ["sh", "-c", `cat; [ -e "$1" ] || { touch "$1"; exit 1; }`, "sh", join(folder, "input")]
    for (const input of ["text", ["te", "xt"], new Blob(["text"])]) {
      rmSync(join(folder, "input"), { force: true })
      expect(await client.run({ argv, retry: 1, input })).toMatchObject({ stdout: "text", attempts: 2 })
    }
  })

  it("is not run again where it cannot start, has too much output, or is given up", async () => {
    expect(await failure(client.run({ argv: ["/nope"], retry: 3 }))).toMatchObject({
      reason: "ProgramNotFound",
      message: expect.stringMatching(/^cannot start/) as string,
    })
    expect(await client.run({ argv: ["yes"], retry: 3, maxBuffer: 9, reject: false })).toMatchObject({
      truncated: true,
      attempts: 1,
    })
    const controller = new AbortController()
    const onOutput = () => controller.abort("enough")
    const argv = [...failing("given-up", 9).slice(0, 2), `echo >> "$1"; echo x; sleep 1000`, "sh"]
    const file = join(folder, "given-up")
    const running = client.run({ argv: [...argv, file], retry: 3, onOutput, signal: controller.signal })
    expect(await running.catch((error: unknown) => error)).toBe("enough")
    expect(readFileSync(file, "utf8")).toBe("\n")
  })

  it.each([
    [{ retry: 0 }, "retry is 0: expected how often to run it again, from 1, or { times: 3, delayMs: 1000 }"],
    [{ retry: { times: 1.5 } }, 'retry is {"times":1.5}: expected how often'],
    [{ retry: { times: 1, delayMs: -1 } }, 'retry is {"times":1,"delayMs":-1}: expected how often'],
    [{ retry: { times: 1, delay: 5 } }, "retry has no option 'delay': did you mean 'delayMs'?"],
    [{ retry: true }, "retry takes an object of options, not a boolean"],
    [{ retry: 1, processId: "x" }, "retry and processId exclude each other"],
    [{ retry: 1, input: new Blob([]).stream() }, "retry needs input that can be read again: a string, bytes"],
    [{ retry: 1, stdio: "inherit" }, "retry needs input that can be read again: a string, bytes, an array"],
  ])("is refused: %j", async (options, message) => {
    const error = await failure(client.run(untyped({ argv: ["true"], ...options })))
    expect(error).toMatchObject({
      reason: "InvalidOption",
      message: expect.stringContaining(message) as string,
    })
  })

  it("has no lines to read as they come", () => {
    expect(() => client.$({ retry: 1 })`true`.lines()).toThrow("lines: a command with retry has none to read")
  })
})

describe("options of elsewhere", () => {
  it.each([
    ["shell", "it belongs to $, whose templates are scripts then: $({ shell: true })"],
    ["cancelSignal", "it is 'signal' here"],
    ["forceKillAfterDelay", "it is 'killGraceMs' here"],
    ["killSignal", "it is 'signalOnTimeout' here"],
    ["nothrow", "it is 'reject: false' here"],
  ])("are told by their names here: %s", async (name, words) => {
    for (const what of ["run", "start"] as const) {
      const error = await failure(client[what](untyped({ argv: ["true"], [name]: true })))
      expect(error).toMatchObject({
        reason: "InvalidOption",
        message: `${what} has no option '${name}': ${words}`,
      })
    }
  })
})

describe("the encoding of a result", () => {
  const argv = ["sh", "-c", "printf '\\377a'; printf '\\376' >&2"]
  const [out, err] = [Uint8Array.of(255, 97), Uint8Array.of(254)]

  it("is text by default, with the bytes beside it", async () => {
    for (const options of [{ argv }, { argv, encoding: "utf8" as const }]) {
      const result = await client.run(options)
      expectTypeOf(result).toEqualTypeOf<Result>()
      expect([result.stdout, result.stderr]).toEqual(["\ufffda", "\ufffd"])
      expect([result.stdoutBytes, result.stderrBytes]).toEqual([out, err])
      expect(result.allBytes).toHaveLength(3)
    }
  })

  it("is bytes where that is asked for, of run, of $, and behind a pipe", async () => {
    const result = await client.run({ argv, encoding: "buffer" })
    expectTypeOf(result).toEqualTypeOf<Result<Uint8Array>>()
    expect([result.stdout, result.stderr]).toEqual([out, err])
    expect(result).toMatchObject({ exitCode: 0, stdoutBytes: out, stderrBytes: err })
    const $ = client.$({ encoding: "buffer" })({ cwd: "/" })
    const shown = await $`printf ${"\\377"}`
    expectTypeOf(shown.stdout).toEqualTypeOf<Uint8Array>()
    expect(shown.all).toEqual(Uint8Array.of(255))
    const piped = await client.$`printf ${"\\377"}`.pipe($`cat`)
    expectTypeOf(piped).toEqualTypeOf<Result<Uint8Array>>()
    expect(piped).toMatchObject({ stdout: Uint8Array.of(255), pipedFrom: [{ stdout: new Uint8Array(0) }] })
    expect(await $`printf abc`.text()).toBe("abc")
    const back = await $({ encoding: "utf8" })`printf abc`
    expectTypeOf(back).toEqualTypeOf<Result>()
    expect(back.stdout).toBe("abc")
  })

  it("has both streams in order, as bytes", async () => {
    const script = "printf a; read -r line; printf b >&2; read -r line; printf c"
    const { all } = await client.run({
      argv: ["sh", "-c", script],
      ...Turns.lines(2),
      encoding: "buffer",
    })
    expect(new TextDecoder().decode(all)).toBe("abc")
  })

  it("of an error is text", async () => {
    const error = await failure(client.$({ encoding: "buffer" })`sh -c ${"echo bad >&2; exit 3"}`)
    expect(error).toMatchObject({ message: "sh exited with 3: bad", result: { stderr: "bad\n" } })
  })

  it("is one of two", async () => {
    expect(await failure(client.run(untyped({ argv, encoding: "hex" })))).toMatchObject({
      reason: "InvalidOption",
      message: 'encoding is "hex": expected "utf8" or "buffer"',
    })
  })
})
