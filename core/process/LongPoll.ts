/**
 * `process/read`: the retained output above a seq, and the state of the process. A long poll waits until there is
 * something to answer.
 *
 * Looking and subscribing are one synchronous step, so that no wake-up is missed. A read consumes nothing.
 */
import * as Effect from "effect/Effect"
import type { InternalError } from "../protocol/ParamsError.ts"
import type { ClosedFields, EndedBy, ReadFields, ResourceLimit } from "../protocol/Process.ts"
import { longestTimerMillis } from "../protocol/Timer.ts"
import type { Kept } from "./Extension.ts"
import type * as OutputLog from "./OutputLog.ts"
import { gapAfter } from "./Printed.ts"
import type { Exited, Process } from "./Process.ts"

/** The parameters of a read. */
export interface ReadRequest {
  /** Only chunks with a higher seq are returned. */
  readonly afterSeq: number
  /** Most bytes of output to return. Chunks are returned whole, and always at least one. */
  readonly maxBytes: number
  /** The longest wait for news, in milliseconds; 0 answers at once. */
  readonly waitMillis: number
}

/** The answer to a read. */
export type ReadState = ReadFields &
  ClosedFields & {
    /** Copies of retained chunks, oldest first. */
    readonly chunks: ReadonlyArray<OutputLog.Chunk>
    /** The seq to read on from: `afterSeq` of the next read is one less. */
    readonly nextSeq: number
    /** True once the exit is published. */
    readonly exited: boolean
    /** 128 + n after a death by signal n; null before the exit. */
    readonly exitCode: number | null
    /** True once the process has exited and every stream is at EOF. */
    readonly closed: boolean
    /** True if the exit was probably caused by the confinement. */
    readonly sandboxDenied: boolean
    /** The bound of resources that has ended the process. */
    readonly limit?: ResourceLimit | undefined
    /** True if memory ran out. */
    readonly oomKilled?: boolean | undefined
    /** The cause of the end, if that is to be reported. */
    readonly endedBy?: EndedBy | undefined
    /** The number of the signal that it died of, with `endedBy`. */
    readonly signal?: number | undefined
    /** True of a read without a bound that has less than everything: the rest is the state as of there. */
    readonly more?: boolean
  }

/** Chunks in front of those of the log. */
interface Before {
  /** Oldest first. */
  readonly chunks: ReadonlyArray<OutputLog.Chunk>
  /** The seq in front of them; that of the read if there are none. */
  readonly afterSeq?: number
  /** Their bytes. */
  readonly bytes: number
  /** True if more than these come before those of the log. */
  readonly isCut: boolean
}

/** Most bytes that a read without a bound gets at once, of output that only a feature keeps: 16 MiB. */
export const mostRecalledBytes = 16 * 1024 * 1024

/** Answers at once if there is news above `afterSeq`, or else when there is or when `waitMillis` have passed. */
export const read = (process: Process, request: ReadRequest): Effect.Effect<ReadState, InternalError> => {
  const kept = process.extension?.kept
  if (kept !== undefined && gapAfter(process, request.afterSeq) !== undefined)
    return readGap(kept, process, request)
  if (request.waitMillis === 0 || hasNews(process, request.afterSeq))
    return Effect.succeed(stateAfter(process, request))
  return Effect.map(awaitNews(process, request), () => stateAfter(process, request))
}

/** True if a read after `seq` has something to answer: output, an exit above `seq`, or the end. */
const hasNews = (process: Process, seq: number): boolean =>
  process.log.after(seq) !== undefined ||
  process.closed !== undefined ||
  process.extension?.own?.after(seq) !== undefined ||
  (process.exited !== undefined && seq < process.log.nextSeq() - 1)

