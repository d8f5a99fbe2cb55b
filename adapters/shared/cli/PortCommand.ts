/** `procwire port`: the address that leads to a port within a process. */
import * as Effect from "effect/Effect"
import * as Command from "./Command.ts"
import * as Control from "./control/Control.ts"
import * as Flags from "./Flags.ts"
import * as LocalTerminal from "./LocalTerminal.ts"
import * as Access from "./server/Access.ts"
import * as TargetFlags from "./TargetFlags.ts"

export const port = Command.make({
  name: "port",
  summary: "Open a port on which a process listens, also in a network of its own",
  usage: "[OPTIONS] NAME PORT",
  flags: {
    json: Flags.toggle("print { host, port } in place of the URL"),
    ...TargetFlags.flags,
  },
  operands: "process",
  text: `
It prints a URL on the loopback of the server's host. Each connection to it is one to the TCP port, made from within the
network of the process: a process with --egress has no other way in. Everybody who asks gets the same address, which
ends with the process, or when nobody has been connected for 15 minutes.

Exit code: 0; 1 if nothing listens there (procwire wait NAME --for port:PORT waits for it), or if the server cannot look
into its processes.`,
  examples: [
    "procwire port web 5173",
    "curl $(procwire port web 8000)",
    "procwire wait web --for port:5173 && procwire port web 5173",
  ],
  run: (given) =>
    Effect.gen(function* () {
      const [ref = "", text, more] = given.operands
      if (text === undefined) return yield* Flags.wrong("expected the name of a process and a port")
      if (more !== undefined) return yield* Flags.wrong(`unexpected argument '${more}'`)
      const number = yield* Flags.readWhole(text, "PORT", 1, 65_535)
      const { about, client, row } = yield* Control.findOnly({ ...given, operands: [ref] })
      yield* Access.need(client, "processPort", "this server cannot look into its processes")
      const way = yield* Control.act(client, row).pipe(
        Effect.flatMap((process) => process.port(number)),
        about,
      )
      yield* LocalTerminal.printLine(
        given.values.json === true ? JSON.stringify(way) : `http://${way.host}:${way.port}/`,
      )
    }),
})
