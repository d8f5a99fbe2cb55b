/**
 * A pattern as a machine over bytes: instructions that take a byte of a range, that fork, that ask what is before or
 * behind the place, and one that accepts.
 *
 * A program runs forwards, to find where a match ends, or is made to run backwards, to find where it begins.
 */
import * as ByteSequences from "./ByteSequences.ts"
import type { Range } from "./CodePoints.ts"
import type { Node, Place } from "./Syntax.ts"

/** One side of a place, as bits: nothing (the end of the text), the end of a line, a character of a word. */
export const Side = { none: 1, lineEnd: 2, word: 4, other: 8 } as const

/** Of each byte what it is. */
export const sideOf = (byte: number): number => {
  if (byte === 0x0a || byte === 0x0d) return Side.lineEnd
  const isWord =
    (byte >= 0x30 && byte <= 0x39) ||
    (byte >= 0x41 && byte <= 0x5a) ||
    byte === 0x5f ||
    (byte >= 0x61 && byte <= 0x7a)
  return isWord ? Side.word : Side.other
}

/** One instruction; `next` and `other` are indexes of others. */
export type Instruction =
  | { readonly op: "byte"; readonly from: number; readonly to: number; readonly next: number }
  | { readonly op: "fork"; readonly next: number; readonly other: number }
  /** Passes if what was before the place is one of `sides`. */
  | { readonly op: "behind"; readonly sides: number; readonly next: number }
  /** Passes if what comes after the place is one of `sides`. */
  | { readonly op: "ahead"; readonly sides: number; readonly next: number }
  | { readonly op: "accept" }

/** Instructions, and the first of them. */
export interface Program {
  readonly code: ReadonlyArray<Instruction>
  readonly start: number
}

/** The most instructions of a program. */
export const mostInstructions = 20_000

/** Thrown for a pattern that needs more. */
export class TooLarge extends Error {}

/** The program of a pattern; `backwards` reads the text from its end. `searches` lets a match begin at any byte. */
export const make = (node: Node, backwards: boolean, searches: boolean): Program => {
  const compiler = new Compiler(backwards)
  const start = compiler.compile(node, compiler.add({ op: "accept" }))
  return { code: compiler.code, start: searches ? compiler.anywhere(start) : start }
}

/** Compiles from the end of the pattern to its begin: what follows is known. */
class Compiler {
  readonly code: Array<Instruction> = []
  private readonly backwards: boolean

  constructor(backwards: boolean) {
    this.backwards = backwards
  }

  add(instruction: Instruction): number {
    if (this.code.length === mostInstructions) throw new TooLarge()
    return this.code.push(instruction) - 1
  }

  compile(node: Node, next: number): number {
    switch (node.kind) {
      case "chars":
        return this.choice(
          ByteSequences.of(node.set).map((bytes) => (end: number) => this.bytes(bytes, end)),
          next,
        )
      case "place":
        return this.place(node.place, next)
      case "sequence": {
        const compile = (end: number, each: Node) => this.compile(each, end)
        return this.backwards ? node.nodes.reduce(compile, next) : node.nodes.reduceRight(compile, next)
      }
      case "choice":
        return this.choice(
          node.nodes.map((each) => (end: number) => this.compile(each, end)),
          next,
        )
      case "repeat":
        return this.repeat(node.node, node.least, node.most, next)
    }
  }

  /** Any bytes before `start`. */
  anywhere(start: number): number {
    return this.loop(start, (again) => this.add({ op: "byte", from: 0, to: 255, next: again }))
  }

  /** A fork to `next`, and to what `body` makes, which ends at the fork again. */
  private loop(next: number, body: (again: number) => number): number {
    const fork = this.add({ op: "fork", next, other: next })
    this.code[fork] = { op: "fork", next, other: body(fork) }
    return fork
  }

  private repeat(node: Node, least: number, most: number, next: number): number {
    let end = next
    if (most === Infinity) end = this.loop(next, (again) => this.compile(node, again))
    else {
      for (let extra = most - least; extra > 0; extra--) {
        end = this.add({ op: "fork", next, other: this.compile(node, end) })
      }
    }
    for (let n = 0; n < least; n++) end = this.compile(node, end)
    return end
  }

  private bytes(sequence: ByteSequences.ByteSequence, next: number): number {
    const add = (end: number, [from, to]: Range) => this.add({ op: "byte", from, to, next: end })
    return this.backwards ? sequence.reduce(add, next) : sequence.reduceRight(add, next)
  }

  /** Without an alternative nothing ever matches. */
  private choice(bodies: ReadonlyArray<(next: number) => number>, next: number): number {
    const starts = bodies.map((body) => body(next))
    const first = starts.shift()
    if (first === undefined) return this.add({ op: "behind", sides: 0, next })
    return starts.reduce((other, start) => this.add({ op: "fork", next: start, other }), first)
  }

  private place(place: Place, next: number): number {
    const before = (sides: number, next: number) =>
      this.add({ op: this.backwards ? "ahead" : "behind", sides, next })
    const after = (sides: number, next: number) =>
      this.add({ op: this.backwards ? "behind" : "ahead", sides, next })
    const edge = (left: number, right: number) =>
      this.backwards ? after(right, before(left, next)) : before(left, after(right, next))
    const { none, lineEnd, word, other } = Side
    const noWord = none | lineEnd | other
    switch (place) {
      case "textStart":
        return before(none, next)
      case "textEnd":
        return after(none, next)
      case "lineStart":
        return before(none | lineEnd, next)
      case "lineEnd":
        return after(none | lineEnd, next)
      case "wordEdge":
        return this.add({ op: "fork", next: edge(word, noWord), other: edge(noWord, word) })
      case "noWordEdge":
        return this.add({ op: "fork", next: edge(word, word), other: edge(noWord, noWord) })
    }
  }
}