/** Waits for news or for `waitMillis`. */
const awaitNews = (process: Process, { afterSeq, waitMillis }: ReadRequest): Effect.Effect<void> =>
  Effect.flatMap(Effect.context<never>(), (context) =>
    Effect.callback<void>((resume) => {
      const sleep = Effect.interruptible(Effect.sleep(Math.min(waitMillis, longestTimerMillis)))
      const alarm = Effect.runForkWith(context)(sleep)
      const stop = () => {
        unsubscribe()
        alarm.interruptUnsafe()
      }
      const wake = () => {
        // Not at once: what comes with the news belongs into the same answer.
        resume(Effect.yieldNow)
        stop()
      }
      const look = () => {
        if (hasNews(process, afterSeq)) wake()
      }
      const unsubscribe = process.subscribe(look)
      alarm.addObserver(wake)
      look()
      return Effect.sync(stop)
    }),
  )

/** The log has lost chunks behind `afterSeq`: those that are kept, and then those of the log. */
const readGap = (kept: Kept, process: Process, request: ReadRequest) =>
  Effect.gen(function* () {
    const most = Math.min(request.maxBytes, mostRecalledBytes)
    const chunks: Array<OutputLog.Chunk> = []
    let [seq, bytes, isCut] = [request.afterSeq, 0, false]
    for (let gap = gapAfter(process, seq); gap !== undefined && !isCut; gap = gapAfter(process, seq)) {
      const found = yield* kept.recall(gap, most - bytes)
      const size = found.chunks.reduce((sum, chunk) => sum + chunk.bytes.length, 0)
      // The oldest output that is kept may lie behind the begin of the log, of which others evict meanwhile.
      const first = found.chunks[0]?.seq ?? Infinity
      if (first > (gapAfter(process, seq)?.to ?? seq) + 1) break
      isCut = bytes + size > most && bytes > 0
      if (isCut) break
      chunks.push(...found.chunks)
      bytes += size
      seq = found.chunks.at(-1)?.seq ?? seq
      isCut = bytes >= most || found.hasMore
    }
    return stateAfter(
      process,
      { ...request, afterSeq: seq },
      { chunks, afterSeq: request.afterSeq, bytes, isCut },
    )
  })

const nothingBefore: Before = { chunks: [], bytes: 0, isCut: false }

/** Of a process that goes on. */
const running = { exited: false, exitCode: null, closed: false, sandboxDenied: false }

const endingOf = (exited: Exited | undefined): Pick<ReadState, "endedBy" | "signal"> => {
  if (exited?.endedBy === undefined) return {}
  const { endedBy, signal } = exited
  return signal === undefined ? { endedBy } : { endedBy, signal }
}

/** The answer of a read at this moment: `before`, and the chunks of the log behind `afterSeq`. */
const stateAfter = (
  process: Process,
  { afterSeq, maxBytes }: ReadRequest,
  before: Before = nothingBefore,
): ReadState => {
  const chunks: Array<OutputLog.Chunk> = [...before.chunks]
  let { bytes } = before
  let seq = afterSeq
  for (
    let chunk = before.isCut ? undefined : process.log.after(seq);
    chunk !== undefined;
    chunk = process.log.after(seq)
  ) {
    bytes += chunk.bytes.length
    if (chunks.length > 0 && bytes > maxBytes) break
    // The view is valid until the next append, and the answer may be written after that.
    chunks.push({ ...chunk, bytes: chunk.bytes.slice() })
    seq = chunk.seq
  }
  if (chunks.length > 0) process.extension?.delivered?.(seq)
  const isPart = before.isCut && maxBytes === Infinity
  const nextSeq = isPart || (maxBytes !== Infinity && chunks.length > 0) ? seq + 1 : process.log.nextSeq()
  const added = process.extension?.readFields?.(before.afterSeq ?? afterSeq, nextSeq)
  if (isPart) return { ...running, ...added, chunks, nextSeq, more: true }
  return {
    chunks,
    ...added,
    nextSeq,
    exited: process.exited !== undefined,
    exitCode: process.exited?.exitCode ?? null,
    closed: process.closed !== undefined,
    sandboxDenied: process.exited?.sandboxDenied ?? false,
    limit: process.exited?.limit,
    oomKilled: process.exited?.oomKilled,
    ...endingOf(process.exited),
    ...(process.closed && process.extension?.closedFields?.()),
  }
}
