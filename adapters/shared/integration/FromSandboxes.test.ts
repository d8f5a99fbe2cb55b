/** The lines of core/client/README.md for those who come from E2B and dockerode, run one after the other. */
import { readFileSync } from "node:fs"
import { describe, expect, it } from "vitest"
import { connect } from "../../testing/Client.ts"
import { command, name } from "../../testing/Runtime.ts"
import * as Folder from "../testing/Folder.ts"

const readme = readFileSync(new URL("../../../core/client/README.md", import.meta.url), "utf8")
const [, section = ""] = /^## From E2B and dockerode$(.*?)^## /ms.exec(readme) ?? []

/** The last cell of each row, without what Markdown needs: other columns have code of others. */
const lines = section
  .split("\n")
  .filter((line) => /^\| .*`/.test(line))
  .map((line) => {
    const cell = line.split(/(?<!\\)\|/).at(-2) ?? ""
    const [, , code = ""] = /(`+)(.*)\1/.exec(cell) ?? []
    return code.replaceAll("\\|", "|")
  })

/** The value of each line, by its begin. */
const results: ReadonlyArray<readonly [begin: string, result: unknown]> = [
  ["await client.fs.createDirectory", undefined],
  ["await client.fs.writeFile", undefined],
  ["await client.fs.readTextFile", "text"],
  [
    "await client.fs.readDirectory",
    expect.arrayContaining([
      { fileName: "a.txt", isDirectory: false, isFile: true },
      { fileName: "logs", isDirectory: true, isFile: false },
    ]),
  ],
  ["await client.fs.exists", true],
  ["await client.fs.rename", undefined],
  ["await client.fs.remove", undefined],
  ["await client.run", expect.objectContaining({ exitCode: 0, stdout: expect.stringMatching(/^ *1\n$/) })],
  ["await client.run", expect.objectContaining({ stdout: expect.stringMatching(/\/app\n$/) })],
  ["handle = await client.start", expect.objectContaining({ id: expect.any(String) })],
  ["await handle.terminate", true],
  ["(await client.run", "b.txt\n"],
  ["(await client.run", 1],
  ["shell = await client.start", expect.objectContaining({ id: expect.any(String) })],
  ["await shell.resize", undefined],
  ["tar = await client.$", expect.any(Uint8Array)],
  ["await client.$", expect.objectContaining({ exitCode: 0 })],
]

describe(`the lines for those who come from E2B and dockerode, on ${name}`, () => {
  it("do what theirs do", async () => {
    const { path, sh } = Folder.make("mkdir srv")
    const [program, ...main] = command
    const args = [...main, "serve", "--listen", "stdio"]
    await using client = await connect({ command: program, args, cwd: path })
    expect(lines.map((line, index) => line.slice(0, results[index]?.[0].length))).toEqual(
      results.map(([begin]) => begin),
    )
    const scope = `with (scope) { return (async () => {`
    const names = { client, handle: undefined, shell: undefined, tar: undefined }
    for (const [index, line] of lines.entries()) {
      // oxlint-disable-next-line no-implied-eval -- the lines are those of the README
      const run = new Function("scope", `${scope} return (${line}) })() }`) as (
        scope: object,
      ) => Promise<unknown>
      expect(await run(names), line).toEqual(results[index]?.[1])
    }
    expect(sh("cat srv/app/b.txt; ls app")).toBe("textb.txt\n")
  })
})
