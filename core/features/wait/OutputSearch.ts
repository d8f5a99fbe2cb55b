/**
 * The searches in the output of one process: what the log has since the seq that each names, and everything new, as it
 * is appended. They are a cursor on the log while there is one of them, and nothing otherwise.
 *
 * Searches for the same pattern in the same stream behind the same seq are one; it is kept when it has found its match,
 * as one of the last `mostKept`, for waits that ask again.
 */
import type { OutputStream } from "../../spawn/Spawner.ts"
import { type Attachment, streamsOf } from "../../process/Attachment.ts"
import type { Process } from "../../process/Process.ts"
import { Side, sideOf } from "../../pattern/Program.ts"
import { type Condition, type Place, type Match, mostMatchBytes } from "./Condition.ts"
import type { State } from "../../pattern/Machine.ts"
import type { Pattern } from "../../pattern/Pattern.ts"
import { utf8Decoder } from "../../protocol/Bytes.ts"
import type { OutputLog } from "../../process/OutputLog.ts"
import { lastBefore } from "../../process/Printed.ts"
import * as Machine from "../../pattern/Machine.ts"

/** A search. Its match is the one that ends first; of those that end there, the longest. */
export interface Search {
  /** Names it: waits that ask for the same share it. */
  readonly key: string
  readonly pattern: Pattern
  readonly stream: OutputStream
  /** The text begins behind this seq. */
  readonly afterSeq: number
  /** Number of waits that share it. */
  users: number
  match: Match | undefined
}

/** The end of a match. `ahead` is the kind of the next byte, as far as that was needed to know: a `Side`, or 0. */
export interface End {
  readonly at: Place
  readonly ahead: number
}

/** The match of a search that ends there. A part that the log has lost is left out. */
const matchAt = (log: OutputLog, search: Search, { at, ahead }: End): Match => {
  const from = beginOf(log, search, at, ahead)
  return { stream: search.stream, from, to: at, text: textOf(log, search.stream, from, at) }
}

const beginOf = (log: OutputLog, { pattern, stream, afterSeq }: Search, end: Place, ahead: number): Place => {
  const machine = pattern.backwards
  let state = machine.start(ahead)
  let right = end
  let best = end
  const look = (state: State, here: Place) => {
    if (state.hits === undefined) return
    best = state.hits.here.length > 0 ? here : right
  }
  const next = lastBefore(log, afterSeq, end.seq + 1)
  for (let chunk = next(); chunk !== undefined; chunk = next()) {
    const { bytes, seq } = chunk
    if (chunk.stream !== stream) continue
    for (let offset = (seq === end.seq ? end.offset : bytes.length) - 1; offset >= 0; offset--) {
      state = machine.step(state, bytes[offset] ?? 0)
      const here = { seq, offset }
      look(state, here)
      if (state.held.length === 0) return best
      right = here
    }
  }
  return machine.atEnd(state).length > 0 ? right : best
}

const textOf = (log: OutputLog, stream: OutputStream, from: Place, to: Place): string => {
  const decoder = utf8Decoder()
  let text = ""
  let room = mostMatchBytes
  for (
    let chunk = log.after(from.seq - 1);
    chunk !== undefined && chunk.seq <= to.seq && room > 0;
    chunk = log.after(chunk.seq)
  ) {
    if (chunk.stream !== stream) continue
    const start = chunk.seq === from.seq ? from.offset : 0
    const end = chunk.seq === to.seq ? to.offset : chunk.bytes.length
    const bytes = chunk.bytes.subarray(start, Math.min(end, start + room))
    room -= bytes.length
    text += decoder.decode(bytes, { stream: true })
  }
  return text + decoder.decode()
}

/** Finished searches that are kept. */
export const mostKept = 64

export class OutputSearch {
  private readonly process: Process
  private readonly scans: ReadonlyMap<OutputStream, StreamScan>
  private readonly searches = new Map<string, Search>()
  private readonly finished = new Map<string, Search>()
  private attachment: Attachment | undefined

  constructor(process: Process) {
    this.process = process
    const streams = streamsOf(process.stdio)
    this.scans = new Map(
      streams.map((stream) => [stream, new StreamScan((search, end) => this.found(search, end))]),
    )
  }

