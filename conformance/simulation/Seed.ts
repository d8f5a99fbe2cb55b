/** Random decisions that follow from a number: the same on every runtime. Streams by name do not disturb each other. */

export class Seed {
  private a: number
  private b: number
  private c: number
  private counter = 1
  private readonly name: string

  /** The stream of that name: a number, or a number and a path of words. */
  constructor(name: string) {
    this.name = name
    this.a = hash(name, 0x811c9dc5)
    this.b = hash(name, 0x1b873593)
    this.c = hash(name, 0x9e3779b9)
    for (let i = 0; i < 12; i++) this.next()
  }

  /** A stream of its own: what others draw does not change it. */
  fork(name: string | number): Seed {
    return new Seed(`${this.name}/${name}`)
  }

  /** 32 random bits (sfc32). */
  next(): number {
    const sum = (((this.a + this.b) | 0) + this.counter) | 0
    this.counter = (this.counter + 1) | 0
    this.a = this.b ^ (this.b >>> 9)
    this.b = (this.c + (this.c << 3)) | 0
    this.c = (((this.c << 21) | (this.c >>> 11) | 0) + sum) | 0
    return sum >>> 0
  }

  /** A whole number from `from` to `to`, both included. */
  between(from: number, to: number): number {
    return from + (this.next() % (to - from + 1))
  }

  /** True in so many of a hundred cases. */
  chance(percent: number): boolean {
    return this.next() % 100 < percent
  }

  pick<const A>(...values: readonly [A, ...ReadonlyArray<A>]): A {
    return values[this.next() % values.length] ?? values[0]
  }

  /** Times until `millis`, on average one in `rate`, at least `least` apart. */
  times(rate: number, millis: number, least = 1): ReadonlyArray<number> {
    const found: Array<number> = []
    for (let at = this.between(0, rate); at < millis; at += this.between(least, 2 * rate)) found.push(at)
    return found
  }

  /** A whole number from 1 to `most`, small ones far more often. */
  skewed(most: number): number {
    return 1 + Math.floor((most - 1) * (this.next() / 0x100000000) ** 4)
  }
}

/** FNV-1a with a finish that spreads similar texts. */
export const hash = (text: string, start: number): number => {
  let value = start
  for (let i = 0; i < text.length; i++) value = Math.imul(value ^ text.charCodeAt(i), 0x01000193)
  return finished(value)
}

export const finished = (value: number): number => {
  const mixed = Math.imul(value ^ (value >>> 16), 0x85ebca6b)
  return (mixed ^ (mixed >>> 13)) | 0
}
