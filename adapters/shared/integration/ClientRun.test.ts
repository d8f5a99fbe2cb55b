/** What `run` and `$` do with the output of a process, over a real server in this program. */
import { afterAll, beforeAll, describe, expect, expectTypeOf, it } from "vitest"
import type { Client } from "../../../core/client/Client.ts"
import { ClientError } from "../../../core/client/ClientError.ts"
import type { Result } from "../../../core/client/Result.ts"
import { connect } from "../../testing/Client.ts"

let client: Client
beforeAll(async () => {
  client = await connect({ inProcess: true })
})
afterAll(() => client.close())

/** What a promise rejects with. */
const failure = async (promise: PromiseLike<unknown>): Promise<ClientError> => {
  const error = await promise.then(
    () => new Error("it did not reject"),
    (cause: unknown) => cause,
  )
  expect(error).toBeInstanceOf(ClientError)
  return error as ClientError
}

const untyped = (options: object) => options as { readonly argv: ReadonlyArray<string> }

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
    let seen = 0
    let more = () => {}
    const lines = (async function* () {
      for (let line = 1; line <= 2; line += 1) {
        while (seen < line) await new Promise<void>((resolve) => (more = resolve))
        yield "\n"
      }
    })()
    const onOutput = () => {
      seen += 1
      more()
    }
    const { all } = await client.run({
      argv: ["sh", "-c", script],
      input: lines,
      onOutput,
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
