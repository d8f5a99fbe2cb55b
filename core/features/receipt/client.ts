/**
 * Receipts, in clients: compares what was delivered of a process with its receipt, and tells what is missing.
 *
 * `Tally` takes events as a consumer gets them; the receipt of a process is that of such a consumer.
 */
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import { type ClientError, clientError } from "../../client/ClientError.ts"
import * as ClientConnection from "../../client/ClientConnection.ts"
import { type Subscription, toError } from "../../client/EventFeed.ts"
import type { ProcessEvent } from "../../client/ProcessEvent.ts"
import { type Hash, type HasherService, portable } from "../../protocol/Hasher.ts"
import type { OutputStream } from "../../protocol/Process.ts"
import type { Followed } from "../ClientPart.ts"
import type { StartFields } from "../Wires.ts"
import type { Receipt, StreamReceipt } from "./wire.ts"

/** Events that were not delivered, by their seq, both included. */
export interface Missing {
  /** The first one. */
  readonly from: number
  /** The last one; absent if their number is not known. */
  readonly to?: number
  /**
   * Set if every event has come, and yet not what the child wrote to this stream: bytes are missing, or differ,
   * somewhere in the range.
   */
  readonly stream?: OutputStream
}

/** The result of comparing the delivered output with the receipt. */
export type Delivery =
  | {
      /** Every byte was delivered, once and in order. */
      readonly complete: true
      /** The output and the end of the process, as the server counted them. */
      readonly receipt: Receipt
    }
  | {
      /** Something is missing. */
      readonly complete: false
      /** The missing events, in the order of the seqs; never empty. */
      readonly missing: ReadonlyArray<Missing>
      /** Absent if the process was not followed to its end. */
      readonly receipt?: Receipt
    }

interface Stream {
  bytes: number
  readonly hash: Hash
}

/** Counts and hashes the events of a process, from the one after seq `after`. */
export class Tally {
  private last: number
  private readonly missing: Array<Missing> = []
  private readonly hasher: HasherService
  private readonly streams = new Map<OutputStream, Stream>()
  private ended: { readonly receipt?: Receipt | undefined } | undefined

  /** A tally of all events; `hasher` is by default one in JavaScript. */
  constructor(after = 0, hasher: HasherService = portable) {
    this.last = after
    this.hasher = hasher
    if (after > 0) this.missing.push({ from: 1, to: after })
  }

  /** Takes the next event. False if the hasher has no room for it: take it again after `room`. */
  add(event: ProcessEvent): boolean {
    if (event.kind === "output") {
      const stream = this.of(event.stream)
      if (!stream.hash.update(event.bytes)) return false
      stream.bytes += event.bytes.length
    }
    if (event.kind === "failed") {
      if (event.gone !== undefined) this.missing.push(event.gone)
      return true
    }
    if (event.seq > this.last + 1) this.missing.push({ from: this.last + 1, to: event.seq - 1 })
    this.last = event.seq
    if (event.kind === "closed") this.ended = event
    return true
  }

  /** Completes when the event that was refused may be taken again. */
  room(stream: OutputStream): Effect.Effect<void> {
    return this.of(stream).hash.room
  }

  /** Compares, after the last event; undefined if the process has closed without a receipt, or not at all. */
  readonly compare: Effect.Effect<Delivery | undefined> = Effect.gen({ self: this }, function* () {
    const receipt = this.ended?.receipt
    if (receipt === undefined) {
      return this.missing.length > 0 ? { complete: false, missing: this.missing } : undefined
    }
    // Missing events make the streams differ.
    if (this.missing.length > 0) return { complete: false, missing: this.missing, receipt }
    const missing: Array<Missing> = []
    for (const [name, written] of Object.entries(receipt.streams) as Entries) {
      const { bytes, hash } = this.of(name)
      const sha256 = yield* hash.digest
      if (bytes !== written.bytes || (written.sha256 ?? sha256) !== sha256) {
        missing.push({ from: written.firstSeq ?? 1, to: written.lastSeq ?? this.last, stream: name })
      }
    }
    if (missing.length > 0) return { complete: false, missing, receipt }
    return { complete: true, receipt }
  })

  /** Gives up what `compare` did not need. */
  drop(): void {
    for (const { hash } of this.streams.values()) hash.drop()
  }

  private of(name: OutputStream): Stream {
    const known = this.streams.get(name)
    if (known !== undefined) return known
    const made: Stream = { bytes: 0, hash: this.hasher.sha256() }
    this.streams.set(name, made)
    return made
  }
}

type Entries = ReadonlyArray<readonly [OutputStream, StreamReceipt]>

/** Tallies the events of the process `id`, as a consumer of them, until they end. */
const follow = (
  id: string,
  tally: Tally,
  { next, close }: Subscription,
): Effect.Effect<Delivery, ClientError> =>
  Effect.gen(function* () {
    let last: ProcessEvent | undefined
    for (let batch = yield* next; batch !== undefined; batch = yield* next) {
      for (const event of batch) {
        while (!tally.add(event)) if (event.kind === "output") yield* tally.room(event.stream)
        last = event
      }
    }
    const delivery = yield* tally.compare
    if (delivery !== undefined) return delivery
    return yield* Effect.fail(last?.kind === "failed" ? toError(last) : withoutReceipt(id))
  }).pipe(
    Effect.ensuring(
      Effect.sync(() => {
        close()
        tally.drop()
      }),
    ),
  )

const withoutReceipt = (id: string) =>
  clientError("Protocol", `process ${id} closed without the receipt that its start has asked for`)

const notAsked = (id: string): ClientError =>
  clientError(
    "InvalidOption",
    `process ${id} has no receipt: start it, or attach to it, with \`receipt: true\``,
  )

/** Its call on a process. */
export interface Calls {
  /**
   * Completes, when the process has closed, with its receipt and whether everything in it has arrived here, or what is
   * missing. Needs `receipt: true` of the start, or of `attach`; fails as `closed` does, but with lost events, which
   * are missing then.
   */
  readonly receipt: Effect.Effect<Delivery, ClientError>
}

/**
 * The part of the feature in clients: tallies the events of a process whose receipt is asked for.
 * @internal
 */
export const receipt = {
  promises: { receipt: "value" },
  attachOptions: ["receipt"],
  make: (
    { id, after, subscribe, failure, fork, hasher }: Followed,
    { receipt }: Partial<StartFields>,
  ): Effect.Effect<Calls> =>
    receipt !== true
      ? Effect.succeed({ receipt: Effect.suspend(() => Effect.fail(notAsked(id))) })
      : Effect.gen(function* () {
          const delivery = yield* Deferred.make<Delivery, ClientError>()
          const tallying = follow(id, new Tally(after, hasher), yield* subscribe)
          // The end of the client interrupts it.
          const closed = Effect.suspend(() =>
            Deferred.fail(delivery, failure() ?? ClientConnection.clientClosed),
          )
          fork(Effect.onInterrupt(Deferred.into(tallying, delivery), () => closed))
          return { receipt: Deferred.await(delivery) }
        }),
} as const
