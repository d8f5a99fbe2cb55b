import * as Effect from "effect/Effect"
import { describe, expect, it } from "vitest"
import * as TextFile from "../host/TextFile.ts"
import * as Command from "./Command.ts"
import { run } from "./RunCommand.ts"
import * as RunFlags from "./RunFlags.ts"

const parsed = (args: ReadonlyArray<string>) =>
  Effect.provide(Effect.flatMap(Command.parse(run, args), RunFlags.read), TextFile.layer)
const parse = (args: ReadonlyArray<string>) => Effect.runSync(parsed(args))
const refusal = (...args: ReadonlyArray<string>) => Effect.runSync(Effect.flip(parsed(args))).message

describe("RunFlags", () => {
  it("leaves everything behind -- to the command, also what looks like a flag", () => {
    expect(parse(["--tty", "--", "ls", "--tty", "--", "-x"]).start).toMatchObject({
      tty: true,
      argv: ["ls", "--tty", "--", "-x"],
    })
  })

  it("takes the first word that is no flag for the command", () => {
    expect(parse(["--cwd", "src", "-e", "A=1", "ls", "-la"]).start).toMatchObject({
      argv: ["ls", "-la"],
      cwd: "src",
      env: { A: "1" },
    })
  })

  it("passes variables by value, with = in the value, or on from this process", () => {
    process.env["PROCWIRE_TEST"] = "here"
    const { env } = parse([
      "-e",
      "A=b=c",
      "--env=EMPTY=",
      "-e",
      "PROCWIRE_TEST",
      "-e",
      "NOT_SET_ANYWHERE",
      "x",
    ]).start
    expect(env).toEqual({ A: "b=c", EMPTY: "", PROCWIRE_TEST: "here" })
  })

  it("inherits everything from a server in this process and the core from another", () => {
    expect(parse(["x"]).start.envPolicy).toMatchObject({
      inherit: "all",
      ignoreDefaultExcludes: true,
    })
    expect(parse(["--server", "ws://h:1", "x"]).start.envPolicy).toMatchObject({ inherit: "core" })
  })

  it("takes several addresses, each of which has to be a URL", () => {
    const urls = ["--server", "ws://a:1", "--server", "ws://b:1"]
    expect(parse([...urls, "x"]).target).toEqual({ url: ["ws://a:1", "ws://b:1"] })
    expect(refusal(...urls, "--server", "own", "x")).toBe(
      "invalid value 'own' for '--server': each of several servers has to be a URL",
    )
  })

  it("names what it does not understand", () => {
    expect(refusal()).toBe("no command to run; it follows the options: procwire run -- ls -la")
    expect(refusal("--ttyy", "--", "ls")).toBe("unexpected argument '--ttyy'; did you mean '--tty'?")
    expect(refusal("--server", "http://x", "ls")).toBe(
      "invalid value 'http://x' for '--server': expected ws://HOST:PORT, tcp://HOST:PORT, unix:PATH or ssh://HOST, or the name " +
        "of a context",
    )
    expect(refusal("--server", "ws://h:1", "--server-cmd", "x", "ls")).toBe(
      "--server and --server-cmd exclude each other",
    )
    expect(refusal("--server", "unix:x", "--token-file", "t", "ls")).toBe(
      "--token-file needs a --server at ws:// or wss://",
    )
    expect(refusal("--inherit", "some", "ls")).toBe(
      "invalid value 'some' for '--inherit': expected core, all or none",
    )
    expect(refusal("-e", "=x", "ls")).toBe("invalid value '=x' for '--env': expected NAME=VALUE or NAME")
    expect(refusal("--tty=yes", "ls")).toContain("--tty")
  })
})
