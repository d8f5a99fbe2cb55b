// @ts-check
// Processes that count without an end, and clients that look whether each number is the next one.
import { connect } from "./fleet.mjs"

/** @typedef {Awaited<ReturnType<typeof begin>>} Floods */

/** One process that prints, without starting others. */
const printer = (/** @type {number} */ lines, /** @type {number} */ everyMs) =>
  `$| = 1; my $i = 0; for (;;) { print map { $i++ . "\\n" } 1..${lines}; select undef, undef, undef, ${everyMs / 1000} }`

/**
 * Begins them, some at a time; resolves when each has printed.
 * @param {readonly string[]} urls of routers; each client begins with another one
 * @param {{ count: number, lines: number, everyMs: number }} options how many, and what each prints how often
 */
export const begin = async (urls, { count, lines: burst, everyMs }) => {
  let ending = false
  let lines = 0
  /** @type {string[]} */
  const wrong = []
  /** Milliseconds from the loss of a connection to the next line. @type {number[]} */
  const outages = []
  const one = async (/** @type {number} */ at) => {
    let since = 0
    const onStatus = (/** @type {{ kind: string }} */ { kind }) => {
      if (kind === "reconnecting" && since === 0) since = performance.now()
    }
    const turned = [...urls.slice(at % urls.length), ...urls.slice(0, at % urls.length)]
    const client = await connect(turned, { onStatus })
    const child = await client.start({ argv: ["perl", "-e", printer(burst, everyMs)] })
    const state = { client, next: 0, done: Promise.resolve() }
    state.done = (async () => {
      for await (const line of child.lines()) {
        if (line !== String(state.next)) wrong.push(`flood ${at}: ${line} instead of ${state.next}`)
        state.next = Number(line) + 1
        lines += 1
        if (since !== 0) {
          outages.push(performance.now() - since)
          since = 0
        }
        if (ending) break
      }
      if (!ending) wrong.push(`flood ${at} has ended`)
      await child.terminate()
      await client.close()
    })().catch((error) => void wrong.push(`flood ${at}: ${error}`))
    while (state.next === 0 && wrong.length === 0) await new Promise((resume) => setTimeout(resume, 10))
    return state
  }
  /** @type {Awaited<ReturnType<typeof one>>[]} */
  const all = []
  while (all.length < count) {
    const some = Array.from({ length: Math.min(10, count - all.length) }, (_, more) => one(all.length + more))
    all.push(...(await Promise.all(some)))
  }
  return {
    wrong,
    outages,
    lines: () => lines,
    /** The next number of each. */
    reached: () => all.map(({ next }) => next),
    end: async () => {
      ending = true
      await Promise.all(all.map(({ done }) => done))
    },
  }
}
