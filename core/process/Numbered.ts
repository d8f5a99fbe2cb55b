/**
 * Things in the order of their numbers. A page of them begins behind any number, also one that is gone, and is found
 * without a look at those before it.
 */

import { firstThat } from "../protocol/Sorted.ts"

/** Something with a number. */
export interface HasNumber {
  /** Unique, and above all earlier ones. */
  readonly number: number
}

/** The things that are there. */
export class Numbered<A extends HasNumber> {
  private readonly items: Array<A> = []

  /** Adds one; its number is above all that were added before. */
  add(item: A): void {
    this.items.push(item)
  }

  /** Removes one; does nothing if it is not there. */
  remove(item: A): void {
    const index = this.indexAfter(item.number - 1)
    if (this.items[index] === item) this.items.splice(index, 1)
  }

  /** Those with a greater number, in its order, while nothing is added or removed. */
  *after(number: number): Generator<A, void, void> {
    for (let index = this.indexAfter(number); index < this.items.length; index++) {
      const item = this.items[index]
      if (item !== undefined) yield item
    }
  }

  private indexAfter(number: number): number {
    return firstThat(this.items, (item) => item.number > number)
  }
}
