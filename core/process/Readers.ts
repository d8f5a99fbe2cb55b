/** Where the readers of a log are. */

/** The place of one reader: the last seq that it has. */
export interface Place {
  seq: number
}

/** The readers of one log. */
export class Readers {
  private readonly places = new Set<Place>()

  /** One more, which has everything up to and including `seq`. */
  add(seq: number): Place {
    const place = { seq }
    this.places.add(place)
    return place
  }

  /** One has left. */
  remove(place: Place): void {
    this.places.delete(place)
  }

  /** The seq up to which all of them have everything; Infinity without readers. */
  get delivered(): number {
    let delivered = Infinity
    for (const { seq } of this.places) delivered = Math.min(delivered, seq)
    return delivered
  }
}
