/**
 * Output without secrets: each run of bytes that belongs to an occurrence of a value, or of one of its forms, becomes
 * the token of the one that begins first, and is the longest of those that begin there. So no byte of an occurrence is
 * left where values overlap.
 *
 * Bytes that may be the beginning of a value are held back, at most one less than the longest form has, until the next
 * bytes or the end of the stream decide. A pause of the output lets go at most `shown` of them, which is all of a value
 * that anybody can see; the search goes on over them.
 */
import { concat, utf8 } from "../../protocol/Bytes.ts"
import type { OutputStream, Secret, SpawnEvents } from "../../spawn/Spawner.ts"
import { Matcher, type Pattern } from "./Matcher.ts"
import { formsOf, tokenOf } from "./Secrets.ts"

/** Milliseconds without output after which the beginning of a value is shown. */
export const quietMillis = 20

/** The most bytes of a beginning that are shown: a prompt waits for its reader, and a terminal for the next key. */
export const shown = 2

/** The forms of several secrets, and their tokens. */
export interface Masks {
  readonly matcher: Matcher
  readonly tokens: ReadonlyArray<Uint8Array>
}

const made = new WeakMap<ReadonlyArray<Secret>, Masks>()

/** The same for the same list. */
export const masksOf = (secrets: ReadonlyArray<Secret>): Masks => {
  const known = made.get(secrets)
  if (known !== undefined) return known
  const patterns = secrets.flatMap((secret, id) =>
    Array.from(formsOf(secret), (form): Pattern => ({ bytes: utf8.encode(form), id })),
  )
  const masks = {
    matcher: new Matcher(patterns),
    tokens: secrets.map((secret) => utf8.encode(tokenOf(secret))),
  }
  made.set(secrets, masks)
  return masks
}

/** An occurrence, from the begin of the piece on, which may be below 0. */
interface Occurrence {
  readonly begin: number
  readonly end: number
  readonly id: number
}

/** The mask of one stream. Its places count from the begin of the next piece on. */
export class Mask {
  private readonly masks: Masks
  private readonly emit: (bytes: Uint8Array) => void
  private state = 0
  /** Begins with the bytes that are not decided. */
  private held = new Uint8Array(0)
  private undecided = 0
  /** Output in front of it belongs to a token that was given on. */
  private covered = 0
  private occurrences: Array<Occurrence> = []

  /** `emit` is given bytes that are valid during the call. */
  constructor(masks: Masks, emit: (bytes: Uint8Array) => void) {
    this.masks = masks
    this.emit = emit
  }

  /** True if a pause may show what is held. */
  get isBrief(): boolean {
    return this.undecided > 0 && this.masks.matcher.depth(this.state) <= shown
  }

  /** Takes the next bytes. */
  push(bytes: Uint8Array): void {
    const { matcher } = this.masks
    const { length } = bytes
    this.state = matcher.scan(bytes, this.state, this.note)
    // No further occurrence begins in front of it.
    const end = length - matcher.depth(this.state)
    if (end === length && this.undecided === 0 && this.occurrences.length === 0) return this.emit(bytes)
    this.decide(bytes, end)
    this.covered -= length
    this.occurrences = this.occurrences.map(({ begin, end, id }) => ({
      begin: begin - length,
      end: end - length,
      id,
    }))
  }

  /** Gives on what is held: the output has paused, or has ended. */
  flush(): void {
    if (this.undecided > 0) this.decide(nothing, 0)
  }

  private readonly note = (end: number, length: number, id: number): void => {
    const begin = end - length
    // Those within it count for nothing.
    while ((this.occurrences.at(-1)?.begin ?? -Infinity) >= begin) this.occurrences.pop()
    this.occurrences.push({ begin, end, id })
  }

  /** Gives on everything in front of a place, and holds the rest. */
  private decide(bytes: Uint8Array, end: number): void {
    const pieces: Array<Uint8Array> = []
    let at = Math.max(-this.undecided, this.covered)
    const giveUpTo = (to: number) => {
      if (at < Math.min(to, 0)) pieces.push(this.heldFrom(at, Math.min(to, 0)))
      if (Math.max(at, 0) < to) pieces.push(bytes.subarray(Math.max(at, 0), to))
      at = Math.max(at, to)
    }
    let told = 0
    for (const { begin, end: to, id } of this.occurrences) {
      if (begin >= end) break
      told += 1
      if (begin >= this.covered) {
        giveUpTo(begin)
        pieces.push(this.masks.tokens[id]!)
      }
      this.covered = to
      at = to
    }
    giveUpTo(end)
    if (told > 0) this.occurrences = this.occurrences.slice(told)
    if (pieces.length > 0) this.emit(pieces.length === 1 ? pieces[0]! : concat(pieces))
    // Behind the call, because a piece may be a view of it.
    this.hold(bytes, Math.max(-this.undecided, end))
  }

  private hold(bytes: Uint8Array, from: number): void {
    const [old, fresh] = [this.heldFrom(Math.min(from, 0), 0), bytes.subarray(Math.max(from, 0))]
    const size = old.length + fresh.length
    const to = size > this.held.length ? new Uint8Array(2 * size) : this.held
    to.set(old)
    to.set(fresh, old.length)
    this.held = to
    this.undecided = size
  }

  private heldFrom(begin: number, end: number): Uint8Array {
    return this.held.subarray(this.undecided + begin, this.undecided + end)
  }
}

const nothing = new Uint8Array(0)

/** Runs something once, so many milliseconds later, unless the child is gone. */
export type Later = (millis: number, run: () => void) => void

/** The same events, without the secrets in the output. */
export const around = (events: SpawnEvents, secrets: ReadonlyArray<Secret>, later: Later): SpawnEvents => {
  const masks = masksOf(secrets)
  const streams = new Map<OutputStream, Paused>()
  return {
    ...events,
    output: (stream, bytes) => {
      let mask = streams.get(stream)
      if (mask === undefined) {
        mask = new Paused(new Mask(masks, (masked) => events.output(stream, masked)), later)
        streams.set(stream, mask)
      }
      mask.push(bytes)
    },
    end: (stream) => {
      streams.get(stream)?.mask.flush()
      streams.delete(stream)
      events.end(stream)
    },
  }
}

/** A mask that shows the beginning of a value in a pause. */
class Paused {
  readonly mask: Mask
  private readonly later: Later
  private pushes = 0
  private waits = false

  constructor(mask: Mask, later: Later) {
    this.mask = mask
    this.later = later
  }

  push(bytes: Uint8Array): void {
    this.pushes += 1
    this.mask.push(bytes)
    if (!this.waits && this.mask.isBrief) this.wait()
  }

  private wait(): void {
    const { pushes } = this
    this.waits = true
    this.later(quietMillis, () => {
      this.waits = false
      if (!this.mask.isBrief) return
      if (this.pushes === pushes) this.mask.flush()
      else this.wait()
    })
  }
}
