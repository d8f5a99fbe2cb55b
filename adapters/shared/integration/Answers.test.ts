/**
 * Questions of real programs to their terminal, answered by the server without a client. A program that is not on this
 * machine is skipped, and its line says so.
 */
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import type { Client } from "../../../core/client/Client.ts"
import { has } from "../../testing/Programs.ts"
import { connect } from "../../testing/Client.ts"
import { name as runtime } from "../../testing/Runtime.ts"
import * as Program from "../testing/Program.ts"

let client: Client
beforeAll(async () => {
  client = await connect({ inProcess: true })
})
afterAll(() => client.close())

/** Only a fault takes so long. */
const timeoutMs = 60_000

/** Asks where the cursor is, as prompts of shells do; without an answer it says so after a second. */
const asks = (text: string, seconds = 60) =>
  `printf '${text}\\033[6n'; IFS= read -rsd R -t ${seconds} at; printf '\\nat <%s>\\n' "\${at#*[}"; sleep 600`

const terminal = { tty: true, env: { TERM: "xterm-256color", LC_ALL: "C.UTF-8", HOME: "/nonexistent" } }

describe("a terminal that nobody has attached", () => {
  it("tells a shell where its cursor is, and without answers: true nothing", async () => {
    const argv = (seconds?: number) => ["bash", "-c", asks("abc", seconds)]
    const answered = await client.start({ argv: argv(), ...terminal, answers: true })
    const wait = { until: [{ pattern: "at <[^>]*>" }], timeoutMs }
    expect((await answered.wait(wait)).met).toBe(0)
    const { chunks } = await answered.read()
    expect(chunks.map(({ chunk }) => new TextDecoder().decode(chunk)).join("")).toContain("at <1;4>")
    await answered.terminate()
    const silent = await client.start({ argv: argv(1), ...terminal })
    expect((await silent.wait(wait)).met).toBe(0)
    expect((await silent.screen()).text).toContain("at <>")
    await silent.terminate()
  })

  it("is refused on pipes, by the name of the option", async () => {
    await expect(client.start({ argv: ["true"], answers: true })).rejects.toThrow(
      "answers belongs to tty: true: there is no terminal that the process could ask",
    )
  })

  // Vim measures with CPR how wide the terminal shows ambiguous characters.
  it.skipIf(!has("vim"))(
    "answers what vim asks: nothing of it is typed into the text",
    { tags: ["vim"] },
    async () => {
      const vim = await client.start({
        argv: ["vim", "-u", "NONE", "-N"],
        ...terminal,
        answers: true,
        inherit: "all",
      })
      expect((await vim.wait({ until: [{ pattern: "\x1b[6n", flags: "l" }], timeoutMs })).met).toBe(0)
      await vim.write("ihello\x1b:echo 'width ' . &ambiwidth . ' of ' . getline(1) . ' in ' . line('$')\r")
      expect(
        (await vim.wait({ until: [{ pattern: "width single of hello in 1", flags: "l" }], timeoutMs })).met,
      ).toBe(0)
      await vim.write(":qa!\r")
      expect(await vim.exitCode).toBe(0)
    },
  )
})

// Other runtimes run the same modules, and start so many commands slowly.
describe.runIf(runtime === "Node")("procwire run -d -t --answers", () => {
  it("starts a terminal that answers, and without it one that does not", async () => {
    const { call } = Program.make()
    const run = ["run", "-d", "-t", "--name", "ask"]
    expect((await call(...run, "--answers", "--", "bash", "-c", asks("ab"))).code).toBe(0)
    expect((await call("wait", "ask", "--for", "match:at <[^>]*>")).code).toBe(0)
    expect((await call("logs", "ask")).stdout).toContain("at <1;3>")
    expect((await call("rm", "-f", "ask")).code).toBe(0)
    expect((await call(...run, "--", "bash", "-c", asks("ab", 1))).code).toBe(0)
    expect((await call("wait", "ask", "--for", "match:at <[^>]*>")).code).toBe(0)
    expect((await call("logs", "ask")).stdout).toContain("at <>")
  })

  it("is refused without the flags that it belongs to", async () => {
    const { call } = Program.make()
    for (const [flags, missing] of [
      [[], "--detach and --tty"],
      [["-d"], "--tty"],
      [["-t"], "--detach"],
    ] as const)
      expect(await call("run", ...flags, "--answers", "--", "true")).toMatchObject({
        code: 2,
        stderr: expect.stringContaining(`procwire: --answers needs ${missing}\n`) as string,
      })
  })
})
