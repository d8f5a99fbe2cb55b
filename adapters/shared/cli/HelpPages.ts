/** `procwire help`: the help of the program and of its commands, as pages of the terminal or as man pages. */
import * as fs from "node:fs"
import { join } from "node:path"
import * as Folders from "../host/Folders.ts"
import { allSpecs, groups } from "./Commands.ts"
import { exitCodes } from "./ExitCodes.ts"
import * as Help from "./table/Help.ts"
import * as Man from "./table/Man.ts"
import { version } from "../Version.ts"

/** The help of the program. */
export const page = async (): Promise<string> => {
  const specs = new Map((await allSpecs()).map((spec) => [spec.name, spec]))
  const lines = groups.map(([title, commands]) => {
    const rows = Object.keys(commands).map((name) => {
      const text = (specs.get(name)?.summary ?? "").replaceAll("\n", " ")
      return `  ${name.padEnd(12)}${Help.wrap(text, 100).join(`\n${" ".repeat(14)}`)}\n`
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
  if (name === undefined) return Man.ofProgram(specs, exitCodes, version).text
  const spec = specs.find((each) => each.name === name)
  return spec === undefined ? undefined : Man.ofCommand(spec, version).text
}

/** Writes all man pages to a folder, which is made if it is not there; their names. */
export const writeManPages = async (folder: string): Promise<ReadonlyArray<string>> => {
  const specs = await allSpecs()
  const pages = [
    Man.ofProgram(specs, exitCodes, version),
    ...specs.map((spec) => Man.ofCommand(spec, version)),
  ]
  Folders.make(folder)
  for (const { file, text } of pages) fs.writeFileSync(join(folder, file), text)
  return pages.map(({ file }) => join(folder, file))
}
