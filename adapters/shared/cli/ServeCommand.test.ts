/** ServeCommand.ts: what its flags, its variables and its file make of the options, and which values are refused. */
import * as Effect from "effect/Effect"
import { describe, expect, it } from "vitest"
import * as Limits from "../../../core/protocol/Limits.ts"
import * as TextFile from "../host/TextFile.ts"
import * as Options from "../serve/Options.ts"
import * as Command from "./Command.ts"
import { serve, settle as settleValues } from "./ServeCommand.ts"
import * as Help from "./table/Help.ts"
import { ConfigurationError, UsageError } from "./Flags.ts"

interface Sources {
  readonly flags?: ReadonlyArray<string>
  readonly env?: Readonly<Record<string, string>>
  /** The content of `/c`. */
  readonly file?: string
}

const parsed = (args: ReadonlyArray<string>, env: Readonly<Record<string, string>>) =>
  Effect.flatMap(Command.parse(serve, args), ({ values }) => settleValues(values, env))
const settle = ({ flags = [], env = {}, file = "" }: Sources) => {
  const config = file === "" ? [] : ["--config", "/c"]
  return Effect.provide(parsed([...config, ...flags], env), TextFile.layerMemory({ "/c": file }))
}
const read = (sources: Sources) => Effect.runSync(settle(sources)).options
const refusal = (sources: Sources) => Effect.runSync(Effect.flip(settle(sources)))
const help = Help.page(serve)
const wrong = (sources: Sources, message: string) =>
  expect(refusal(sources)).toEqual(new UsageError({ message }))

const limit = (flag: string, value: string) => ({ flags: [`--${flag}=${value}`] })

describe("an option of procwire serve", () => {
  it("has a flag, a variable and a key in the file, and an entry in the help", () => {
    for (const { path, option } of Options.all) {
      const text = {
        text: option.flag === "tcp-upstream-proxy" ? "x:1" : "x",
        number: "70",
        choice: "",
        switch: "true",
      }[option.kind]
      const value = option.kind === "choice" ? (option.of.at(-1) ?? "") : text
      const flags = [option.kind === "switch" ? `--${option.flag}` : `--${option.flag}=${value}`]
      const number = Math.max(70, option.kind === "number" ? option.least : 0)
      const adjusted = option.kind === "number" ? String(number) : value
      const sources: ReadonlyArray<Sources> = [
        { flags: option.kind === "number" ? [`--${option.flag}=${adjusted}`] : flags },
        { env: { [Options.variableOf(option)]: adjusted } },
        { file: `${option.flag} ${adjusted}\n` },
      ]
      const [first, ...others] = sources.map(read)
      expect(Object.keys(first ?? {}), path).toEqual([path.split(".")[0]])
      for (const other of others) expect(other, path).toEqual(first)
      expect(help).toContain(`  --${option.flag}${option.kind === "switch" ? "" : ` ${option.shows}`}`)
    }
    expect(Math.max(...help.split("\n").map(({ length }) => length))).toBeLessThanOrEqual(120)
  })

  it("is taken from its flag, else from its variable, else from the file", () => {
    const file = "max-processes 1\nmax-sessions 1\nmax-connections 1\nlisten stdio\n"
    const env = { PROCWIRE_MAX_PROCESSES: "2", PROCWIRE_MAX_SESSIONS: "2" }
    expect(read({ file, env, flags: ["--max-processes", "3", "--listen", "unix:a"] })).toEqual({
      limits: { processes: 3, sessions: 2, connections: 1 },
      listen: ["unix:a"],
    })
  })

  it("has no value where nothing or an empty variable is given", () => {
    expect(read({})).toEqual({})
    expect(read({ env: { PROCWIRE_LISTEN: "", PROCWIRE_AUDIT: " ", PROCWIRE_CONFIG: "" } })).toEqual({})
  })

  it("may be a list: of flags, of words in the variable, of lines in the file", () => {
    const listen = ["ws://127.0.0.1:1", "unix:/run/a b"]
    expect(read({ flags: listen.map((address) => `--listen=${address}`) })).toEqual({ listen })
    expect(read({ file: listen.map((address) => `listen ${address}`).join("\n") })).toEqual({ listen })
    expect(read({ env: { PROCWIRE_LISTEN: " ws://127.0.0.1:1\n stdio " } })).toEqual({
      listen: ["ws://127.0.0.1:1", "stdio"],
    })
  })

  it("may be a switch, which is off again with false", () => {
    const file = "exit-on-stdin-close\nallow-unauthenticated false\naudit-best-effort = true\n"
    expect(read({ file, env: { PROCWIRE_EXIT_ON_STDIN_CLOSE: "0" } })).toEqual({
      exitOnStdinClose: false,
      allowUnauthenticated: false,
      auditBestEffort: true,
    })
    wrong(
      { env: { PROCWIRE_ALLOW_UNAUTHENTICATED: "yes" } },
      "PROCWIRE_ALLOW_UNAUTHENTICATED: invalid value 'yes': expected true or false",
    )
  })

  it("is named as it was given where its value is not possible", () => {
    const expected = "expected a whole number of at least 1"
    wrong(limit("max-processes", "0"), `invalid value '0' for '--max-processes': ${expected}`)
    wrong({ env: { PROCWIRE_MAX_PROCESSES: "0" } }, `PROCWIRE_MAX_PROCESSES: invalid value '0': ${expected}`)
    wrong({ file: "\nmax-processes 0" }, `max-processes (/c:2): invalid value '0': ${expected}`)
    const names = "expected current, v0 or auto"
    for (const name of ["v1", "", "toString"])
      wrong({ flags: [`--dialect=${name}`] }, `invalid value '${name}' for '--dialect': ${names}`)
  })

  it("may be a host with its port", () => {
    for (const value of ["proxy.example:3128", "10.0.0.1:1", "[::1]:65535"])
      expect(read({ flags: [`--tcp-upstream-proxy=${value}`] })).toEqual({ tcpUpstreamProxy: value })
    for (const value of [
      "proxy.example",
      "h:",
      ":1",
      "h:0",
      "h:65536",
      "h:x",
      "a b:1",
      "http://h:1",
      "::1:5",
      "",
    ])
      wrong(
        { flags: [`--tcp-upstream-proxy=${value}`] },
        `invalid value '${value}' for '--tcp-upstream-proxy': expected HOST:PORT, with a port from 1 to 65535`,
      )
  })

  it.each(Limits.names.map((name) => Limits.table[name]))(
    "refuses nonsense as --$flag",
    ({ flag, least }) => {
      for (const value of [
        String(least - 1),
        "-1",
        "1.5",
        "1e3",
        "",
        " 7",
        "many",
        "Infinity",
        "9007199254740993",
      ]) {
        const { message } = refusal(limit(flag, value))
        expect(message, value).toContain(`invalid value '${value}' for '--${flag}': `)
      }
    },
  )

  it("refuses what would leave no usable server, or what it cannot hold to", () => {
    expect(refusal(limit("max-message-bytes", "1023")).message).toContain(
      "at least 1024 and at most 268435456",
    )
    expect(refusal(limit("max-json-depth", "1001")).message).toContain("at least 8 and at most 1000")
  })
})

