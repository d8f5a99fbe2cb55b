/**
 * The command line of `procwire-conformance`: parsed, checked, and refused with a sentence that names what is wrong.
 */
import { parseArgs } from "node:util"
import * as Suggestion from "../../core/protocol/Suggestion.ts"
import * as Case from "../suite/Case.ts"
import { all } from "../suite/cases/all.ts"
import { dialects } from "../suite/Dialect.ts"
import { newest, peers } from "../suite/Peer.ts"
import { placeholder, programPlaceholder } from "../client/ClientRunner.ts"
import * as Target from "../suite/Target.ts"
import { transportKinds, type TransportKind } from "../suite/wire/TransportKind.ts"
import { split } from "../suite/ShellWords.ts"

/** A usage error: the command exits with 2. */
export class UsageError extends Error {
  override readonly name = "UsageError"
}

/** Capabilities that servers may lack. */
const capabilities = Case.capabilities(all)

/** Abilities that a client may lack. */
const abilities = ["input", "reconnect"] as const

/** The longest wait without a message by default, in milliseconds. */
export const defaultTimeoutMs = 10_000

/** The text of `--help`. */
export const usage = `procwire-conformance: tests any implementation of the exec-server wire

  procwire-conformance --command "CMD ARGS" [ids or globs…]
  procwire-conformance --url ws://HOST:PORT [ids or globs…]
  procwire-conformance --client "CMD {URL} ARGS" [ids or globs…]
  procwire-conformance --spawner MODULE|NAME [ids or globs…]

  --command CMD      start the server with this command; the transport follows the value of its --listen, stdio
                     without one; {LISTEN} stands for several transports: "my-server --listen {LISTEN}"
  --url URL          test a server that runs already: ws://HOST:PORT, tcp://HOST:PORT or unix:PATH
  --client CMD       test a client, for which the suite plays the server at {URL}: it runs the words behind CMD there,
                     prints their output and ends with their exit code; {COMMAND} is a program that is
                     the server, over its standard streams; --transports (default ws), --without ${abilities.join(",")}
  --spawner MODULE   test the spawner that this module exports as layer, layerSpawner or spawner, not a server; or
                     those with these names, as procwire serve --spawner takes them; may be repeated
  --transports LIST  the transports that {LISTEN} stands for, of ${transportKinds.join(",")} (default stdio,ws)
  --dialect NAME     the dialect of the server: current (default), or v0, the first version, of March 2026
  --peer RELEASE     the release of Codex that the server follows: ${peers.join(" or ")} (default ${newest})
  --level L          must, should (with must) or all (default)
  --slow             also cases that take more than 5 s
  --strict           a failed "should" fails the run, too
  --baseline FILE    expected failures, a JSON list of { id, transport?, reason, flaky? }; an entry whose case
                     passes or does not exist is stale and fails the run
  --without LIST     capabilities that the server lacks, separated by commas: ${capabilities.join(",")}
  --timeout-ms N     how long a wait, also for the first answer, may go on without a message, in milliseconds
                     (default ${defaultTimeoutMs})
  --parallel N       how many cases run at a time (default 4)
  --list             print the cases and exit
  --json FILE        write the outcomes as JSON
  --junit FILE       write the outcomes as JUnit XML
  --badge FILE       write a badge as SVG: how many of the cases that count have passed
  --markdown FILE    write a summary for a README: without times, so that the same result is the same text
  --tap              write the outcomes as TAP 14 to standard output, and nothing else
  -v, --verbose      print a line for each case, and whole transcripts
  --help, --version

examples
  procwire-conformance --command "my-server --listen {LISTEN}"
  procwire-conformance --command "python3 server.py" process/read 'process/*/missing-*'
  procwire-conformance --url ws://127.0.0.1:4500 --level must --without pty,resume
  procwire-conformance --command "codex exec-server --listen {LISTEN}" --strict --baseline codex.baseline.json
  procwire-conformance --dialect v0 --command "procwire serve --dialect v0 --listen {LISTEN}"
  procwire-conformance --command my-server --junit report.xml --tap | tap-summary

A server that does not answer one "initialize" within --timeout-ms is not tested: one sentence says why.

Exit code: 0 if some case and every "must" that ran has passed and the baseline has no stale entry, 1 if not, 2 on wrong
use.
`

const flags = {
  command: { type: "string" },
  client: { type: "string" },
  url: { type: "string" },
  spawner: { type: "string", multiple: true },
  transports: { type: "string" },
  dialect: { type: "string" },
  peer: { type: "string" },
  level: { type: "string" },
  slow: { type: "boolean" },
  without: { type: "string" },
  "timeout-ms": { type: "string" },
  parallel: { type: "string" },
  list: { type: "boolean" },
  strict: { type: "boolean" },
  baseline: { type: "string" },
  json: { type: "string" },
  junit: { type: "string" },
  badge: { type: "string" },
  markdown: { type: "string" },
  tap: { type: "boolean" },
  verbose: { type: "boolean", short: "v" },
  help: { type: "boolean", short: "h" },
  version: { type: "boolean" },
} as const

const read = (argv: ReadonlyArray<string>) => {
  try {
    return parseArgs({ args: [...argv], options: flags, allowPositionals: true })
  } catch (error) {
    const unknown = argv.find((word) => /^-./.test(word) && !isFlag(word))
    if (unknown === undefined) throw new UsageError(error instanceof Error ? error.message : String(error))
    const name = unknown.replace(/=.*$/s, "")
    const names = Object.keys(flags).map((flag) => `--${flag}`)
    throw new UsageError(`unexpected argument '${name}'${Suggestion.ofWord(name, names)}`)
  }
}

