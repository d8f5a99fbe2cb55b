/** Binary search. Not for what is done for each chunk of output: it takes a function. */

/** The index of the first item that passes a test, which all behind it pass; the length if none does. */
export const firstThat = <A>(items: ReadonlyArray<A>, passes: (item: A) => boolean): number => {
  let [low, high] = [0, items.length]
  while (low < high) {
    const middle = (low + high) >>> 1
    if (passes(items[middle] as A)) high = middle
    else low = middle + 1
  }
  return low
}
