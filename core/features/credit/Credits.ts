/**
 * The credit of processes on one connection: output of a process under credit leaves as long as it fits in that. The
 * rest waits, with everything behind it, and delays this process alone.
 */
import type { Event } from "../../protocol/dialect/Dialect.ts"
import { creditOf, leastCredit } from "../../protocol/Credit.ts"
import type { Followed, Following, Gate } from "../Following.ts"

/** Bytes of output that may leave yet. */
class Credit implements Gate {
  left: number

  constructor(left: number) {
    this.left = left
  }

  readonly hasRoom = () => this.left >= leastCredit

  readonly pass = (event: Event): boolean => {
    // A gap waits for room for any chunk, and grows meanwhile.
    if (event.kind === "gap") return this.hasRoom()
    if (event.kind !== "output") return true
    const counts = creditOf(event.bytes.length)
    if (counts > this.left) return false
    this.left -= counts
    return true
  }
}

export class Credits {
  /** A grant may come before its process is followed, and after its last event. */
  private readonly all = new WeakMap<Followed, Credit>()
  private readonly following: Pick<Following, "gate">

  /** No process is under credit yet. */
  constructor(following: Pick<Following, "gate">) {
    this.following = following
  }

  /** Adds to the credit, which a process that has none is put under. False, and nothing, if that is too much to count. */
  grant(followed: Followed, bytes: number): boolean {
    const known = this.all.get(followed) ?? new Credit(0)
    const left = known.left + bytes
    if (left > Number.MAX_SAFE_INTEGER) return false
    known.left = left
    this.all.set(followed, known)
    this.following.gate(followed, known)
    return true
  }

  /** The gate of a process that is about to be followed, with so many bytes more; undefined without a credit. */
  gate(followed: Followed, bytes: number | undefined): Gate | undefined {
    if (bytes !== undefined) this.grant(followed, bytes)
    return this.all.get(followed)
  }
}
