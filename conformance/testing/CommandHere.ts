/** The command `procwire-conformance` in this process, which takes a hundredth of the time that one of its own takes. */
import { run as command } from "../command/Command.ts"
import { all as cases } from "../suite/cases/all.ts"

/** Its exit code, and all that it has written. */
export interface Ran {
  readonly code: number
  readonly out: string
  readonly err: string
}

/** Runs it with these arguments. */
export const run = async (...args: ReadonlyArray<string>): Promise<Ran> => {
  const said = { out: "", err: "" }
  const code = await command(args, {
    name: "procwire-conformance",
    cases,
    out: { write: (text) => (said.out += text) },
    err: { write: (text) => (said.err += text) },
  })
  return { code, ...said }
}