describe("the file of --config", () => {
  it("has comments, empty lines, blanks around values and an equals sign for who likes it", () => {
    const file = "# limits\n\n  max-processes   5  \r\nmax-sessions=6\n\taudit = /var/log/a b.log\n"
    expect(read({ file })).toEqual({ limits: { processes: 5, sessions: 6 }, audit: "/var/log/a b.log" })
  })

  it("is refused with its name, the line and what was meant", () => {
    wrong(
      { file: "listen stdio\nmax-proceses 5" },
      "/c:2: there is no option 'max-proceses'; did you mean 'max-processes'?",
    )
    wrong({ file: "--listen stdio" }, "/c:1: there is no option '--listen'; did you mean 'listen'?")
    wrong({ file: "toString 1" }, "/c:1: there is no option 'toString'")
    wrong({ file: "audit" }, "/c:1: 'audit' needs a value: audit FILE|-")
    wrong({ file: "= 5" }, "/c:1: expected the name of an option and its value")
    wrong({ file: "bwrap /a\nbwrap /b" }, "/c:2: 'bwrap' was given before: bwrap (/c:1)")
  })

  it("is refused if it cannot be read, with the name of the option that names it", () => {
    const missing = TextFile.layerMemory({})
    const message = (args: ReadonlyArray<string>, env: Readonly<Record<string, string>>) =>
      Effect.runSync(Effect.flip(Effect.provide(parsed(args, env), missing)))
    expect(message(["--config", "/no"], { PROCWIRE_CONFIG: "/other" })).toBeInstanceOf(ConfigurationError)
    expect(message(["--config", "/no"], {}).message).toContain("cannot read --config /no: ")
    expect(message([], { PROCWIRE_CONFIG: "/no" }).message).toContain("cannot read PROCWIRE_CONFIG /no: ")
  })
})

describe("a variable that is none", () => {
  it("is refused if it is nearly one", () => {
    wrong(
      { env: { PROCWIRE_MAX_PROCESES: "5" } },
      "there is no variable 'PROCWIRE_MAX_PROCESES'; did you mean 'PROCWIRE_MAX_PROCESSES'?",
    )
    wrong(
      { env: { PROCWIRE_LISTEN_ADDRESS: "" } },
      "there is no variable 'PROCWIRE_LISTEN_ADDRESS'; did you mean 'PROCWIRE_LISTEN'?",
    )
  })

  it("is left alone if it belongs to somebody else", () => {
    const names = ["LOG", "TOKEN", "CASE", "PROOF", "SOAK_SECONDS", "SERVICE_HOST", "PORT_7000_TCP_ADDR", ""]
    for (const name of names) expect(read({ env: { [`PROCWIRE_${name}`]: "x" } }), name).toEqual({})
  })
})
