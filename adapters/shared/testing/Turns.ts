/** The input of a process and its output, in turns: so the order of its streams is known. */

/** Empty lines for its stdin, each of which waits for one more piece of output. */
export const lines = (count: number) => {
  let seen = 0
  let more = () => {}
  const input = (async function* () {
    for (let line = 1; line <= count; line += 1) {
      while (seen < line) await new Promise<void>((resolve) => (more = resolve))
      yield "\n"
    }
  })()
  const onOutput = () => {
    seen += 1
    more()
  }
  return { input, onOutput }
}
