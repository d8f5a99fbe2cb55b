/** Tests Tools.ts and Arguments.ts. */
import * as Result from "effect/Result"
import { describe, expect, it } from "vitest"
import * as Arguments from "./Arguments.ts"
import * as Tools from "./Tools.ts"

const exec = (text: string) => Result.merge(Arguments.decode(Tools.ExecCommand, text))
const write = (text: string) => Result.merge(Arguments.decode(Tools.WriteStdin, text))

describe("Tools", () => {
  it("describes both tools in JSON Schema without references", () => {
    const [exec, write] = Tools.toolDefinitions()
    expect(exec).toMatchObject({
      name: "exec_command",
      inputSchema: {
        type: "object",
        required: ["cmd"],
        properties: {
          cmd: { type: "string" },
          workdir: { type: "string" },
          shell: { type: "string" },
          login: { type: "boolean" },
          tty: { type: "boolean" },
          yield_time_ms: { type: "integer", minimum: 0 },
          max_output_tokens: { type: "integer", minimum: 0 },
        },
      },
    })
    expect(write).toMatchObject({
      name: "write_stdin",
      inputSchema: { type: "object", required: ["session_id"] },
    })
    expect(JSON.stringify([exec, write])).not.toMatch(/\$ref|\$schema|\$defs/)
  })

  it("takes what models write, and ignores what it does not know", () => {
    expect(exec('{"cmd":"ls","sandbox_permissions":"use_default","prefix_rule":[1]}')).toEqual({ cmd: "ls" })
    expect(exec('{"cmd":"ls","login":null,"workdir":null,"shell":null,"max_output_tokens":null}')).toEqual({
      cmd: "ls",
      login: null,
      workdir: null,
      shell: null,
      max_output_tokens: null,
    })
    expect(exec('{"cmd":"ls","yield_time_ms":18446744073709551615}')).toMatchObject({ cmd: "ls" })
    expect(write('{"session_id":-1,"chars":null}')).toEqual({ session_id: -1, chars: null })
  })

  it.each([
    ["{}", "missing field `cmd` at line 1 column 2"],
    ['{"cmd":5}', "invalid type: integer `5`, expected a string at line 1 column 8"],
    ['{"cmd":"x","yield_time_ms":-5}', "invalid value: integer `-5`, expected u64 at line 1 column 29"],
    [
      '{"cmd":"x","yield_time_ms":1.5}',
      "invalid type: floating point `1.5`, expected u64 at line 1 column 30",
    ],
    ['{"cmd":"x","yield_time_ms":null}', "invalid type: null, expected u64 at line 1 column 31"],
    ['{"cmd":"x","yield_time_ms":"x"}', 'invalid type: string "x", expected u64 at line 1 column 30'],
    [
      '{"cmd":"x","yield_time_ms":1e+30}',
      "invalid type: floating point `1e+30`, expected u64 at line 1 column 32",
    ],
    ['{"cmd":"x","tty":null}', "invalid type: null, expected a boolean at line 1 column 21"],
    ['{"cmd":"x","tty":[1]}', "invalid type: sequence, expected a boolean at line 1 column 17"],
    ['{"cmd":"x","tty":{}}', "invalid type: map, expected a boolean at line 1 column 17"],
    ['{"cmd":"x","login":3}', "invalid type: integer `3`, expected a boolean at line 1 column 20"],
    ['{"cmd":"x","max_output_tokens":-1}', "invalid value: integer `-1`, expected usize at line 1 column 33"],
    ['{"cmd":"x","max_output_tokens":"a"}', 'invalid type: string "a", expected usize at line 1 column 34'],
    ['{\n "tty": 1, "cmd": "\\"}{,:é"}', "invalid type: integer `1`, expected a boolean at line 2 column 9"],
    ['{"cmd"', "EOF while parsing an object at line 1 column 6"],
  ])("says what is wrong with %s, and where", (text, fault) => {
    expect(exec(text)).toBe(fault)
  })

  it.each([
    ['{"session_id":"a"}', 'invalid type: string "a", expected i32 at line 1 column 17'],
    ['{"session_id":3000000000}', "invalid value: integer `3000000000`, expected i32 at line 1 column 24"],
    ['{"chars":"a"}', "missing field `session_id` at line 1 column 13"],
  ])("says what is wrong with %s too", (text, fault) => {
    expect(write(text)).toBe(fault)
  })
})
