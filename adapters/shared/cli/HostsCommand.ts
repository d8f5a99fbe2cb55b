/** `procwire hosts`: the hosts that `--host` knows, and what each can do, tried on all of them at once. */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type * as ExecClient from "../../../core/client/ExecClient.ts"
import type { StartOptions } from "../../../core/client/StartOptions.ts"
import * as Command from "./Command.ts"
import * as Flags from "./Flags.ts"
import * as HostFlags from "./HostFlags.ts"
import * as LocalTerminal from "./LocalTerminal.ts"
import * as Colours from "./show/Colours.ts"
import * as Table from "./show/Table.ts"

export const hosts = Command.make({
  name: "hosts",
  summary: "List the hosts that --host knows, and what each can do",
  usage: "[OPTIONS] [NAME...]",
  flags: {
    json: Flags.toggle("a line of JSON for each"),
    quiet: Flags.toggle("names only, without asking them", "q"),
    timeout: Flags.duration("how long each may take to answer [default: 10s]"),
  },
  operands: "host",
  text: `
They are your own server here, the contexts, and the hosts of your configuration of ssh (Host lines without patterns, in
~/.ssh/config or the file of the variable PROCWIRE_SSH_CONFIG). Behind ssh it is your own server on that host, which is
started; ssh asks for no password. A terminal and a sandbox are tried by a process that does nothing.

Exit code: 1 if one of the hosts that were named has not answered; 0 otherwise.`,
  examples: ["procwire hosts", "procwire hosts --json build ci", "procwire ps --all-hosts"],
  run: ({ operands, values }) =>
    Effect.gen(function* () {
      const named = yield* Effect.forEach([...new Set(operands)], (name) => HostFlags.ofName(name))
      if (values.quiet === true) {
        const names = operands.length > 0 ? named.map(({ name }) => name) : yield* HostFlags.names
        yield* LocalTerminal.print(names.map((name) => `${name}\n`).join(""))
        return 0
      }
      const asked = operands.length > 0 ? named : yield* HostFlags.every
      const several = { hosts: asked, millis: HostFlags.millisOf(values.timeout) }
      const answers = yield* HostFlags.ask(several, "procwire-hosts", abilities)
      yield* Table.print(answers, values, { columns: columns(), toJson })
      return operands.length > 0 && answers.some(({ answer }) => Result.isFailure(answer)) ? 1 : 0
    }),
})

/** The abilities of a host; undefined where it does not say. */
interface Abilities {
  readonly state: "running" | "not running"
  readonly version?: string | undefined
  readonly os?: string | undefined
  readonly runtime?: string | undefined
  readonly pty?: boolean | undefined
  readonly sandbox?: boolean | undefined
}

const abilities = (client: ExecClient.ExecClient | undefined) =>
  Effect.gen(function* () {
    if (client === undefined) return { state: "not running" } satisfies Abilities
    const { executorVersion, platformOs } = client.environmentInfo
    const [seen, sandbox] = yield* Effect.all(
      [
        tried(client, { argv: ["/bin/sh", "-c", parent], tty: true }),
        tried(client, { argv: ["/bin/sh", "-c", ":"], sandbox: readOnly }),
      ],
      { concurrency: 2 },
    )
    return {
      state: "running",
      version: executorVersion,
      os: platformOs ?? undefined,
      runtime: /\b(node|bun|deno|procwire)\b/i.exec(seen ?? "")?.[1]?.toLowerCase(),
      pty: seen !== undefined,
      sandbox: sandbox !== undefined,
    } satisfies Abilities
  })

/** The program that runs the server, as far as a child of it can see. */
const parent = "readlink /proc/$PPID/exe 2>/dev/null || ps -o comm= -p $PPID"

/** Its stdout; undefined if it did not run, unless the connection is lost. */
const tried = (client: ExecClient.ExecClient, start: StartOptions) =>
  Effect.map(client.run({ ...start, reject: false }), ({ stdout }): string | undefined => stdout).pipe(
    Effect.catchIf(
      ({ reason }) => reason !== "Disconnected",
      () => Effect.succeed(undefined),
    ),
  )

/** May read everything and write nothing. */
const readOnly = {
  permissions: {
    type: "managed",
    file_system: {
      type: "restricted",
      entries: [{ path: { type: "special", value: { kind: "root" } }, access: "read" }],
    },
    network: "restricted",
  },
  windowsSandboxLevel: "disabled",
  windowsSandboxProxySettingsMode: null,
} as const

type Row = HostFlags.Answer<Abilities>

const toJson = ({ answer, host }: Row): object =>
  Result.match(answer, {
    onFailure: (error) => ({ host, reachable: false, error }),
    onSuccess: (found) => ({ host, reachable: found.state === "running", ...found }),
  })

const columns = (): ReadonlyArray<Table.Column<Row>> => {
  const { bad, good } = Colours.of("stdout")
  const of = (text: (found: Abilities) => string | undefined) => (row: Row) =>
    Result.match(row.answer, { onFailure: () => "-", onSuccess: (found) => text(found) ?? "-" })
  return [
    { title: "HOST", text: ({ host }) => host, least: 8 },
    { title: "VERSION", text: of(({ version }) => version) },
    { title: "OS", text: of(({ os }) => os) },
    { title: "RUNTIME", text: of(({ runtime }) => runtime) },
    { title: "PTY", text: of(({ pty }) => yesOrNo(pty)) },
    { title: "SANDBOX", text: of(({ sandbox }) => yesOrNo(sandbox)) },
    {
      title: "STATE",
      text: ({ answer }) =>
        Result.match(answer, { onFailure: (why) => why, onSuccess: ({ state }) => state }),
      least: 20,
      paint: (text, { answer }) =>
        Result.isFailure(answer) ? bad(text) : text === "running" ? good(text) : text,
    },
  ]
}

const yesOrNo = (is: boolean | undefined): string | undefined =>
  is === undefined ? undefined : is ? "yes" : "no"