  /** The searches that a condition needs, one for each stream. Each is to be given back by `leave`. */
  join(condition: Extract<Condition, { kind: "pattern" }>, afterSeq: number): ReadonlyArray<Search> {
    const { stream } = condition
    // A stream that the process does not have has no end, either.
    const streams = [...this.scans.keys()].filter((each) => stream === undefined || each === stream)
    return streams.map((each) => this.joinOne(condition, each, afterSeq))
  }

  leave(search: Search): void {
    search.users -= 1
    if (search.users > 0 || this.searches.get(search.key) !== search) return
    this.searches.delete(search.key)
    this.scans.get(search.stream)?.remove(search)
    this.rest()
  }

  /** Reads what is new. Call it after every change of the process. */
  advance(): void {
    const { attachment } = this
    if (attachment === undefined) return
    for (let event = attachment.next(); event !== undefined; event = attachment.next()) {
      if (event.kind === "output") this.scans.get(event.stream)?.read(event.seq, event.bytes)
      if (event.kind === "closed") for (const scan of this.scans.values()) scan.end()
      attachment.advance(event.seq)
    }
    this.rest()
  }

  private joinOne(
    { pattern, name }: Extract<Condition, { kind: "pattern" }>,
    stream: OutputStream,
    afterSeq: number,
  ): Search {
    const key = `${stream} ${afterSeq} ${name}`
    const known = this.searches.get(key) ?? this.finished.get(key)
    if (known !== undefined) {
      known.users += 1
      return known
    }
    const search: Search = { key, pattern, stream, afterSeq, users: 1, match: undefined }
    this.searches.set(key, search)
    this.catchUp(search)
    this.rest()
    return search
  }

  /** Reads what the log has of the text of a search. */
  private catchUp(search: Search): void {
    const { log, closed } = this.process
    const { machine } = search.pattern
    let state = machine.start()
    let place: Place = { seq: search.afterSeq, offset: 0 }
    let begun = false
    if (state.hits !== undefined) return this.found(search, { at: place, ahead: 0 })
    for (let chunk = log.after(search.afterSeq); chunk !== undefined; chunk = log.after(chunk.seq)) {
      if (chunk.stream !== search.stream) continue
      const { bytes, seq } = chunk
      const ran = machine.run(state, bytes, 0)
      state = ran.state
      if (state.hits !== undefined)
        return this.found(search, endOf(state, 0, seq, ran.at, bytes[ran.at - 1] ?? 0))
      place = { seq, offset: bytes.length }
      begun = true
    }
    if (closed !== undefined) {
      if (machine.atEnd(state).length > 0) this.found(search, { at: place, ahead: Side.none })
      return
    }
    this.attachment ??= this.process.follow(Math.max(0, log.nextSeq() - 1))
    const scan = this.scans.get(search.stream)
    if (begun) scan?.add(search, state, place)
    else scan?.addFresh(search)
  }

  private found(search: Search, end: End): void {
    search.match = matchAt(this.process.log, search, end)
    this.searches.delete(search.key)
    this.finished.set(search.key, search)
    for (const key of this.finished.keys()) {
      if (this.finished.size <= mostKept) break
      this.finished.delete(key)
    }
  }

  /** Without a search nothing holds the log. */
  private rest(): void {
    if (this.searches.size > 0) return
    this.attachment?.detach()
    this.attachment = undefined
  }
}

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

class StreamScan {
  private readonly onFound: OnFound
  /** Those that have read nothing yet, and those that wait to be in the machine. */
  private readonly fresh = new Set<Search>()
  private coming: Array<Held> = []
  /** The programs of the machine. */
  private groups: ReadonlyArray<Group> = []
  private live = 0
  private machine = new Machine.Machine([])
  private state = this.machine.start()
  /** The kind of the last byte, and its place. */
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

/** The end of a match of that program: behind the byte, or before it, which only that byte could tell. */
const endOf = ({ hits }: Machine.State, program: number, seq: number, at: number, byte: number): End =>
  hits?.before.includes(program) === true
    ? { at: { seq, offset: at - 1 }, ahead: sideOf(byte) }
    : { at: { seq, offset: at }, ahead: 0 }
