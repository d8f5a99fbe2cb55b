/**
 * Runs any number of programs at once, one step for each byte: a set of instructions is one state, and where a byte
 * leads from a state is worked out once.
 *
 * States are kept up to a bound and then forgotten, so that memory stays small for any pattern, and a byte costs at
 * most a step for each instruction: there is no text that takes more than linear time.
 */
import { type Instruction, type Program, Side, sideOf } from "./Program.ts"

/** The most states that are kept. */
export const mostStates = 2048

/** The most instructions in all of them. */
const mostHeld = 1 << 18

/** A set of instructions between two bytes. */
export interface State {
  /** Those that wait for a byte or for what comes ahead, and those that accept; sorted. */
  readonly held: ReadonlyArray<number>
  /** The byte before. */
  readonly side: number
  /** Programs that match up to here, and up to the byte before, which only this byte could tell. */
  readonly hits: { readonly here: ReadonlyArray<number>; readonly before: ReadonlyArray<number> } | undefined
  /** The next state for each class of bytes. */
  readonly next: Array<State | undefined>
}

/** The instructions that one program holds, by its own count: what survives a change of machines. */
export type Held = ReadonlyArray<number>

/** The programs, as one. */
export class Machine {
  private readonly code: ReadonlyArray<Instruction>
  /** The first instruction of each program, and of each instruction its program. */
  private readonly bases: ReadonlyArray<number>
  private readonly owners: ReadonlyArray<number>
  private readonly programs: ReadonlyArray<Program>
  private readonly classes: Uint8Array
  private readonly seen: Uint32Array
  private round = 0
  private states = new Map<string, State>()
  private weight = 0

  constructor(programs: ReadonlyArray<Program>) {
    this.programs = programs
    const code: Array<Instruction> = []
    this.bases = programs.map((program) => {
      const base = code.length
      for (const each of program.code) code.push(moved(each, base))
      return base
    })
    this.owners = programs.flatMap(({ code }, index) => code.map(() => index))
    this.code = code
    this.classes = classesOf(code)
    this.seen = new Uint32Array(code.length)
  }

  /** The state of programs that are about to read their text, or to go on behind a byte of that side. */
  start(side: number = Side.none): State {
    const starts = this.programs.map(({ start }, index) => (this.bases[index] ?? 0) + start)
    return this.state(this.close(starts, side, 0), side, [])
  }

  /** The state in which each program holds what it held in other machines. */
  resume(held: ReadonlyArray<Held>, side: number): State {
    const all = held.flatMap((ids, index) => ids.map((id) => id + (this.bases[index] ?? 0)))
    return this.state(all, side, [])
  }

  /** The instructions of each program. */
  split({ held }: State): ReadonlyArray<Held> {
    const parts = this.programs.map((): Array<number> => [])
    for (const id of held) {
      const owner = this.owners[id] ?? 0
      parts[owner]?.push(id - (this.bases[owner] ?? 0))
    }
    return parts
  }

  /** The state in which these programs hold nothing any more. */
  without({ held, side }: State, programs: ReadonlySet<number>): State {
    const rest = held.filter((id) => !programs.has(this.owners[id] ?? 0))
    return this.state(rest, side, [])
  }

  /** Reads bytes until some program matches, or to the end. Returns where it has stopped. */
  run(from: State, bytes: Uint8Array, at: number): { readonly state: State; readonly at: number } {
    const { classes } = this
    let state = from
    for (let index = at; index < bytes.length; index++) {
      const byte = bytes[index] ?? 0
      state = state.next[classes[byte] ?? 0] ?? this.step(state, byte)
      if (state.hits !== undefined) return { state, at: index + 1 }
    }
    return { state, at: bytes.length }
  }

  /** The state behind one more byte. */
  step(state: State, byte: number): State {
    const known = state.next[this.classes[byte] ?? 0]
    if (known !== undefined) return known
    const side = sideOf(byte)
    const asks = state.held.some((id) => this.code[id]?.op === "ahead")
    const held = asks ? this.close(state.held, state.side, side) : state.held
    const before = asks ? this.accepted(held).filter((index) => !state.hits?.here.includes(index)) : []
    const reached: Array<number> = []
    for (const id of held) {
      const each = this.code[id]
      if (each?.op === "byte" && byte >= each.from && byte <= each.to) reached.push(each.next)
    }
    const full = this.states.size >= mostStates || this.weight > mostHeld
    const next = this.state(this.close(reached, side, 0), side, before)
    // From a state that is forgotten nothing may lead on, or it would keep all others.
    if (!full) state.next[this.classes[byte] ?? 0] = next
    return next
  }

  /** The programs that match if the text ends here. */
  atEnd({ held, side }: State): ReadonlyArray<number> {
    return this.accepted(this.close(held, side, Side.none))
  }

  private accepted(held: ReadonlyArray<number>): ReadonlyArray<number> {
    return [...new Set(held.filter((id) => this.code[id]?.op === "accept").map((id) => this.owners[id] ?? 0))]
  }

  /** Every instruction that is reached from these without a byte. With `ahead` 0 what comes ahead is not known yet. */
  private close(from: ReadonlyArray<number>, behind: number, ahead: number): ReadonlyArray<number> {
    this.round += 1
    const held: Array<number> = []
    const open = [...from]
    for (let id = open.pop(); id !== undefined; id = open.pop()) {
      if (this.seen[id] === this.round) continue
      this.seen[id] = this.round
      const each = this.code[id]
      if (each?.op === "fork") open.push(each.next, each.other)
      else if (each?.op === "behind") {
        if ((each.sides & behind) !== 0) open.push(each.next)
      } else if (each?.op === "ahead" && ahead !== 0) {
        if ((each.sides & ahead) !== 0) open.push(each.next)
      } else held.push(id)
    }
    return held.sort((a, b) => a - b)
  }

  private state(held: ReadonlyArray<number>, side: number, before: ReadonlyArray<number>): State {
    const key = `${side};${before.join()};${held.join()}`
    const known = this.states.get(key)
    if (known !== undefined) return known
    if (this.states.size >= mostStates || this.weight > mostHeld) {
      this.states = new Map()
      this.weight = 0
    }
    const here = this.accepted(held)
    const hits = here.length + before.length === 0 ? undefined : { here, before }
    const state: State = { held, side, hits, next: [] }
    this.states.set(key, state)
    this.weight += held.length
    return state
  }
}

const moved = (each: Instruction, base: number): Instruction => {
  if (each.op === "accept") return each
  const next = each.next + base
  return each.op === "fork" ? { ...each, next, other: each.other + base } : { ...each, next }
}

/** Bytes that no instruction tells apart have the same class. */
const classesOf = (code: ReadonlyArray<Instruction>): Uint8Array => {
  const starts = new Uint8Array(257)
  for (const each of code) {
    if (each.op !== "byte") continue
    starts[each.from] = 1
    starts[each.to + 1] = 1
  }
  for (let byte = 1; byte < 256; byte++) if (sideOf(byte) !== sideOf(byte - 1)) starts[byte] = 1
  const classes = new Uint8Array(256)
  for (let byte = 1; byte < 256; byte++) classes[byte] = (classes[byte - 1] ?? 0) + (starts[byte] ?? 0)
  return classes
}
