/**
 * The wire suite as vitest tests: one test for each case, named by its id and its sentence.
 *
 * A failed `must` or `should` fails its test; a failed `peer` case is only printed. Cases for other transports and
 * slow ones are not registered unless asked for; a case whose capability the server lacks is skipped with that
 * reason. If the server does not answer `initialize`, no case runs and the suite fails with one sentence.
 *
 * @module
 * @example
 * ```ts
 * import { Target } from "procwire/conformance"
 * import { suite } from "procwire/conformance/vitest"
 *
 * suite("my server", Target.command("stdio", ["node", "my-server.mjs"]), { without: ["pty"] })
 * ```
 */
import { afterAll, beforeAll, describe, it } from "vitest"
import type { Capability, Case } from "./suite/Case.ts"
import { all } from "./suite/cases/all.ts"
import type { Dialect } from "./suite/Dialect.ts"
import { newest, type Peer } from "./suite/Peer.ts"
import * as Preflight from "./suite/Preflight.ts"
import * as Report from "./report/Report.ts"
import { runCase, type CaseOptions, type Outcome } from "./suite/RunCase.ts"
import { select, type Depth } from "./suite/Select.ts"
import type { Target } from "./suite/Target.ts"
import { carries } from "./suite/wire/TransportKind.ts"

export { suite as spawnerSuite, type SuiteOptions as SpawnerSuiteOptions } from "./spawner/SpawnerSuite.ts"

/** The cases to register, and their options. */
export interface SuiteOptions {
  /** The dialect of the server; `current` by default. */
  readonly dialect?: Dialect
  /** The release of Codex that the server follows; the newest by default. */
  readonly peer?: Peer
  /** Ids or globs; everything by default. */
  readonly only?: ReadonlyArray<string>
  /** `must`, `should` or `all`, the default. */
  readonly depth?: Depth
  /** Also cases that take more than five seconds. */
  readonly slow?: boolean
  /** Longest wait without a message, in milliseconds; 10,000 by default. */
  readonly timeoutMs?: number
  /** Capabilities that the server lacks. */
  readonly without?: ReadonlyArray<Capability>
}

const style: Report.Style = { colour: false, verbose: false, program: "procwire-conformance" }

/** The error that vitest shows: the report of the failure instead of a stack of this file. */
const failed = (outcome: Outcome): Error => {
  const error = new Error(`\n${Report.failure(outcome, style)}`)
  error.stack = error.message
  return error
}

const registers = (item: Case, target: Target, options: CaseOptions): boolean =>
  carries(item.transports, target.kind) && (options.slow || !item.slow)

/** Registers a test for each chosen case. `name` is the name of the group in vitest. */
export const suite = (name: string, target: Target, options: SuiteOptions = {}): void => {
  const {
    dialect = "current",
    depth = "all",
    only = [],
    peer = newest,
    slow = false,
    timeoutMs = 10_000,
    without = [],
  } = options
  const caseOptions: CaseOptions = { timeoutMs, slow, without: new Set(without) }
  const spoken = all.filter((item) => item.dialect === dialect)
  const chosen = select(spoken, only, depth, peer).cases.filter((item) =>
    registers(item, target, caseOptions),
  )
  describe.concurrent(name, () => {
    const told: Array<string> = []
    beforeAll(async () => {
      const trouble = await Preflight.check(target, timeoutMs)
      if (trouble !== undefined) throw new Error(`${name}: ${trouble.text}`)
    }, timeoutMs * 4)
    afterAll(() => {
      target.close()
      if (told.length > 0) process.stdout.write(`${name}: unlike the peer\n${told.join("\n")}\n`)
    })
    for (const item of chosen) {
      const limit = timeoutMs * (item.slow ? 61 : 10)
      it(`${item.id} (${item.level}): ${item.says}`, { timeout: limit }, async (context) => {
        const outcome = await runCase(item, target, caseOptions)
        if (outcome.status === "skip") context.skip(outcome.reason)
        if (outcome.status !== "fail") return
        if (item.level !== "peer") throw failed(outcome)
        told.push(`  ${item.id}: ${outcome.reason}`)
      })
    }
  })
}
