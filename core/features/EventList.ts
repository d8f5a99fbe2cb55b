/** The events of a feature in one process, in the order of their seqs. */
import { firstThat } from "../protocol/Sorted.ts"

export class EventList<A extends { readonly seq: number }> {
  protected items: Array<A> = []

  /** The number of those above one seq and below another. */
  count(after: number, before: number): number {
    return this.indexAfter(before - 1) - this.indexAfter(after)
  }

  /** Those above one seq and below another. */
  between(after: number, before: number): ReadonlyArray<A> {
    return this.items.slice(this.indexAfter(after), this.indexAfter(before - 1))
  }

  /** The index of the first one above a seq. */
  protected indexAfter(seq: number): number {
    return firstThat(this.items, (item) => item.seq > seq)
  }
}
