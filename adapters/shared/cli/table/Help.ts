/** `procwire help`: the pages of the program and of its commands for the terminal, and man pages in roff. */
import * as fs from "node:fs"
import { join } from "node:path"
import * as Folders from "../../host/Folders.ts"
import { version } from "../../Version.ts"
import { flagsOf, type Spec } from "../Command.ts"
import { allSpecs, groups } from "../Commands.ts"
import * as Flags from "../Flags.ts"
import { wrap } from "../show/Texts.ts"

/** Exit codes of the program, and their meaning, for every command. */
const exitCodes: ReadonlyArray<readonly [code: string, meaning: string]> = [
  ["0", "It was done."],
  ["1", "It could not be done: no such process, no server, a condition that will never hold."],
  ["2", "Wrong use: a flag, a value or a configuration that cannot be."],
  ["124", "A timeout: the command of run was ended by one, or what wait waited for has not come."],
  ["125", "The command of run was not started, or its server failed."],
  ["126, 127", "The command of run cannot be executed, or was not found."],
  ["128 + n", "Signal n has ended the command of run, or this one; 141 is a reader of stdout that has gone."],
]

const [column, width] = [25, 118]

export const page = (spec: Spec): string => {
  const { name, summary, usage, groups = [], text, examples } = spec
  const others = groups.map(({ title, flags }) => `${title}:\n${flagLines(flags)}\n`)
  return [
    `${summary}.\n\nUsage: procwire ${`${name} ${usage}`.trimEnd()}\n\n`,
    `Options:\n${flagLines({ ...spec.flags, ...Flags.help })}\n`,
    ...others,
    text === undefined ? "" : `${text.trim()}\n\n`,
    hasDurations(spec) ? `${Flags.durationText}\n\n` : "",
    `Examples:\n${examples.map((line) => `  ${line}\n`).join("")}`,
  ].join("")
}

/** True for a command some of whose flags take a duration, perhaps besides other values. */
const hasDurations = (spec: Spec): boolean =>
  Object.values(flagsOf(spec)).some(({ shows = "" }) => /\b(?:DURATION|TIME)\b/.test(shows))

/** A line for each flag; long texts are wrapped below their begin. */
const flagLines = (flags: Flags.FlagTable): string =>
  Object.entries(flags)
    .map(([long, flag]) => {
      const head = `  ${usageOf(long, flag)}`
      const indent = " ".repeat(column)
      const first = head.length < column ? head.padEnd(column) : `${head}\n${indent}`
      return `${first}${wrap(flag.help, width - column).join(`\n${indent}`)}\n`
    })
    .join("")

/** The syntax of a flag: `-e, --env K=V`. */
const usageOf = (long: string, { short, shows }: Flags.Flag): string =>
  `${short === undefined ? "" : `-${short}, `}--${long}${shows === undefined ? "" : ` ${shows}`}`

export interface Page {
  readonly file: string
  readonly text: string
}

export const manOf = (spec: Spec): Page => {
  const { name, summary, usage, groups = [], text = "", examples } = spec
  const title = `procwire-${name}`
  const described = hasDurations(spec) ? `${text.trimEnd()}\n\n${Flags.durationText}` : text
  const options = [{ title: "Options", flags: { ...spec.flags, ...Flags.help } }, ...groups]
  return {
    file: `${title}.1`,
    text: [
      head(title),
      section("NAME", `${title} \\- ${escape(lower(summary))}`),
      section("SYNOPSIS", `.B procwire ${escape(name)}\n${escape(usage)}`),
      ...options.map((group) => section(group.title.toUpperCase(), flagTerms(group.flags))),
      described === "" ? "" : section("DESCRIPTION", paragraphs(described)),
      section("EXAMPLES", verbatim(examples)),
      section("SEE ALSO", ".BR procwire (1)"),
    ].join(""),
  }
}

