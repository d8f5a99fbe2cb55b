/**
 * Registers the cases about a seam with vitest: one test for each, named by its id and its sentence.
 *
 * A skip comes from what the subject says about itself and names it. A `should` that a host cannot meet may
 * be listed with the reason; then it has to fail, so that the list never goes stale. A `must` may not be.
 */
import { afterAll, beforeAll, describe, it } from "vitest"
import { select, type Choice, type SeamCase } from "./SeamCase.ts"
import { defaultTimeoutMs, play, type Outcome, type RunOptions, type Subject } from "./SeamRunner.ts"

export interface SuiteOptions extends Choice, RunOptions {
  /** `should` cases that fail here, each with the reason why. */
  readonly known?: { readonly [id: string]: string }
}

/** Something to play the cases on, for as long as they take. */
export type Open<Need extends string, Context> = () => Promise<
  Subject<Need, Context> & { readonly close: () => Promise<void> }
>

export const register = <Need extends string, Context>(
  name: string,
  all: ReadonlyArray<SeamCase<Need, Context>>,
  open: Open<Need, Context>,
  options: SuiteOptions,
): void => {
  const { known = {}, timeoutMs = defaultTimeoutMs } = options
  const { cases, unknown } = select(all, options)
  if (unknown.length > 0) throw new Error(`no case fits ${unknown.join(", ")}`)
  for (const id of Object.keys(known)) {
    const level = all.find((item) => item.id === id)?.level
    if (level !== "should") throw new Error(`only a should may be known to fail, not ${id}`)
  }
  describe(name, () => {
    let subject: Awaited<ReturnType<Open<Need, Context>>>
    beforeAll(async () => {
      subject = await open()
    }, timeoutMs)
    afterAll(() => subject.close(), timeoutMs)
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

/** What vitest shows: the sentence and the reason instead of a stack of this file. */
const failed = ({ case: item, reason, notes }: Outcome): Error => {
  const error = new Error(
    [`${item.id} (${item.level})`, item.says, `but: ${reason}`, ...notes.map((note) => `note: ${note}`)].join(
      "\n  ",
    ),
  )
  error.stack = error.message
  return error
}
