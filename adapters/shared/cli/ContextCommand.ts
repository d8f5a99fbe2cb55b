/** `procwire context`: servers by name, and which of them commands use. */
import { resolve } from "node:path"
import process from "node:process"
import * as Effect from "effect/Effect"
import * as Suggestion from "../../../core/protocol/Suggestion.ts"
import * as Command from "./Command.ts"
import * as Flags from "./Flags.ts"
import * as Contexts from "./server/Contexts.ts"
import * as ServerName from "./server/ServerName.ts"
import { unable } from "./server/Unable.ts"
import * as Table from "./show/Table.ts"
import * as TargetFlags from "./TargetFlags.ts"

const flags = {
  use: Flags.toggle("with add: use it from now on"),
  json: Flags.toggle("with ls: a line of JSON for each"),
  quiet: Flags.toggle("with ls: names only", "q"),
  "token-file": TargetFlags.flags["token-file"],
  ...TargetFlags.tlsFlags,
} satisfies Flags.FlagTable

const actions = ["add", "use", "ls", "rm"] as const

export const context = Command.make({
  name: "context",
  summary: "Name servers, and say which one commands use",
  usage: "add NAME URL | use NAME | ls | rm NAME",
  flags,
  operands: actions,
  text: `
The URL is ${ServerName.addresses}. Behind ssh it is your own server on that host,
which is started when it is needed; procwire has to be in the PATH there. The name own is your own server here, which
is used at first. They are kept in procwire/contexts.json of $XDG_CONFIG_HOME, by default ~/.config.

The flag --server of a command wins over the variable ${TargetFlags.variable}, and that over the context in use; both
take the name of a context, too.`,
  examples: [
    "procwire context add build ssh://build-host --use",
    "procwire context add ci wss://ci:7000 --token-file ~/.ci-token",
    "procwire context use own",
    "procwire ps --server ci",
  ],
  run: ({ values, operands: [action = "", ...rest] }) => {
    if (isAction(action)) return runs[action](rest, values)
    const given = action === "" ? "no action is named" : `invalid action '${action}'`
    return Flags.wrong(`${given}: expected ${actions.join(", ")}${Suggestion.ofWord(action, actions)}`)
  },
})

type Values = Flags.Values<typeof flags>

const isAction = (text: string): text is (typeof actions)[number] => actions.some((action) => action === text)

/** Exactly these operands. */
const expects = (given: ReadonlyArray<string>, usage: string) =>
  given.filter(Boolean).length === usage.split(" ").length - 1
    ? Effect.void
    : Flags.wrong(`expected procwire context ${usage}`)

const add = ([name = "", url = "", ...more]: ReadonlyArray<string>, values: Values) =>
  Effect.gen(function* () {
    yield* expects([name, url, ...more], "add NAME URL")
    if (!Contexts.isName(name) || name === Contexts.own)
      return yield* Flags.wrong(
        `invalid name '${name}': expected letters, digits and any of . _ -, and not own`,
      )
    const address = ServerName.resolveAddress(url)
    if (address === undefined || "own" in address)
      return yield* Flags.wrong(`invalid URL '${url}': expected ${ServerName.addresses}`)
    const files = {
      tokenFile: values["token-file"],
      tlsCa: values["tls-ca"],
      tlsCert: values["tls-cert"],
      tlsKey: values["tls-key"],
    }
    const given = Object.fromEntries(
      Object.entries(files).flatMap(([key, file]) => (file === undefined ? [] : [[key, resolve(file)]])),
    )
    const found = yield* Contexts.read(process.env)
    const contexts = { ...found.contexts, [name]: { server: url, ...given } }
    yield* Contexts.write(process.env, {
      ...found,
      contexts,
      ...(values.use === true ? { current: name } : {}),
    })
  })

const use = ([name = "", ...more]: ReadonlyArray<string>) =>
  Effect.gen(function* () {
    yield* expects([name, ...more], "use NAME")
    const { current: _, ...found } = yield* Contexts.read(process.env)
    if (name !== Contexts.own && !Object.hasOwn(found.contexts, name)) return yield* unknown(name, found)
    yield* Contexts.write(process.env, name === Contexts.own ? found : { ...found, current: name })
  })

const rm = ([name = "", ...more]: ReadonlyArray<string>) =>
  Effect.gen(function* () {
    yield* expects([name, ...more], "rm NAME")
    const { current, ...found } = yield* Contexts.read(process.env)
    if (!Object.hasOwn(found.contexts, name)) return yield* unknown(name, found)
    const { [name]: _, ...contexts } = found.contexts
    yield* Contexts.write(process.env, {
      contexts,
      ...(current === undefined || current === name ? {} : { current }),
    })
  })

const unknown = (name: string, { contexts }: Contexts.Contexts) => {
  const near = Suggestion.ofWord(name, [...Object.keys(contexts), Contexts.own])
  return unable(`no context is called ${name}${near}; procwire context ls lists them`)
}

const ls = (more: ReadonlyArray<string>, { json = false, quiet = false }: Values) =>
  Effect.gen(function* () {
    yield* expects(more, "ls")
    const { contexts, current = Contexts.own } = yield* Contexts.read(process.env)
    const all = [{ name: Contexts.own, server: "your own, on this machine" }]
    const rows = [...all, ...Object.entries(contexts).map(([name, { server }]) => ({ name, server }))].map(
      (row) => ({ ...row, current: row.name === current }),
    )
    const shown = { json, quiet, "no-trunc": true }
    yield* Table.print(rows, shown, { columns, toName: ({ name }) => name })
  })

const columns: ReadonlyArray<Table.Column<{ name: string; server: string; current: boolean }>> = [
  { title: "NAME", text: ({ name, current }) => (current ? `${name} *` : name) },
  { title: "SERVER", text: ({ server }) => server },
]

const runs = { add, use, ls, rm }
