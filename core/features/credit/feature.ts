/** Credit, on the server. */
import * as Effect from "effect/Effect"
import type { ProcessError } from "../../process/ProcessError.ts"
import { leastCredit, creditOf } from "../../protocol/Credit.ts"
import { ParamsError } from "../../protocol/ParamsError.ts"
import type { Feature, Followed, Following, Gate } from "../Feature.ts"
import type { credit as wire } from "./wire.ts"
import type { Event } from "../../protocol/dialect/Dialect.ts"

/** The fault of a credit: within one that is smaller than a chunk perhaps nothing is ever pushed. */
export const faultOf = (credit: number | null | undefined): string | undefined =>
  credit != null && credit < leastCredit
    ? `credit must be at least ${leastCredit} bytes, which one chunk may have: ${credit}`
    : undefined

export const credit: Feature<typeof wire> = {
  // Output that may not be pushed waits in the log, so the child has to be paused.
  announces: ({ spawner }) => ({ processCredit: spawner.pause }),
  fault: (params) => faultOf(params.credit),
  part: ({ at, following }) => {
    const credits = new Credits(following)
    /** The followed one of an id; a process that is forgotten, too, until its last event is sent. */
    const followed = (processId: string): Effect.Effect<Followed, ProcessError> => {
      const { processes, id, view } = at(processId)
      const known = view ?? (processes.has(id) ? undefined : following.find(processId))
      return known === undefined ? processes.find(id) : Effect.succeed(known)
    }
    return {
      gate: (of, bytes) => credits.gate(of, bytes),
      handlers: {
        "process/credit": ({ processId, bytes }) =>
          Effect.flatMap(followed(processId), (process) =>
            credits.grant(process, bytes)
              ? Effect.succeed({})
              : new ParamsError({
                  message: `the credit of process ${processId} must not exceed ${Number.MAX_SAFE_INTEGER} bytes`,
                }),
          ),
      },
    }
  },
}

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
