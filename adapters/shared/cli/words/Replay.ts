/**
 * Output that is shown again on a terminal, without what asks the terminal something: its answer would be typed into
 * the process, which has had one long ago.
 *
 * Left out are requests for attributes, positions, modes, colours and settings. Everything else stays as it is.
 */

/** The longest sequence that is looked at; a longer one is shown. */
const longest = 256

/** What a terminal answers to: DA, DSR, DECRQM, XTVERSION, window and key reports, OSC with `?`, DECRQSS. */
const question =
  // oxlint-disable-next-line no-control-regex
  /^\u001b(?:\[[>=?]?[\d;]*c|\[\??[\d;]*n|\[\??[\d;]*\$p|\[>[\d;]*q|\[(?:1[13-9]|2[01])(?:;\d+)*t|\[\?u|\[\?\d*m|\](?:[45];\d+|1\d|52;\w*);\?(?:\u0007|\u001b\\)|P[$+]q[^\u001b]*\u001b\\|Z)$/

/** Passes output on in pieces. A sequence that is not whole yet waits for its rest. */
export interface Replay {
  readonly take: (bytes: Uint8Array) => Uint8Array
  /** What still waits. */
  readonly rest: () => Uint8Array
}

/** A replay from its begin. */
export const make = (): Replay => {
  let pending: Array<number> = []
  const take = (bytes: Uint8Array): Uint8Array => {
    const shown: Array<number> = []
    for (const byte of bytes) {
      if (pending.length === 0 && byte !== 0x1b) {
        shown.push(byte)
        continue
      }
      // A new sequence ends the one before, but for the end of a string.
      if (byte === 0x1b && pending.length > 0 && !isString(pending)) shown.push(...pending.splice(0))
      pending.push(byte)
      if (!isWhole(pending) && pending.length < longest) continue
      if (!question.test(String.fromCharCode(...pending))) shown.push(...pending)
      pending = []
    }
    return Uint8Array.from(shown)
  }
  return { take, rest: () => Uint8Array.from(pending.splice(0)) }
}

const isString = ([, kind]: ReadonlyArray<number>): boolean => kind === 0x5d || kind === 0x50

const isWhole = (sequence: ReadonlyArray<number>): boolean => {
  const [last = 0, before] = [sequence.at(-1), sequence.at(-2)]
  if (sequence.length === 1) return false
  if (isString(sequence)) return last === 0x07 || (sequence.length > 2 && before === 0x1b && last === 0x5c)
  if (sequence[1] === 0x5b) return sequence.length > 2 && last >= 0x40 && last <= 0x7e
  return last < 0x20 || last > 0x2f
}
