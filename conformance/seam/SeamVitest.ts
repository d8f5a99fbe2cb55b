/**
 * Registers the cases about a seam with vitest: one test for each, named by its id and its sentence.
 *
 * A case is skipped if the subject lacks what it needs, with that reason. A case that a subject cannot meet may be
 * listed as known to fail, with the reason why; then it must fail, so the list never goes stale.
 */
import { afterAll, beforeAll, describe, it } from "vitest"
import type { Choice, Known, SeamCase } from "./SeamCase.ts"
import {
  chosen,
  defaultTimeoutMs,
  play,
  type Outcome,
  type RunOptions,
  type Seam,
  type Subject,
} from "./SeamRunner.ts"

/** The cases to register, and their options. */
export interface SuiteOptions extends Choice, RunOptions {
  /** Cases that fail here, each with the reason why. */
  readonly known?: Known
}

/**
 * Registers a test for each chosen case of a seam, on a source that is opened before the first and closed after the
 * last; `name` is the name of the group in vitest. Throws if a glob matches none, or if `known` names a case that does
 * not exist.
 */
export const suite =
  <Source, More, Need extends string, Context>(seam: Seam<Source, More, Need, Context>) =>
  (name: string, source: Source, options: SuiteOptions & Partial<More> = {}): void => {
    const { known = {}, timeoutMs = defaultTimeoutMs } = options
    const cases = chosen(seam.cases, options)
    for (const id of Object.keys(known)) {
      if (!seam.cases.some((item) => item.id === id)) throw new Error(`no case is known to fail as ${id}`)
    }
    describe(name, () => {
      let subject: Subject<Need, Context>
      beforeAll(async () => {
        subject = await seam.open(source, options as More)
      }, timeoutMs)
      afterAll(() => subject.close?.(), timeoutMs)
      const registerOne = (item: SeamCase<Need, Context>) => {
        const title = `${item.id} (${item.level}): ${item.says}`
        it(title, { timeout: timeoutMs * 9 }, async (context) => {
          const outcome = await play(item, subject, { timeoutMs })
          const excuse = known[item.id]
          if (outcome.status === "skip") return context.skip(outcome.reason)
          if (outcome.status === "fail" && excuse === undefined) throw failed(outcome)
          if (outcome.status === "pass" && excuse !== undefined) {
            throw failed({ ...outcome, reason: `it passes, though it is known to fail: ${excuse}` })
          }
        })
      }
      const together = cases.filter(({ alone }) => !alone)
      const single = cases.filter(({ alone }) => alone)
      if (together.length > 0) describe.concurrent("some at a time", () => together.forEach(registerOne))
      if (single.length > 0) describe("one after the other", () => single.forEach(registerOne))
    })
  }

/** The error that vitest shows: the sentence and the reason instead of a stack of this file. */
const failed = ({ case: item, reason, notes }: Outcome): Error => {
  const error = new Error(
    [`${item.id} (${item.level})`, item.says, `but: ${reason}`, ...notes.map((note) => `note: ${note}`)].join(
      "\n  ",
    ),
  )
  error.stack = error.message
  return error
}
