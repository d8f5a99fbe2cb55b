/**
 * The command line: what it accepts, and that wrong use is refused by name.
 */
import { expect, test } from "vitest"
import { family } from "../suite/Case.ts"
import { cases } from "../suite/cases/index.ts"
import { quote, split } from "../suite/ShellWords.ts"
import { parse, UsageError } from "./Options.ts"
import { select } from "../suite/Select.ts"

const kinds = (...argv: ReadonlyArray<string>): ReadonlyArray<string> =>
  parse(argv).targets.map(({ kind }) => kind)

test("a command is split like a shell does", () => {
  expect(split(`a "b c" 'd "e' f\\ g ""`)).toEqual(["a", "b c", `d "e`, "f g", ""])
  expect(split(`a "b`)).toBeUndefined()
  expect(split(quote("it's a word"))).toEqual(["it's a word"])
})

test("the transport follows --listen in the command", () => {
  expect(kinds("--command", "server")).toEqual(["stdio"])
  expect(kinds("--command", "server --listen stdio")).toEqual(["stdio"])
  expect(kinds("--command", "server --listen=ws://127.0.0.1:0")).toEqual(["ws"])
  expect(kinds("--command", "server --listen ws://127.0.0.1:0")).toEqual(["ws"])
  expect(kinds("--command", "server --listen tcp://127.0.0.1:0")).toEqual(["tcp"])
  expect(kinds("--url", "ws://127.0.0.1:1")).toEqual(["ws"])
  expect(kinds("--url", "unix:/run/x.sock")).toEqual(["unix"])
})

test("{LISTEN} stands for stdio and ws, or for what --transports names", () => {
  expect(kinds("--command", "server --listen {LISTEN}")).toEqual(["stdio", "ws"])
  expect(kinds("--command", "server --listen {LISTEN}", "--transports", "ws")).toEqual(["ws"])
  const all = parse(["--command", "server --listen {LISTEN}", "--transports", "tcp,unix,ws,stdio"]).targets
  const addresses = all.map(({ argv }) => argv()[2])
  expect(addresses.map((address) => address?.replace(/unix:.*\//, "unix:"))).toEqual([
    "stdio",
    "ws://127.0.0.1:0",
    "unix:1.sock",
    "tcp://127.0.0.1:0",
  ])
  expect(all[2]?.argv()).not.toEqual(all[2]?.argv())
  for (const { close } of all) close()
})

test("wrong use is refused with a sentence that names it", () => {
  const wrong: ReadonlyArray<readonly [argv: ReadonlyArray<string>, names: RegExp]> = [
    [[], /--command/],
    [["--nonsense"], /--nonsense/],
    [["--command", "a", "--url", "ws://x"], /exclude each other/],
    [["--command", `a "b`], /open quote/],
    [["--command", "a", "--transports", "ws"], /\{LISTEN\}/],
    [["--command", "a {LISTEN}", "--transports", "stdio,udp"], /--transports.*udp/],
    [["--url", "http://x"], /ws:\/\//],
    [["--command", "a", "--level", "most"], /most/],
    [["--command", "a", "--timeout-ms", "0"], /--timeout-ms/],
    [["--command", "a", "--without", "wings"], /wings/],
  ]
  for (const [argv, names] of wrong) {
    expect(() => parse(argv)).toThrow(UsageError)
    expect(() => parse(argv)).toThrow(names)
  }
})

test("globs choose cases, and one that fits nothing is named", () => {
  expect(select(cases, ["process/read/after-seq-skips-older"], "all").cases).toHaveLength(1)
  expect(select(cases, ["process/read"], "all").cases.every(({ id }) => family(id) === "process/read")).toBe(
    true,
  )
  expect(select(cases, ["process/*/missing-*"], "all").cases.length).toBeGreaterThan(2)
  expect(select(cases, ["nothing/like/this", "envelope"], "all").unknown).toEqual(["nothing/like/this"])
  expect(select(cases, [], "must").cases.every(({ level }) => level === "must")).toBe(true)
})

test("ids are unique paths, and every case has a sentence", () => {
  expect(new Set(cases.map(({ id }) => id)).size).toBe(cases.length)
  for (const { id, says } of cases) {
    expect(id).toMatch(/^[a-zA-Z0-9-]+(\/[a-zA-Z0-9-]+)+$/)
    expect(says).toMatch(/^.{20,}\.$/)
  }
})
