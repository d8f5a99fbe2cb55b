/**
 * `--client "CMD {URL}"`: tests a client, for which the suite plays the server. Its outcomes go into the same reports.
 */
import * as ClientRunner from "../client/ClientRunner.ts"
import { load } from "../client/Scenario.ts"
import type { Case } from "../suite/Case.ts"
import type { Dialect } from "../suite/Dialect.ts"
import type { Outcome } from "../suite/RunCase.ts"
import type { OnOutcome } from "../suite/Runner.ts"
import type { TransportKind } from "../suite/wire/TransportKind.ts"

/** Abilities that a client may lack. */
export const abilities = ["input", "reconnect"] as const

export const cases = (dialect: Dialect): ReadonlyArray<Case> =>
  ClientRunner.cases().filter((item) => item.dialect === dialect)

/** The used options of the command. */
export interface Wanted {
  readonly client: ReadonlyArray<string>
  readonly clientTransports: ReadonlyArray<TransportKind>
  readonly parallel: number
  readonly timeoutMs: number
  readonly without: ReadonlySet<string>
}

export const run = (
  chosen: ReadonlyArray<Case>,
  { client, clientTransports, parallel, timeoutMs, without }: Wanted,
  onOutcome: OnOutcome,
): Promise<ReadonlyArray<Outcome>> => {
  const ids = new Set(chosen.map(({ id }) => id))
  const scenarios = load().filter(({ id }) => ids.has(id))
  const plan = { words: client, scenarios, transports: clientTransports, parallel, timeoutMs, without }
  return ClientRunner.run(plan, onOutcome)
}
