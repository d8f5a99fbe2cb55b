/** Starts on stdio in many circumstances, cut at every byte: their answers are those of the program. */
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import {
  afterwards,
  type Around,
  folder,
  folderOf,
  initialize,
  isEarly,
  lists,
  open,
  programs,
  whole,
} from "./testing/Start.ts"

/** Circumstances, and whether the second start in them is early. */
const environments: ReadonlyArray<readonly [name: string, early: boolean, around: () => Around]> = [
  ["nothing but stdio", true, () => ({})],
  ["a flag with its value", true, () => ({ flags: ["--listen=stdio"] })],
  ["the dialect auto", true, () => ({ flags: ["--listen", "stdio", "--dialect", "auto"] })],
  ["a limit", true, () => ({ flags: ["--listen", "stdio", "--max-processes", "5"] })],
  ["a limit by its variable", true, () => ({ env: { PROCWIRE_MAX_PROCESSES: "5" } })],
  ["another home", true, () => ({ env: { HOME: folderOf("home") } })],
  ["another folder for temporary files", true, () => ({ env: { TMPDIR: folderOf("tmp") } })],
  ["another shell", true, () => ({ env: { SHELL: "/bin/sh" } })],
  ["a folder that has another place", true, () => ({ cwd: folderOf("deeper/still") })],
  ["a home with other characters", true, () => ({ env: { HOME: folderOf("hôme") } })],
  ["a working directory with blanks", false, () => ({ cwd: folderOf("with blanks") })],
  ["no cache", false, () => ({ env: { XDG_CACHE_HOME: "", HOME: "" } })],
  ["a relative cache", false, () => ({ env: { XDG_CACHE_HOME: "caches", HOME: "relative" } })],
  ["a configuration file", false, () => ({ env: { PROCWIRE_CONFIG: "/dev/null" } })],
  ["the address by its variable", false, () => ({ flags: [], env: { PROCWIRE_LISTEN: "stdio" } })],
  ["a second address", false, () => ({ flags: ["--listen", "stdio", "--listen", `unix:${folder}/s`] })],
  ["the longest message", false, () => ({ flags: ["--listen", "stdio", "--max-message-bytes", "9999"] })],
  ["histories on disk", false, () => ({ flags: ["--listen", "stdio", "--history-dir", folderOf("kept")] })],
  ["an audit log", false, () => ({ flags: ["--listen", "stdio", "--audit", join(folder, "audit")] })],
  ["the lists of all sessions", false, () => ({ flags: ["--listen", "stdio", "--list-sessions", "all"] })],
]

describe.each(programs)("a start of %s on stdio", (program) => {
  // Deno's file unpacks itself into the cache.
  const possible = environments.filter(([name]) => program !== "procwire-deno" || name !== "no cache")
  it.each(possible)(
    "answers as the program does, with %s",
    async (_, early, around) => {
      const first = await whole(program, around())
      const second = await whole(program, around())
      expect(first).toMatchObject({
        end: 0,
        lines: [expect.any(String), lists],
      })
      expect(second).toEqual(first)
      expect(await isEarly(program, around())).toBe(early)
    },
    60_000,
  )

  it.each([
    ["another member", '{"id":1,"method":"initialize","params":{"clientName":"test"},"extra":1}'],
    ["a null", '{"id":1,"method":"initialize","params":{"clientName":"test","resumeSessionId":null}}'],
    [
      '{"id":1,"method":"initialize","params":{"clientName":"test","resumeSessionId":"gone"}}',
      "a session to resume",
    ],
    ["a member twice", '{"id":1,"method":"initialize","params":{"clientName":"a","clientName":"b"}}'],
    ["another form of a number", '{"id":1.0,"method":"initialize","params":{"clientName":"test"}}'],
    ["an escape", String.raw`{"id":"a\u0062","method":"initialize","params":{"clientName":"test"}}`],
    ["another alphabet", '{"id":"a b","method":"initialize","params":{"clientName":"tëst"}}'],
    ["blanks", '{ "id" : 1 , "method" : "initialize" , "params" : { "clientName" : "t e s t" } }\r'],
    ["a wrong type", '{"id":1,"method":"initialize","params":{"clientName":7}}'],
    ["no id", '{"id":null,"method":"initialize","params":{"clientName":"test"}}'],
    ["a negative id", '{"id":-1,"method":"initialize","params":{"clientName":"test"}}'],
    ["another method", '{"id":1,"method":"process/list","params":{}}'],
    ["no JSON", "{"],
    ["nothing", ""],
    ["a long line", `{"id":1,"method":"initialize","params":{"clientName":"${"x".repeat(5000)}"}}`],
  ])(
    "answers %s as the program does (%s)",
    async (line) => {
      const send = async () => {
        const { child, ended } = open(program)
        child.stdin.end(`${line}\n${initialize.replace("1", "3")}${afterwards}`)
        return ended
      }
      const first = await send()
      await whole(program)
      expect(await send()).toEqual(first)
    },
    60_000,
  )

  it("loses no byte, wherever the first messages are cut", async () => {
    const text = initialize + afterwards
    const expected = await whole(program)
    for (let cut = 1; cut < text.length; cut += 1)
      expect(await whole(program, {}, [text.slice(0, cut), text.slice(cut)]), `cut at ${cut}`).toEqual(
        expected,
      )
  }, 600_000)

  it("ends well at the end of the input, wherever that comes", async () => {
    const text = initialize + afterwards
    const endAt = async (end: number) => {
      const { child, ended } = open(program)
      child.stdin.end(text.slice(0, end))
      return ended
    }
    const [none, first] = [await endAt(0), await endAt(initialize.length)]
    for (let end = 1; end < text.length; end += 1)
      expect(await endAt(end), `end at ${end}`).toEqual(end < initialize.length ? none : first)
  }, 600_000)
})
