/**
 * All searches in one stream, in one pass: each byte is one step of one machine, however many searches there are.
 *
 * Searches that look for the same pattern and are in the same state are one program of that machine. The machine is
 * made anew when a search comes or goes, with what each program holds, so that no byte is read twice.
 */
import * as Machine from "../../pattern/Machine.ts"
import type { Pattern } from "../../pattern/Pattern.ts"
import { Side, sideOf } from "../../pattern/Program.ts"
import type { Place } from "./Condition.ts"
import type { End, Search } from "./Search.ts"

/** Searches in the same state of the same pattern. Without any it is dead. */
interface Group {
  readonly pattern: Pattern
  readonly searches: Set<Search>
}

/** A group that is to be in the next machine, with what its program holds. */
interface Held {
  readonly group: Group
  readonly held: Machine.Held
}

export type OnFound = (search: Search, end: End) => void

export class StreamScan {
  private readonly onFound: OnFound
  /** Those that have read nothing yet, and those that wait to be in the machine. */
  private readonly fresh = new Set<Search>()
  private coming: Array<Held> = []
  /** The programs of the machine. */
  private groups: ReadonlyArray<Group> = []
  private live = 0
  private machine = new Machine.Machine([])
  private state = this.machine.start()
  /** What the last byte was, and where it ends. */
  private side: number = Side.none
  private place: Place | undefined

  constructor(onFound: OnFound) {
    this.onFound = onFound
  }

  /** Adds a search that has read nothing yet. */
  addFresh(search: Search): void {
    this.fresh.add(search)
  }

  /** Adds a search that has read everything so far, up to this place, and is in this state of its pattern's machine. */
  add(search: Search, state: Machine.State, place: Place): void {
    const { pattern } = search
    const [held = []] = pattern.machine.split(state)
    this.side = state.side
    this.place = place
    this.coming.push({ group: { pattern, searches: new Set([search]) }, held })
  }

  remove(search: Search): void {
    this.fresh.delete(search)
    this.coming = this.coming.filter(({ group }) => !group.searches.has(search))
    const index = this.groups.findIndex(({ searches }) => searches.delete(search))
    if (this.groups[index]?.searches.size === 0) this.drop(new Set([index]))
  }

  read(seq: number, bytes: Uint8Array): void {
    let at = 0
    if (this.fresh.size > 0) {
      const begun = [...this.fresh].map((search) => this.begin(search, seq, bytes[0] ?? 0))
      this.fresh.clear()
      this.run(seq, bytes.subarray(0, 1), 0)
      for (const add of begun) add()
      at = 1
    }
    this.run(seq, bytes, at)
    this.side = sideOf(bytes[bytes.length - 1] ?? 0)
    this.place = { seq, offset: bytes.length }
  }

  end(): void {
    this.settle()
    const matched = this.machine
      .atEnd(this.state)
      .flatMap((index) => [...(this.groups[index]?.searches ?? [])])
    const empty = [...this.fresh].filter(
      ({ pattern }) => pattern.machine.atEnd(pattern.machine.start()).length > 0,
    )
    for (const search of matched) {
      this.onFound(search, { at: this.place ?? { seq: search.afterSeq, offset: 0 }, ahead: Side.none })
    }
    for (const search of empty)
      this.onFound(search, { at: { seq: search.afterSeq, offset: 0 }, ahead: Side.none })
  }

  /** Reads the first byte of a search by itself, because nothing is before it. */
  private begin(search: Search, seq: number, byte: number): () => void {
    const { machine } = search.pattern
    const state = machine.step(machine.start(), byte)
    if (state.hits === undefined) return () => this.add(search, state, { seq, offset: 1 })
    const end = endOf(state, 0, seq, 1, byte)
    return () => this.onFound(search, end)
  }

  private run(seq: number, bytes: Uint8Array, start: number): void {
    this.settle()
    for (let at = start; this.live > 0 && at < bytes.length;) {
      const ran = this.machine.run(this.state, bytes, at)
      this.state = ran.state
      at = ran.at
      const { hits } = ran.state
      if (hits === undefined) continue
      const found = new Set([...hits.before, ...hits.here])
      for (const index of found) {
        const end = endOf(ran.state, index, seq, at, bytes[at - 1] ?? 0)
        for (const search of this.groups[index]?.searches ?? []) this.onFound(search, end)
        this.groups[index]?.searches.clear()
      }
      this.drop(found)
    }
  }

  /** These groups are dead. The machine keeps their programs until they are more than the others. */
  private drop(dead: ReadonlySet<number>): void {
    this.live -= dead.size
    this.state = this.machine.without(this.state, dead)
    if (this.live < this.groups.length / 2) this.remake(this.state.side)
  }

  /** Takes what has come into the machine. */
  private settle(): void {
    if (this.coming.length > 0) this.remake(this.side)
  }

  private remake(side: number): void {
    const parts = this.machine.split(this.state)
    const old = this.groups.map((group, index) => ({ group, held: parts[index] ?? [] }))
    const all = merged([...old.filter(({ group }) => group.searches.size > 0), ...this.coming])
    this.coming = []
    this.groups = all.map(({ group }) => group)
    this.live = this.groups.length
    const [only, ...more] = this.groups
    const isOne = only !== undefined && more.length === 0
    this.machine = isOne
      ? only.pattern.machine
      : new Machine.Machine(this.groups.map(({ pattern }) => pattern.forwards))
    this.state = this.machine.resume(
      all.map(({ held }) => held),
      side,
    )
  }
}

/** One group for those that are in the same state of the same pattern. */
const merged = (all: ReadonlyArray<Held>): ReadonlyArray<Held> => {
  const byPattern = new Map<Pattern, Map<string, Held>>()
  for (const each of all) {
    const { pattern, searches } = each.group
    const same = byPattern.get(pattern) ?? new Map<string, Held>()
    byPattern.set(pattern, same)
    const key = each.held.join()
    const other = same.get(key)
    if (other === undefined) same.set(key, each)
    else for (const search of searches) other.group.searches.add(search)
  }
  return [...byPattern.values()].flatMap((same) => [...same.values()])
}

/** Where a match of that program ends: behind the byte, or before it, which only that byte could tell. */
export const endOf = ({ hits }: Machine.State, program: number, seq: number, at: number, byte: number): End =>
  hits?.before.includes(program) === true
    ? { at: { seq, offset: at - 1 }, ahead: sideOf(byte) }
    : { at: { seq, offset: at }, ahead: 0 }
