/**
 * A program whose commands have its streams: it runs what its first argument says with a client of a server in this
 * program, prints on stderr how each has ended, and comes to its end by itself.
 */
import type { Client } from "../../core/client/Client.ts"
import * as Program from "../shared/Program.ts"
import { platform } from "./Runtime.ts"

const client = await Program.make(platform).connect({ inProcess: true })
const options = JSON.parse(process.argv[2] ?? "[]") as ReadonlyArray<Parameters<Client["run"]>[0]>
for (const one of options) {
  const ended = await client.run(one).then(
    ({ exitCode, stdout, stderr }) => JSON.stringify({ exitCode, stdout, stderr }),
    (error: unknown) => JSON.stringify({ message: (error as Error).message }),
  )
  process.stderr.write(`${ended}\n`)
}
