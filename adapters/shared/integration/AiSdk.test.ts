/** core/agent with the AI SDK: runs the lines that README.md shows, with a model that follows a script. */
import { mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { dynamicTool, generateText, jsonSchema, type LanguageModel, stepCountIs } from "ai"
import { MockLanguageModelV3 } from "ai/test"
import { afterAll, describe, expect, it, vi } from "vitest"
import * as AgentTools from "../../../core/agent/AgentTools.ts"
import { connect } from "../../testing/Client.ts"

const home = mkdtempSync(join(tmpdir(), "procwire-ai-"))
afterAll(() => rmSync(home, { recursive: true, force: true }))

/** A model that calls one tool after the other; a step gets the last result. */
const follow = (steps: ReadonlyArray<(result: unknown) => object>) => {
  let step = 0
  return new MockLanguageModelV3({
    doGenerate: async ({ prompt }) => {
      const last = prompt.at(-1)
      const part = last?.role === "tool" ? last.content[0] : undefined
      const said = steps[step++]?.(part?.type === "tool-result" ? part.output : undefined)
      const tool = said !== undefined && "cmd" in said ? "exec_command" : "write_stdin"
      const content =
        said === undefined
          ? { type: "text" as const, text: "done" }
          : {
              type: "tool-call" as const,
              toolCallId: `call-${step}`,
              toolName: tool,
              input: JSON.stringify(said),
            }
      const unified = said === undefined ? ("stop" as const) : ("tool-calls" as const)
      return { content: [content], finishReason: { unified, raw: undefined }, usage, warnings: [] }
    },
  })
}
const usage = {
  inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
  outputTokens: { total: 1, text: 1, reasoning: 0 },
}

/** Lets a model answer with the tools. */
const answer = async (model: LanguageModel, procwire: AgentTools.AgentTools, abortSignal: AbortSignal) => {
  // README
  const entries = procwire.definitions.map(({ name, description, inputSchema }) => {
    const tool = dynamicTool({
      description,
      inputSchema: jsonSchema(inputSchema),
      execute: async (args, { abortSignal: signal }) =>
        (await procwire.call(name, args, { signal })).texts.join("\n"),
    })
    return [name, tool] as const
  })
  const tools = Object.fromEntries(entries)
  const prompt = "Make the tests pass."
  const { text } = await generateText({ model, tools, stopWhen: stepCountIs(20), prompt, abortSignal })
  // /README
  return text
}

/** The lines between the two marks of this file, without their indentation. */
const shown = () => {
  const source = readFileSync(new URL(import.meta.url), "utf8")
  const lines = /^ +\/\/ README\n([^]*?)\n +\/\/ \/README$/m.exec(source)?.[1]?.split("\n") ?? []
  return lines.map((line) => line.slice(2)).join("\n")
}

describe("the AI SDK", () => {
  it("runs the tools of the definitions, as README.md shows it, and its model gets the results", async () => {
    const results: Array<unknown> = []
    const sessionOf = (result: unknown) => Number(/session ID (\d+)/.exec(JSON.stringify(result))?.[1])
    let session = 0
    const model = follow([
      () => ({ cmd: "read line; echo got $line", tty: true, yield_time_ms: 250 }),
      (result) => {
        results.push(result)
        session = sessionOf(result)
        return { session_id: session, chars: "it\n", yield_time_ms: 20_000 }
      },
      (result) => {
        results.push(result)
        return { session_id: session }
      },
      (result) => {
        results.push(result)
        return { cmd: "exit 3" }
      },
    ])
    const client = await connect({ inProcess: true })
    const procwire = AgentTools.createTools(client, { shell: "/bin/sh", env: { HOME: home } })
    try {
      const text = await answer(model, procwire, new AbortController().signal)
      expect(text).toBe("done")
      expect(results).toEqual([
        { type: "text", value: expect.stringContaining("Process running with session ID ") },
        { type: "text", value: expect.stringMatching(/Process exited with code 0\n[^]*got it\n$/) },
        { type: "error-text", value: `write_stdin failed: Unknown process id ${session}` },
      ])
      const last = model.doGenerateCalls.at(-1)
      expect(JSON.stringify(last?.prompt.at(-1))).toContain("Process exited with code 3")
      expect(model.doGenerateCalls[0]?.tools).toEqual(
        procwire.definitions.map((definition) =>
          expect.objectContaining({ type: "function", ...definition }),
        ),
      )
    } finally {
      await client.close()
    }
  })

  it("passes an abort on: the call stops waiting, and its command goes on until the tools are closed", async () => {
    const model = follow([() => ({ cmd: "echo $$ > pid; exec sleep 600", yield_time_ms: 30_000 })])
    const client = await connect({ inProcess: true })
    const procwire = AgentTools.createTools(client, { cwd: home, shell: "/bin/sh", env: { HOME: home } })
    const pid = () => Number(readFileSync(join(home, "pid"), "utf8"))
    const alive = () => process.kill(pid(), 0)
    try {
      const abort = new AbortController()
      const answering = answer(model, procwire, abort.signal).catch((error: unknown) => error)
      await vi.waitFor(() => expect(pid()).toBeGreaterThan(0), 60_000)
      // Not from the start of the call, which a busy machine delays.
      const aborted = performance.now()
      abort.abort()
      expect(await answering).toMatchObject({ name: "AbortError" })
      expect(performance.now() - aborted).toBeLessThan(25_000) // less than the yield time
      expect(alive()).toBe(true)
      expect(procwire.sessionIds()).toHaveLength(1)
      await procwire.close()
      await vi.waitFor(() => expect(alive).toThrow("ESRCH"), 60_000)
    } finally {
      await client.close()
    }
  })

  it("is shown in README.md with the very lines that were run here", () => {
    expect(shown()).toContain("dynamicTool(")
    expect(readFileSync(new URL("../../../core/agent/README.md", import.meta.url), "utf8")).toContain(shown())
  })
})
