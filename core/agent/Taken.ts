/** Output that was taken for a reply: its text, in the form in which it is told, and how much of it there was. */

/** The output taken. If `omitted` is 0, `head` has all of it. */
export interface Taken {
  /** The first output as text; all of it if nothing was dropped. */
  readonly head: string
  /** The last output as text; empty if nothing was dropped. */
  readonly tail: string
  /** How many bytes between `head` and `tail` were dropped. */
  readonly omitted: number
  /** How many bytes there were, including the omitted ones. */
  readonly total: number
  /** The same as it was printed, where `head` and `tail` are in another form. */
  readonly raw?: { readonly head: string; readonly tail: string }
}