const isFlag = (word: string): boolean =>
  word.startsWith("--") ? Object.hasOwn(flags, word.slice(2).replace(/=.*$/s, "")) : /^-[vh]+$/.test(word)

const choice = <A extends string>(flag: string, value: string, allowed: ReadonlyArray<A>): A => {
  const found = allowed.find((one) => one === value)
  if (found === undefined)
    throw new UsageError(`${flag} must be one of ${allowed.join(", ")}, not '${value}'`)
  return found
}

const positive = (flag: string, value: string): number => {
  if (!/^[1-9]\d*$/.test(value)) throw new UsageError(`${flag} must be a positive number, not '${value}'`)
  return Number(value)
}

const transportsOf = (list: string): ReadonlyArray<TransportKind> =>
  list.split(",").map((name) => choice("--transports", name, transportKinds))

/** The words of a `--client`, one of which has the place of the address. */
const clientWords = (command: string): ReadonlyArray<string> => {
  const words = split(command)
  if (words === undefined) throw new UsageError(`--client has an open quote: ${command}`)
  if ([placeholder, programPlaceholder].some((place) => command.includes(place))) return words
  throw new UsageError(`--client needs ${placeholder} in the place of the address: ${command}`)
}

/** A client that takes a program speaks over its standard streams. */
const clientTransport = (command: string) => (command.includes(programPlaceholder) ? "stdio" : "ws")

/** The targets that a `--command` stands for: one for each transport. */
const commandTargets = (command: string, transports: string | undefined): ReadonlyArray<Target.Target> => {
  const words = split(command)
  if (words === undefined) throw new UsageError(`--command has an open quote: ${command}`)
  if (words.length === 0) throw new UsageError("--command is empty")
  const wanted = transportsOf(transports ?? "stdio,ws")
  if (words.some((word) => word.includes(Target.placeholder))) {
    return transportKinds
      .filter((kind) => wanted.includes(kind))
      .map((kind) => Target.command(kind, words, ["--command", command, "--transports", kind]))
  }
  const at = words.indexOf("--listen")
  const address =
    words.find((word) => word.startsWith("--listen="))?.slice(9) ?? (at < 0 ? "" : words[at + 1])
  const kind = Target.kindOf(address ?? "")
  if (transports !== undefined && wanted.some((one) => one !== kind)) {
    throw new UsageError(`--transports ${transports} needs {LISTEN} in the command: this one speaks ${kind}`)
  }
  return [Target.command(kind, words, ["--command", command])]
}

export type Options = ReturnType<typeof parse>

/** Parses and checks the arguments. Fails with a {@link UsageError}. */
export const parse = (argv: ReadonlyArray<string>) => {
  const { values, positionals } = read(argv)
  const help = values.help === true || positionals[0] === "help"
  const quiet = values.list === true || help || values.version === true
  const named = (["command", "url", "client", "spawner"] as const).filter(
    (name) => values[name] !== undefined,
  )
  if (named.length > 1)
    throw new UsageError(`${named.map((name) => `--${name}`).join(" and ")} exclude each other`)
  if (named.length === 0 && !quiet) {
    throw new UsageError(
      'name what to test: --command "CMD ARGS", --url ws://HOST:PORT, --client "CMD {URL}" or --spawner MODULE',
    )
  }
  if (values.url !== undefined && !/^((wss?|tcp):\/\/|unix:)./.test(values.url)) {
    throw new UsageError(`--url must begin with ws://, wss://, tcp:// or unix:, not '${values.url}'`)
  }
  const isClient = values.client !== undefined
  const without = (values.without ?? "").split(",").filter((name) => name !== "")
  return {
    targets:
      values.url !== undefined
        ? [Target.url(values.url)]
        : values.command !== undefined
          ? commandTargets(values.command, values.transports)
          : [],
    /** The spawners that are tested instead of a server, the first one outermost: names, or one module. */
    spawners: values.spawner ?? [],
    /** The words of the client that is tested instead of a server. */
    client: values.client === undefined ? [] : clientWords(values.client),
    clientTransports: transportsOf(values.transports ?? clientTransport(values.client ?? "")),
    /** The dialect of the server: only its cases run. */
    dialect: choice("--dialect", values.dialect ?? "current", dialects),
    /** The release of the peer that the server follows: only cases of its behaviour run. */
    peer: choice("--peer", values.peer ?? newest, peers),
    globs: positionals,
    depth: choice("--level", values.level ?? "all", ["must", "should", "all"]),
    slow: values.slow === true,
    timeoutMs: positive("--timeout-ms", values["timeout-ms"] ?? String(defaultTimeoutMs)),
    parallel: positive("--parallel", values.parallel ?? "4"),
    without: new Set(isClient ? [] : without.map((name) => choice("--without", name, capabilities))),
    /** The abilities that the client lacks. */
    clientWithout: new Set(isClient ? without.map((name) => choice("--without", name, abilities)) : []),
    list: values.list === true,
    strict: values.strict === true,
    baseline: values.baseline,
    json: values.json,
    junit: values.junit,
    badge: values.badge,
    markdown: values.markdown,
    tap: values.tap === true,
    verbose: values.verbose === true,
    help,
    version: values.version === true,
  }
}
