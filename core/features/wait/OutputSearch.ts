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
import { Side } from "../../pattern/Program.ts"
import type { Condition, Place } from "./Condition.ts"
import { type End, matchAt, type Search } from "./Search.ts"
import { endOf, StreamScan } from "./StreamScan.ts"

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
