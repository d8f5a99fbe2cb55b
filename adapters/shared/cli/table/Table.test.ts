import { execFileSync } from "node:child_process"
import { describe, expect, it } from "vitest"
import { allSpecs } from "../Commands.ts"
import * as Completion from "../ShellCommands.ts"
import * as Help from "./Help.ts"
import * as Texts from "../show/Texts.ts"
import { flagsOf, type Spec } from "../Command.ts"

const specs = await allSpecs()

const spec: Spec = {
  name: "try",
  summary: "Try it",
  usage: "[OPTIONS] NAME",
  flags: {
    color: { type: "string", shows: "WHEN", help: "when to paint", completes: ["always", "never"] },
    file: { type: "string", short: "f", shows: "FILE", help: "what to read", completes: "file" },
    verbose: { type: "boolean", short: "v", help: "say more" },
  },
  operands: "process",
  text: "A word about it.\n.and a period",
  examples: ["procwire try -v x"],
}

const run: Spec = { ...spec, name: "run", operands: "command" }

describe("the help of a command", () => {
  it("has its summary, its usage, every flag and its examples", () => {
    expect(Help.page(spec)).toBe(`Try it.

Usage: procwire try [OPTIONS] NAME

Options:
  --color WHEN           when to paint
  -f, --file FILE        what to read
  -v, --verbose          say more
  -h, --help             show this text

A word about it.
.and a period

Examples:
  procwire try -v x
`)
  })

  it.each(specs.map((each) => [each.name, each] as const))("of %s fits and has an example", (name, each) => {
    const lines = Help.page(each).split("\n")
    for (const line of lines) expect(line.length, line).toBeLessThanOrEqual(120)
    expect(each.examples.length).toBeGreaterThan(0)
    expect(each.summary).not.toMatch(/\.$/)
    for (const [flag, { type, shows, help }] of Object.entries(flagsOf(each))) {
      expect(type === "string", `--${flag} of ${name}`).toBe(shows !== undefined)
      expect(help, `--${flag} of ${name}`).not.toMatch(/^[A-Z][a-z]|\.$/)
    }
  })

  it("breaks lines at blanks only", () => {
    expect(Texts.wrap("one two three", 7)).toEqual(["one two", "three"])
    expect(Texts.wrap("longer-than-that x", 5)).toEqual(["longer-than-that", "x"])
  })
})

describe("a completion", () => {
  const at = (...words: ReadonlyArray<string>) => {
    const found = Completion.candidates(words, [spec, run])
    return found.kind === "words" ? found.words.map(([word]) => word) : found.kind
  }

  it("has the commands that begin so", () => {
    expect(at("")).toEqual(["try", "run", "help"])
    expect(at("t")).toEqual(["try"])
    expect(at("help", "r")).toEqual(["run"])
    expect(at("nonsense", "")).toEqual([])
  })

  it("has flags behind a dash, and what a flag takes behind it", () => {
    expect(at("try", "--")).toEqual(["--color", "--file", "--verbose", "--help"])
    expect(at("try", "--v")).toEqual(["--verbose"])
    expect(at("try", "--color", "a")).toEqual(["always"])
    expect(at("try", "--color=n")).toEqual(["--color=never"])
    expect(at("try", "--file", "")).toBe("file")
    expect(at("try", "-vf", "")).toBe("file")
  })

  it("has the names of processes where one is meant", () => {
    expect(at("try", "")).toBe("process")
    expect(at("try", "-v", "x")).toBe("process")
    expect(at("try", "--color=always", "")).toBe("process")
    expect(at("try", "--", "--v")).toBe("process")
  })

  it("leaves what another command gets to that", () => {
    expect(at("run", "-v", "")).toBe("program")
    expect(at("run", "--", "l")).toBe("program")
    expect(at("run", "ls", "--v")).toBe("file")
    expect(at("run", "--", "ls", "")).toBe("file")
  })
})

const hasMan = (() => {
  try {
    return execFileSync("man", ["--version"]).length > 0
  } catch {
    return false
  }
})()

/** A page as `man` shows it. */
const shown = ({ text }: Help.Page): string =>
  execFileSync("man", ["--warnings=all", "-l", "-"], {
    input: text,
    env: {
      ...process.env,
      MANPAGER: "cat",
      PAGER: "cat",
      MANWIDTH: "80",
      LC_ALL: "C.UTF-8",
    },
    stdio: ["pipe", "pipe", "pipe"],
  }).toString()

describe("a man page", () => {
  it.skipIf(!hasMan)("is shown by man as it is meant", () => {
    const page = shown(Help.manOf(spec))
    for (const text of ["procwire-try - try it", "-f, --file FILE", "A word about it.", ".and a period"])
      expect(page).toContain(text)
    expect(page).toContain("procwire try -v x")
  })

  it("has every command, every flag and every example", () => {
    const program = Help.manOfProgram(specs).text
    for (const each of specs) {
      expect(program).toContain(`procwire\\-${each.name.replaceAll("-", "\\-")}(1)`)
      const { file, text } = Help.manOf(each)
      expect(file).toBe(`procwire-${each.name}.1`)
      for (const flag of Object.keys(flagsOf(each)))
        expect(text).toContain(`\\-\\-${flag.replaceAll("-", "\\-")}`)
      expect(text).not.toMatch(/^\.(?!TH|SH|TP|PP|nf|fi|B)/m)
    }
  })
})
