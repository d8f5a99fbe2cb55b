/** `procwire spawners`: the built-in spawners, and what this machine lacks for them. */
import { builtIns } from "../../sandbox/BuiltIns.ts"
import * as Command from "./Command.ts"
import * as Flags from "./Flags.ts"
import * as LocalTerminal from "./LocalTerminal.ts"
import { wrap } from "./show/Texts.ts"

export const spawners = Command.make({
  name: "spawners",
  summary: "List the spawners that come with procwire, and what this machine lacks for them",
  usage: "[OPTIONS]",
  flags: {
    json: Flags.toggle("print a JSON array of { name, options, says, example, ready, missing, remedy }"),
  },
  examples: [
    "procwire spawners",
    "procwire run --spawner nice:15 -- make",
    "procwire serve --spawner limits:mem=512m --spawner user:nobody",
    "procwire serve --spawner ./mine.mjs",
  ],
  run: ({ values }) => {
    const rows = builtIns.map(({ example, missing, name, options, says }) => {
      const lack = missing()
      const { what = null, remedy = null } = lack ?? {}
      return { name, options, says, example, ready: lack === undefined, missing: what, remedy }
    })
    return LocalTerminal.print(
      values.json === true ? `${JSON.stringify(rows, undefined, 2)}\n` : rows.map(toText).join("\n"),
    )
  },
})

interface Row {
  readonly name: string
  readonly options: string
  readonly says: string
  readonly example: string
  readonly missing: string | null
  readonly remedy: string | null
}

/** Lines of at most 100 columns. */
const indented = (text: string) => wrap(text, 98).map((line) => `  ${line}`)

const toText = ({ example, missing, name, options, remedy, says }: Row): string =>
  [
    `${name}${options}`,
    ...indented(says),
    `  example: --spawner ${example}`,
    ...indented(missing === null ? "ready" : `not here: ${missing}; ${remedy}`),
    "",
  ].join("\n")
