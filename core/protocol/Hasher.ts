/**
 * SHA-256 over bytes that come piece by piece, as a service: runtimes have faster ones than `Sha256`, which is the
 * default and runs anywhere.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"

/** One hash under way. */
export interface Hash {
  /** Takes bytes, which are valid during the call only. False if there is no room for them: try again after `room`. */
  readonly update: (bytes: Uint8Array) => boolean
  /** Completes when bytes that were refused may be tried again. */
  readonly room: Effect.Effect<void>
  /** The hash of everything that was taken, in hex; undefined if it could not be computed. Nothing may follow it. */
  readonly digest: Effect.Effect<string | undefined>
  /** Gives up a hash whose digest is not wanted any more. Idempotent, and does nothing after `digest`. */
  readonly drop: () => void
}

/** Makes hashes. */
export interface HasherService {
  /** A new SHA-256. */
  readonly sha256: () => Hash
}

/** Hashes in JavaScript, when bytes are taken: some 100 MB per second. */
export const portable: HasherService = {
  sha256: () => {
    const sha256 = new Sha256()
    return fromSync({ update: (bytes) => sha256.update(bytes), digest: () => sha256.digest() })
  },
}

/** A hash of a function that takes all bytes at once. */
export const fromSync = (hash: {
  readonly update: (bytes: Uint8Array) => unknown
  readonly digest: () => string
}): Hash => ({
  update: (bytes) => {
    hash.update(bytes)
    return true
  },
  room: Effect.void,
  digest: Effect.sync(() => hash.digest()),
  drop: () => {},
})

/** The service; the default is `portable`. */
export const Hasher = Context.Reference("procwire/Hasher", {
  defaultValue: (): HasherService => portable,
})

const blockBytes = 64

/** One hash under way. After `digest` it must not be used any more. */
export class Sha256 {
  private readonly state = Int32Array.from(start)
  private readonly schedule = new Int32Array(64)
  private readonly block = new Uint8Array(blockBytes)
  private held = 0
  private length = 0

  /** Takes the next bytes. */
  update(bytes: Uint8Array): void {
    this.length += bytes.length
    let at = 0
    if (this.held > 0) {
      at = Math.min(bytes.length, blockBytes - this.held)
      this.block.set(bytes.subarray(0, at), this.held)
      this.held += at
      if (this.held < blockBytes) return
      this.compress(this.block, 0)
      this.held = 0
    }
    for (; at + blockBytes <= bytes.length; at += blockBytes) this.compress(bytes, at)
    this.block.set(bytes.subarray(at))
    this.held = bytes.length - at
  }

  /** The hash of everything that was taken, in hex. */
  digest(): string {
    const bits = this.length * 8
    const padding = new Uint8Array((this.held < 56 ? 56 : 120) - this.held + 8)
    padding[0] = 0x80
    const view = new DataView(padding.buffer)
    view.setUint32(padding.length - 8, Math.floor(bits / 2 ** 32))
    view.setUint32(padding.length - 4, bits >>> 0)
    this.update(padding)
    return Array.from(this.state, (word) => (word >>> 0).toString(16).padStart(8, "0")).join("")
  }

  private compress(bytes: Uint8Array, from: number): void {
    const { state, schedule: w } = this
    for (let t = 0, at = from; t < 16; t++, at += 4) w[t] = wordAt(bytes, at)
    for (let t = 16; t < 64; t++) {
      const x = w[t - 15] ?? 0
      const y = w[t - 2] ?? 0
      const s0 = rotate(x, 7) ^ rotate(x, 18) ^ (x >>> 3)
      const s1 = rotate(y, 17) ^ rotate(y, 19) ^ (y >>> 10)
      w[t] = ((w[t - 16] ?? 0) + s0 + (w[t - 7] ?? 0) + s1) | 0
    }
    let [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0, g = 0, h = 0] = state
    for (let t = 0; t < 64; t++) {
      const s1 = rotate(e, 6) ^ rotate(e, 11) ^ rotate(e, 25)
      const one = (h + s1 + ((e & f) ^ (~e & g)) + (constants[t] ?? 0) + (w[t] ?? 0)) | 0
      const s0 = rotate(a, 2) ^ rotate(a, 13) ^ rotate(a, 22)
      const two = (s0 + ((a & b) ^ (a & c) ^ (b & c))) | 0
      h = g
      g = f
      f = e
      e = (d + one) | 0
      d = c
      c = b
      b = a
      a = (one + two) | 0
    }
    const sums = [a, b, c, d, e, f, g, h]
    for (let i = 0; i < 8; i++) state[i] = (state[i] ?? 0) + (sums[i] ?? 0)
  }
}

const rotate = (x: number, by: number): number => (x >>> by) | (x << (32 - by))

const wordAt = (bytes: Uint8Array, at: number): number =>
  ((bytes[at] ?? 0) << 24) | ((bytes[at + 1] ?? 0) << 16) | ((bytes[at + 2] ?? 0) << 8) | (bytes[at + 3] ?? 0)

const toWords = (text: string): Int32Array =>
  Int32Array.from(text.trim().split(/\s+/), (word) => Number.parseInt(word, 16) | 0)

/** The fractions of the square roots of the first 8 primes, and of the cube roots of the first 64. */
const start = toWords(`
  6a09e667 bb67ae85 3c6ef372 a54ff53a 510e527f 9b05688c 1f83d9ab 5be0cd19
`)
const constants = toWords(`
  428a2f98 71374491 b5c0fbcf e9b5dba5 3956c25b 59f111f1 923f82a4 ab1c5ed5
  d807aa98 12835b01 243185be 550c7dc3 72be5d74 80deb1fe 9bdc06a7 c19bf174
  e49b69c1 efbe4786 0fc19dc6 240ca1cc 2de92c6f 4a7484aa 5cb0a9dc 76f988da
  983e5152 a831c66d b00327c8 bf597fc7 c6e00bf3 d5a79147 06ca6351 14292967
  27b70a85 2e1b2138 4d2c6dfc 53380d13 650a7354 766a0abb 81c2c92e 92722c85
  a2bfe8a1 a81a664b c24b8b70 c76c51a3 d192e819 d6990624 f40e3585 106aa070
  19a4c116 1e376c08 2748774c 34b0bcb5 391c0cb3 4ed8aa4a 5b9cca4f 682e6ff3
  748f82ee 78a5636f 84c87814 8cc70208 90befffa a4506ceb bef9a3f7 c67178f2
`)
