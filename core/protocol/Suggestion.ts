/** Suggestions for a mistyped word: flags, commands, options, variables. */

/** `; did you mean 'WORD'?` for the candidate that is nearest to the word, or nothing where none is near. */
export const ofWord = (word: string, candidates: ReadonlyArray<string>): string => {
  const [nearest] = near(word, candidates)
  return nearest === undefined ? "" : `; did you mean '${nearest}'?`
}

/**
 * The candidates that contain the word or are part of it, or that differ from it in a third of their letters, at most
 * in three. The nearest comes first. Case and leading dashes do not count.
 */
export const near = (word: string, candidates: ReadonlyArray<string>): ReadonlyArray<string> =>
  candidates
    .map((candidate) => ({ candidate, steps: distance(bare(word), bare(candidate)) }))
    .filter(({ candidate, steps }) => isNear(bare(word), bare(candidate), steps))
    .sort((one, other) => one.steps - other.steps)
    .map(({ candidate }) => candidate)

const bare = (word: string): string => word.replace(/^-+/, "").toLowerCase()

const isNear = (one: string, other: string, steps: number): boolean =>
  (Math.min(one.length, other.length) > 2 && (one.includes(other) || other.includes(one))) ||
  steps <= Math.max(1, Math.min(3, Math.floor(Math.max(one.length, other.length) / 3)))

/** The number of letters that are added, dropped, replaced, or swapped with their neighbour. */
export const distance = (from: string, to: string): number => {
  const rows: Array<ReadonlyArray<number>> = [Array.from({ length: to.length + 1 }, (_, column) => column)]
  for (let row = 1; row <= from.length; row++) {
    const [above = [], before] = [rows[row - 1], rows[row - 2]]
    const steps = [row]
    for (let column = 1; column <= to.length; column++) {
      const same = from[row - 1] === to[column - 1]
      const swapped = from[row - 1] === to[column - 2] && from[row - 2] === to[column - 1]
      steps.push(
        Math.min(
          at(above, column) + 1,
          at(steps, column - 1) + 1,
          at(above, column - 1) + (same ? 0 : 1),
          swapped && before !== undefined ? at(before, column - 2) + 1 : Infinity,
        ),
      )
    }
    rows.push(steps)
  }
  return at(rows[from.length] ?? [], to.length)
}

const at = (row: ReadonlyArray<number>, column: number): number => row[column] ?? Infinity
