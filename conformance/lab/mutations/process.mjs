// @ts-check
// Mutations of core/process.
import { elsewhere, inFile, one } from "./mutation.mjs"

const process = inFile("core/process/Process.ts")
const log = inFile("core/process/Ring.ts")
const registry = inFile("core/process/ProcessRegistry.ts")
const poll = inFile("core/process/LongPoll.ts")
/** @param {string} find @param {string} replace @param {string} says */
const receipt = (find, replace, says) =>
  elsewhere(
    one("core/process/Account.ts", find, replace, says, "process/receipt"),
    "core/integration/Receipts.test.ts",
  )
const deadline = inFile("core/process/Deadline.ts")
const table = inFile("core/process/ProcessTable.ts")
const retained = "process/read/retained"

export const processes = [
  deadline(
    "if (!process.hasEnded) return yield* Control.terminate(process)",
    "if (!process.hasEnded) return",
    "a process that ignores the signal of its deadline is not killed",
    "process/deadlines/grace-ends-in-a-kill",
  ),
  deadline(
    "since = Math.max(since, this.lastOutput)",
    "",
    "silence counts from the start, whatever is written",
    "process/deadlines/silence-counts-from-the-last-output",
  ),
  one(
    "core/process/Cause.ts",
    "if (this.asked !== undefined) return this.asked",
    "",
    "the end by a deadline is told as that by its signal",
    "process/deadlines/timeout-ends-the-process",
  ),
  log("return this.next++", "return ++this.next", "the first seq is 2", "process/output/seq-contiguous"),
  log(
    "if (held <= most.bytes) return false",
    "if (held <= most.bytes * 2) return false",
    "the ring holds twice as many bytes",
    retained,
  ),
  log(
    "return limits !== undefined || this.end - this.offsetAt(1) + bytes >= most.bytes",
    "return true",
    "the ring evicts a chunk of which one byte is too much",
    retained,
  ),
  log(
    "this.chunks + chunks > most.chunks",
    "this.chunks + chunks > most.chunks + 1",
    "the ring holds one chunk too many",
    retained,
  ),
  log(
    "(this.seqs[this.row] ?? 0) <= delivered",
    "(this.seqs[this.row] ?? 0) <= Infinity",
    "what an attached reader has yet to get is evicted",
    "process/output/slow-client-stalls-the-process",
  ),
  log("?? 0) > seq) high = middle", "?? 0) >= seq) high = middle", "afterSeq is included", "process/read"),
  log(
    "this.data.set(bytes.subarray(head), 0)",
    "this.data.set(bytes.subarray(head), 1)",
    "bytes that wrap land one too far",
    retained,
  ),
  log("this.end - this.offsetAt(this.indexAfter(mark.seq)),", "0,", "a reader never lags", "process/output"),
  process(
    "if (this.openStreams.size > 0 || this.status === undefined) return",
    "if (this.status === undefined) return",
    "closed does not wait for the streams",
    "process/output",
  ),
  process(
    "this.exited = { seq: this.log.take(),",
    "this.exited = { seq: this.log.nextSeq(),",
    "exited takes no seq of its own",
    "process/output/seq-contiguous",
  ),
  process(
    "this.closed = { seq: this.log.take(), receipt",
    "this.closed = { seq: 0, receipt",
    "closed has the seq 0",
    "process/output/seq-contiguous",
  ),
  process(
    "    this.onClosed()\n    this.wake()",
    "    this.wake()\n    this.onClosed()",
    "a place is free only after closed is told",
    "limits/flags/processes*",
  ),
  one(
    "core/process/Throttle.ts",
    "lag > (this.paused ? resumeBelow : pauseAbove)",
    "lag < (this.paused ? resumeBelow : pauseAbove)",
    "children are paused while nothing waits",
    "process/output/big-output-complete",
  ),
  process(
    "this.terminated && this.status !== undefined)",
    "false)",
    "a killed child is not read to its end while a reader lags",
    "process/credit/terminate-needs-none",
  ),
  process(
    "if (this.readers.paused) this.throttle()",
    "void this.readers.paused",
    "a paused child is never resumed",
    "process/output/big-output-complete",
  ),
  one(
    "core/process/Cause.ts",
    "128 + status.signal",
    "status.signal",
    "a death by signal is no 128 + n",
    "process/exit-code",
  ),
  one(
    "core/process/Quiet.ts",
    "while (process.exited === undefined && quiet < 2",
    "while (process.exited === undefined && quiet < 0",
    "an exit is told before its output is read",
    "process/output",
  ),
  process(
    "for (const listener of this.listeners) listener()",
    "for (const listener of [...this.listeners].slice(0, 1)) listener()",
    "only the first listener hears of a change",
    "process/read",
  ),
  one(
    "core/process/EventOrder.ts",
    "(chunk === undefined || exited.seq < chunk.seq)",
    "(chunk === undefined || exited.seq > chunk.seq)",
    "exited and output leave in the wrong order",
    "process/output",
  ),
  process(
    "this.closed === undefined && this.terminated && this.child",
    "this.closed === undefined && !this.terminated && this.child",
    "output is given up of those that were not terminated",
    "process/terminate/closes-at-once",
    "process/output/late-output",
  ),
  poll(
    "(process.exited !== undefined && seq < process.log.nextSeq() - 1)",
    "process.exited !== undefined",
    "a read after exited never waits",
    "process/read",
  ),
  poll(
    "if (hasNews(process, afterSeq)) wake()",
    "if (process !== undefined) wake()",
    "a wait is ended by any change",
    "process/read",
  ),
  poll("process.closed !== undefined ||", "", "a wait does not see closed", "process/read"),
  poll(
    "if (chunks.length > 0 && bytes > maxBytes) break",
    "if (bytes > maxBytes) break",
    "maxBytes may return nothing",
    "process/read",
  ),
  poll(
    "chunks.length > 0) ? seq + 1 :",
    "chunks.length > 0) ? seq :",
    "nextSeq is one too low",
    "process/read",
  ),
  poll(
    "chunks.push({ ...chunk, bytes: chunk.bytes.slice() })",
    "chunks.push(chunk)",
    "a read answers with views of the ring",
    "process/read",
  ),
  one(
    "core/process/Lifecycle.ts",
    "    table.forget(entry)\n    history",
    "    history",
    "closed processes are never forgotten",
  ),
  one(
    "core/process/Reserving.ts",
    "if (table.get(id) !== undefined)",
    "if (false)",
    "an id can be taken twice",
    "process/start",
  ),
  table(
    "if (Exit.isFailure(outcome)) this.forget(entry)",
    "void Exit",
    "a failed start keeps its id",
    "process/start/program-missing-frees-the-id",
  ),
  registry(
    "if (!process.running) return Effect.succeed(false)",
    "void entry",
    "terminate finds the dead running",
    "process/terminate",
  ),
  one(
    "core/process/Control.ts",
    "process.terminate()",
    "void process",
    "a terminate is not remembered",
    "process/terminate",
    "process/write",
  ),
  one(
    "core/process/WriteIds.ts",
    "capacity = 4096",
    "capacity = 4095",
    "one writeId too few is remembered",
    "process/write/4096*",
  ),
  one(
    "core/process/StdinQueue.ts",
    "export const capacity = 128",
    "export const capacity = Infinity",
    "writes queue without an end",
    "process/write/blocks-when-nobody-reads",
  ),
  one(
    "core/process/BoundedQueue.ts",
    "this.items.push(item)",
    "this.items.unshift(item)",
    "the newest write is the first",
    "process/write",
  ),
  one(
    "core/process/StdinQueue.ts",
    "        ids.add(writeId)",
    "        void writeId",
    "no writeId is remembered",
    "process/write/same*",
  ),
  receipt("counted.bytes += bytes.length", "counted.bytes = bytes.length", "the last chunk counts alone"),
  receipt("stream.lastSeq = event.seq", "stream.lastSeq ??= event.seq", "the first chunk is the last"),
  receipt("oldest.seq > this.taken", "oldest.seq >= this.taken", "what a client had got counts as unread"),
  elsewhere(
    one(
      "core/process/Cause.ts",
      "if (terminated && killed)",
      "if (killed)",
      "every kill is a terminate",
      "process/receipt",
    ),
    "core/integration/Receipts.test.ts",
  ),
  receipt("if (full !== undefined) yield* full", "", "what has no room spins"),
]
