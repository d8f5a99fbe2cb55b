/** What somebody who mistyped a word may have meant. */

/** `; did you mean 'WORD'?` for the candidate that is nearest to the word, or nothing where none is near. */
export const ofWord = (word: string, candidates: ReadonlyArray<string>): string => {
  const near = candidates
    .map((candidate) => ({ candidate, steps: distance(word, candidate) }))
    .filter(
      ({ candidate, steps }) => steps <= Math.max(1, Math.floor(candidate.replace(/^-+/, "").length / 3)),
    )
    .sort((one, other) => one.steps - other.steps)[0]
  return near === undefined ? "" : `; did you mean '${near.candidate}'?`
}

/** How many letters have to be added, dropped, replaced, or swapped with their neighbour. */
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
