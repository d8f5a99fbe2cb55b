// @ts-check
// Faults of a process: its log, its readers, its stdin, its start and its end.
import { drills, faultIn } from "./fault.mjs"

const process = faultIn("core/process/Process.ts")
const order = faultIn("core/process/EventOrder.ts")
const quiet = faultIn("core/process/Quiet.ts")
const ring = faultIn("core/process/Ring.ts")
const throttle = faultIn("core/process/Throttle.ts")
const poll = faultIn("core/process/LongPoll.ts")
const stdin = faultIn("core/process/StdinQueue.ts")
const queue = faultIn("core/process/BoundedQueue.ts")
const table = faultIn("core/process/ProcessTable.ts")
const lifecycle = faultIn("core/process/Lifecycle.ts")

export const processes = [
  process(
    "this.log.append(stream, bytes)\n      this.wake()",
    "this.log.append(stream, bytes)",
    "output wakes nobody",
  ),
  process("this.onClosed()\n    this.wake()", "this.onClosed()", "closed wakes nobody"),
  process("if (this.openStreams.size > 0 || this", "if (this", "closed does not wait for the streams"),
  process(
    "      this.openStreams.delete(stream)\n      this.settle()",
    "      this.openStreams.delete(stream)",
    "the last end of a stream is not looked at",
  ),
  process(
    "this.exited = { seq: this.log.take(),",
    "this.exited = { seq: this.log.nextSeq(),",
    "exited takes no seq of its own",
  ),
  process(
    "if (this.readers.paused) this.throttle()",
    "void this.readers.paused",
    "a reader that catches up wakes no child",
  ),
  process(
    "        cursor.detach()\n        this.readers.cursors.delete(cursor)",
    "        cursor.detach()",
    "a reader that leaves pauses the child for ever",
  ),
  process("this.starter?.detach()", "void this.starter", "the reader of the start is never detached"),
  process(
    "this.closed === undefined && this.terminated && this.child",
    "this.closed === undefined && this.closed && this.child",
    "held streams of a killed child are not abandoned",
  ),
  process(
    "Deferred.unsafeDone(this.childExited, Effect.void)",
    "void this.childExited",
    "an exit is not supervised",
  ),
  process(
    "if (this.exited !== undefined || this.status === undefined) return",
    "if (this.status === undefined) return",
    "an exit is published again with closed",
  ),
  order("exited.seq > seq && (chunk", "exited.seq >= seq && (chunk", "exited is delivered again and again"),
  order(
    "if (chunk !== undefined) return chunk\n  return closed",
    "return closed",
    "output that is left behind closed is skipped",
  ),
  quiet(
    "while (process.exited === undefined && quiet < 2",
    "while (process.exited === undefined && quiet < 0",
    "an exit is told before its output is read",
  ),
  ring(
    "(this.seqs[this.row] ?? 0) <= delivered",
    "(this.seqs[this.row] ?? 0) <= Infinity",
    "output that a reader has yet to get is evicted",
  ),
  ring("?? 0) > seq) high = middle", "?? 0) >= seq) high = middle", "a reader gets its last chunk again"),
  ring(
    "this.data.set(bytes.subarray(head), 0)",
    "this.data.set(bytes.subarray(head), 1)",
    "output that wraps around lands one too far",
  ),
  ring(">= most.bytes", ">= most.bytes / 2", "the ring keeps half of what it should"),
  throttle(
    "      this.reading.unsafeOpen()\n      child.resume?.()",
    "      this.reading.unsafeOpen()",
    "a paused child never goes on",
  ),
  throttle("      this.reading.unsafeOpen()\n", "", "an exit waits for a pause that is over"),
  poll(
    "      const unsubscribe = process.subscribe(look)\n      alarm.addObserver(wake)\n      look()\n",
    "      let unsubscribe = () => {}\n      alarm.addObserver(wake)\n      look()\n" +
      "      const later = Effect.sync(() => (unsubscribe = process.subscribe(look)))\n" +
      "      Runtime.runFork(runtime)(Effect.zipRight(Effect.sleep(10), later))\n",
    "a poll misses news between looking and waiting",
    drills,
  ),
  poll(
    "if (hasNews(process, afterSeq)) wake()",
    "if (process.closed) wake()",
    "a poll is woken by closed alone",
  ),
  poll("      alarm.addObserver(wake)\n", "", "a poll without news waits for ever"),
  poll("process.closed !== undefined ||", "", "a poll does not see closed"),
  poll(
    "chunks.push({ ...chunk, bytes: chunk.bytes.slice() })",
    "chunks.push(chunk)",
    "an answer has views of the ring",
    { survives: "an answer is encoded in the step in which it is made, before the child can write again" },
  ),
  stdin("        busy = true\n", "", "a write overtakes the one before", drills),
  stdin(
    "          held -= size\n          pump()",
    "          held -= size",
    "writes behind a slow one stay in the queue",
  ),
  stdin("        ids.add(writeId)\n", "", "a write that is repeated is written twice", drills),
  queue(
    "    this.admit()\n    return item",
    "    return item",
    "a writer that waits for room is not woken",
    drills,
  ),
  queue(
    "    this.items.length = 0\n    this.admit()",
    "    this.items.length = 0",
    "writers wait for ever behind the end of a child",
    {
      ...drills,
      survives:
        "others wait only while a write is under way, and its failure at the end of the child admits them",
    },
  ),
  table(
    "for (const next of entry.waiting) next()",
    "void entry.waiting",
    "requests that wait for a start are not woken",
    drills,
  ),
  table(
    "if (Exit.isFailure(outcome)) this.forget(entry)",
    "void Exit",
    "a failed start keeps its id",
    drills,
  ),
  lifecycle("    yield* childScope.close\n  })", "  })", "the scope of a child is never closed", drills),
  lifecycle(
    "    if (entry.outcome !== undefined) {",
    "    if (entry.outcome === null) {",
    "a start that was cancelled goes on",
    drills,
  ),
  lifecycle(
    "    table.decide(entry, Exit.succeed(process))\n",
    "",
    "a start that has succeeded is not decided",
  ),
]