export const manOfProgram = (specs: ReadonlyArray<Spec>): Page => ({
  file: "procwire.1",
  text: [
    head("procwire"),
    section("NAME", "procwire \\- runs processes for other programs"),
    section("SYNOPSIS", ".B procwire\nCOMMAND [OPTIONS]"),
    section("COMMANDS", terms(specs.map(({ name, summary }) => [`procwire-${name}(1)`, summary]))),
    section("EXIT STATUS", terms(exitCodes)),
  ].join(""),
})

const head = (title: string): string =>
  `.TH "${title.toUpperCase().replaceAll("-", "\\-")}" 1 "" "procwire ${escape(version)}" "procwire"\n`

const section = (title: string, body: string): string => `.SH "${title}"\n${body.trimEnd()}\n`

const flagTerms = (flags: Flags.FlagTable): string =>
  terms(Object.entries(flags).map(([long, flag]) => [usageOf(long, flag), flag.help]))

const terms = (rows: ReadonlyArray<readonly [term: string, text: string]>): string =>
  rows.map(([term, text]) => `.TP\n\\fB${escape(term)}\\fR\n${guard(escape(text))}\n`).join("")

/** An indented line is printed as it is. */
const paragraphs = (text: string): string =>
  text
    .trim()
    .split("\n\n")
    .map((part) =>
      /^ /m.test(part) ? verbatim(part.split("\n")) : `.PP\n${part.split("\n").map(line).join("\n")}\n`,
    )
    .join("")

const verbatim = (lines: ReadonlyArray<string>): string => `.PP\n.nf\n${lines.map(line).join("\n")}\n.fi\n`

const line = (text: string): string => guard(escape(text))

/** A period or an apostrophe at the begin of a line would be a request of roff. */
const guard = (text: string): string => text.replaceAll(/^([.'])/gm, "\\&$1")

const escape = (text: string): string => text.replaceAll("\\", "\\e").replaceAll("-", "\\-")

const lower = (text: string): string => `${text.charAt(0).toLowerCase()}${text.slice(1)}`

export const programPage = async (): Promise<string> => {
  const specs = new Map((await allSpecs()).map((spec) => [spec.name, spec]))
  const lines = groups.map(([title, commands]) => {
    const rows = Object.keys(commands).map((name) => {
      const text = (specs.get(name)?.summary ?? "").replaceAll("\n", " ")
      return `  ${name.padEnd(12)}${wrap(text, 100).join(`\n${" ".repeat(14)}`)}\n`
    })
    return `${title}:\n${rows.join("")}\n`
  })
  return `procwire ${version}: runs processes for other programs

Usage: procwire COMMAND [OPTIONS]

${lines.join("")}Options:
  -h, --help     show this text, or the help of a command: procwire COMMAND --help, procwire help COMMAND
  -V, --version  show the version

Examples:
  procwire run -- ls -la
  procwire run -d --name web -- npm run dev
  procwire ps
  procwire run --server ws://127.0.0.1:7000 -- make test
  procwire serve --listen ws://127.0.0.1:7000
  procwire mcp --cwd /path/to/project

Exit codes:
${exitCodes.map(([code, meaning]) => `  ${code.padEnd(12)}${meaning}\n`).join("")}
procwire help --man [COMMAND] prints a man page; procwire help --man-dir DIR writes all.
`
}

/** The man page of the program, or of a command; undefined if there is no such command. */
export const manPage = async (name: string | undefined): Promise<string | undefined> => {
  const specs = await allSpecs()
  if (name === undefined) return manOfProgram(specs).text
  const spec = specs.find((each) => each.name === name)
  return spec === undefined ? undefined : manOf(spec).text
}

/** Writes all man pages to a folder, which is made if it is not there; their names. */
export const writeManPages = async (folder: string): Promise<ReadonlyArray<string>> => {
  const specs = await allSpecs()
  Folders.make(folder)
  return [manOfProgram(specs), ...specs.map(manOf)].map(({ file, text }) => {
    fs.writeFileSync(join(folder, file), text)
    return join(folder, file)
  })
}
