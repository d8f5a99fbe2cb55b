/** Man pages in roff, from the tables of the commands. */
import * as Flags from "../Flags.ts"
import * as Help from "./Help.ts"
import * as Spec from "./Spec.ts"

/** A page, and the name of its file. */
export interface Page {
  readonly file: string
  readonly text: string
}

/** The page of one command. */
export const ofCommand = (spec: Spec.Spec, version: string): Page => {
  const { name, summary, usage, groups = [], text = "", examples } = spec
  const title = `procwire-${name}`
  const described = Help.hasDurations(spec) ? `${text.trimEnd()}\n\n${Flags.durationText}` : text
  const options = [{ title: "Options", flags: { ...spec.flags, ...Spec.help } }, ...groups]
  return {
    file: `${title}.1`,
    text: [
      head(title, version),
      section("NAME", `${title} \\- ${escape(lower(summary))}`),
      section("SYNOPSIS", `.B procwire ${escape(name)}\n${escape(usage)}`),
      ...options.map((group) => section(group.title.toUpperCase(), flagsOf(group.flags))),
      described === "" ? "" : section("DESCRIPTION", paragraphs(described)),
      section("EXAMPLES", verbatim(examples)),
      section("SEE ALSO", ".BR procwire (1)"),
    ].join(""),
  }
}

/** The page of the program. */
export const ofProgram = (
  specs: ReadonlyArray<Spec.Spec>,
  exitCodes: ReadonlyArray<readonly [code: string, meaning: string]>,
  version: string,
): Page => ({
  file: "procwire.1",
  text: [
    head("procwire", version),
    section("NAME", "procwire \\- runs processes for other programs"),
    section("SYNOPSIS", ".B procwire\nCOMMAND [OPTIONS]"),
    section("COMMANDS", terms(specs.map(({ name, summary }) => [`procwire-${name}(1)`, summary]))),
    section("EXIT STATUS", terms(exitCodes)),
  ].join(""),
})

const head = (title: string, version: string): string =>
  `.TH "${title.toUpperCase().replaceAll("-", "\\-")}" 1 "" "procwire ${escape(version)}" "procwire"\n`

const section = (title: string, body: string): string => `.SH "${title}"\n${body.trimEnd()}\n`

const flagsOf = (flags: Spec.FlagSpecs): string =>
  terms(Object.entries(flags).map(([long, flag]) => [Help.usageOf(long, flag), flag.help]))

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
