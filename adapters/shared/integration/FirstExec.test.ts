/** core/agent/FirstExec.ts, the first version of unified exec, with real shells. */
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Scope from "effect/Scope"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import * as FirstExec from "../../../core/agent/FirstExec.ts"
import type { Client } from "../../../core/client/Client.ts"
import { connect } from "../../testing/Client.ts"

const shell = ["bash", "--norc", "--noprofile", "-i"]
const scope = Effect.runSync(Scope.make())
let client: Client
let exec: FirstExec.FirstExec

beforeAll(async () => {
  client = await connect({ inProcess: true })
  exec = await Effect.runPromise(Scope.provide(FirstExec.make(client.effect), scope))
})
afterAll(async () => {
  await Effect.runPromise(Scope.close(scope, Exit.void))
  await client.close()
})

const request = (request: FirstExec.Request) => Effect.runPromise(Effect.result(exec.request(request)))

const answer = async (asked: FirstExec.Request) => {
  const result = await request(asked)
  if (result._tag === "Failure") throw result.failure
  return result.success
}

/** Starts a shell and waits until it is ready. */
const open = async () => {
  const { session_id } = await answer({ input_chunks: shell, timeout_ms: 10 })
  await say(session_id, "echo rea''dy\n", /^ready/m)
  return session_id
}

/** Writes, and polls until the output has the answer. */
const say = async (session_id: number | null, line: string, wanted: RegExp) => {
  let { output } = await answer({ session_id, input_chunks: [line], timeout_ms: 100 })
  while (!wanted.test(output))
    output += (await answer({ session_id, input_chunks: [], timeout_ms: 100 })).output
  return output
}

describe("The first version of unified exec", () => {
  it("keeps the state of a session over requests", async () => {
    const id = await open()
    await say(id, "export COLOUR=green; echo se''t\n", /^set/m)
    expect(await say(id, 'echo "<$COLOUR>"\n', /^<.*>/m)).toContain("<green>\r\n")
  })

  it("keeps the states of two sessions apart", async () => {
    const [one, two] = [await open(), await open()]
    expect(one).not.toBe(two)
    await say(one, "export COLOUR=green; echo se''t\n", /^set/m)
    expect(await say(two, 'echo "<$COLOUR>"\n', /^<.*>/m)).toContain("<>\r\n")
    expect(await say(one, 'echo "<$COLOUR>"\n', /^<.*>/m)).toContain("<green>\r\n")
  })

  it("returns after a short timeout without the output, which a later request brings", async () => {
    const id = await open()
    const early = await answer({ session_id: id, input_chunks: ["read _; echo la''te\n"], timeout_ms: 10 })
    expect(early).toMatchObject({ session_id: id, output: expect.not.stringMatching(/^late/m) })
    expect(await say(id, "\n", /^late/m)).toMatch(/^late/m)
  })

  it("leaves no session behind a command that has ended", async () => {
    const echo = (timeout_ms: number) => answer({ input_chunks: ["/bin/echo", "hello"], timeout_ms })
    // A request lasts as long as its timeout. Only on a busy machine does the command need the longer one.
    const soon = await echo(500)
    const { session_id, output } = soon.session_id === null ? soon : await echo(30_000)
    expect({ session_id, output }).toEqual({ session_id: null, output: "hello\r\n" })
  })

  it("does not know a session whose shell has exited", async () => {
    const id = await open()
    let result = await request({ session_id: id, input_chunks: ["exit\n"], timeout_ms: 10 })
    while (result._tag === "Success")
      result = await request({ session_id: id, input_chunks: [], timeout_ms: 50 })
    expect(result.failure).toMatchObject({ reason: "UnknownSession", message: `Unknown session id ${id}` })
  })

  it("says when a command is missing, or cannot be started", async () => {
    expect(await request({ input_chunks: [] })).toMatchObject({ failure: { reason: "MissingCommandLine" } })
    expect(await request({ input_chunks: ["no-such-program-anywhere"] })).toMatchObject({
      failure: { reason: "CreateSession", message: expect.stringContaining("No such file or directory") },
    })
  })
})
