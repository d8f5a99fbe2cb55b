import { expect, test } from "vitest"
import { parse, UsageError } from "./Options.ts"

const kinds = (...argv: ReadonlyArray<string>): ReadonlyArray<string> =>
  parse(argv).targets.map(({ kind }) => kind)

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
    [["--nonsense"], /^unexpected argument '--nonsense'$/],
    [["--comand=x", "a"], /^unexpected argument '--comand'; did you mean '--command'\?$/],
    [["--url", "ws://x", "--timout-ms", "5"], /'--timout-ms'; did you mean '--timeout-ms'\?$/],
    [["-x"], /'-x'/],
    [["--url"], /--url/],
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
