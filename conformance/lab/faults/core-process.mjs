// @ts-check
// Faults of what a process does: its log, its readers, its ends, its waits, histories, marks and screens.
import { byCases, bySeed, byTests, inFile } from "./fault.mjs"

const deadline = inFile("core/process/Deadline.ts")
const lifecycle = inFile("core/process/Lifecycle.ts")
const process = inFile("core/process/Process.ts")
const ring = inFile("core/process/Ring.ts")
const stdinQueue = inFile("core/process/StdinQueue.ts")

export const coreProcess = [
  inFile("core/process/Account.ts")(
    "the last chunk counts alone",
    "counted.bytes += bytes.length",
    "counted.bytes = bytes.length",
    byTests("core/integration/Receipts.test.ts"),
  ),
  inFile("core/process/BoundedQueue.ts")(
    "a writer that waits for room is not woken",
    "this.admit(); return item",
    "return item",
    bySeed(21, "drills"),
  ),
  inFile("core/process/Cause.ts")(
    "one deadline counts as the other",
    "this.asked ??= asked",
    'this.asked = asked === "idleTimeout" ? "timeout" : asked',
    bySeed(2, "waits"),
  ),
  inFile("core/process/Control.ts")(
    "a list has the size with which a terminal began",
    "...stdio, size, sizes",
    "...stdio, sizes",
    byCases("process/list/terminal-size"),
  ),
  deadline(
    "output does not delay the end for silence",
    "since = Math.max(since, this.lastOutput)",
    "",
    bySeed(2, "waits"),
  ),
  deadline(
    "what does not end within the grace is not killed",
    "if (!process.hasEnded) return yield* Control.terminate(process); if (!(yield* hasDescendants(child))) return",
    "if (!(yield* hasDescendants(child))) return",
    bySeed(2, "waits"),
  ),
  deadline(
    "what has ended within the grace is killed",
    "if (!(yield* hasDescendants(child))) return; yield* child.kill",
    "yield* child.kill",
    bySeed(2, "waits"),
  ),
  inFile("core/process/EventOrder.ts")(
    "output that is left behind closed is skipped",
    "if (chunk !== undefined) return chunk",
    "",
    bySeed(1),
  ),
  lifecycle(
    "a start that was cancelled goes on",
    "entry.outcome !== undefined",
    "entry.outcome === null",
    bySeed(1, "drills"),
  ),
  lifecycle("the scope of a child is never closed", "yield* childScope.close", "", bySeed(1, "drills")),
  inFile("core/process/LongPoll.ts")(
    "a poll does not see closed",
    "process.log.after(seq) !== undefined || process.closed !== undefined || process.marks?.after(seq) !== undefined",
    "process.log.after(seq) !== undefined || process.marks?.after(seq) !== undefined",
    bySeed(9),
  ),
  inFile("core/process/Metrics.ts")(
    "processes run for ever",
    "ended?.update(1); gauge.modify(-1)",
    "ended?.update(1); void gauge",
  ),
  inFile("core/process/Numbered.ts")(
    "a number is behind itself",
    "item.number > number",
    "item.number >= number",
    bySeed(2, "records"),
  ),
  process(
    "output wakes nobody",
    "this.log.append(stream, bytes); this.wake(); this.throttle()",
    "this.log.append(stream, bytes); this.throttle()",
    bySeed(1),
  ),
  process(
    "exited takes no seq of its own",
    "seq: this.log.take(), exitCode",
    "seq: this.log.nextSeq(), exitCode",
    bySeed(1),
  ),
  process(
    "a killed child is not read to its end while a reader lags",
    "this.terminated && this.status !== undefined",
    "false",
    byCases("process/credit/terminate-needs-none"),
  ),
  inFile("core/process/ProcessRegistry.ts")(
    "terminate finds the dead running",
    "if (!process.running) return Effect.succeed(false)",
    "void entry",
    byCases("process/terminate/not-running"),
  ),
  inFile("core/process/ProcessTable.ts")(
    "a failed start keeps its id",
    "if (Exit.isFailure(outcome)) this.forget(entry)",
    "void Exit",
    bySeed(1, "drills"),
  ),
  inFile("core/process/Quiet.ts")(
    "an exit is told before its output is read",
    "process.exited === undefined && quiet < 2",
    "process.exited === undefined && quiet < 0",
    bySeed(1),
  ),
  inFile("core/process/Reserving.ts")(
    "an id can be taken twice",
    "table.get(id) !== undefined",
    "false",
    byCases("process/start/running-id-refused"),
  ),
  ring(
    "the first seq is 2",
    "return this.next++",
    "return ++this.next",
    byCases("process/output/seq-contiguous"),
  ),
  ring(
    "a reader gets its last chunk again",
    "(this.seqs[this.rowAt(middle)] ?? 0) > seq",
    "(this.seqs[this.rowAt(middle)] ?? 0) >= seq",
    bySeed(1),
  ),
  inFile("core/process/Sizes.ts")(
    "a part has the size behind its first chunk",
    "({ after }) => after < first",
    "({ after }) => after <= first",
    byCases("process/history/has-the-sizes-of-a-terminal"),
  ),
  stdinQueue(
    "a write overtakes the one before",
    "busy = true; fiber.addObserver(() => { busy = false; held -= size; pump() })",
    "fiber.addObserver(() => { busy = false; held -= size; pump() })",
    bySeed(8, "drills"),
  ),
  stdinQueue("writes behind a slow one stay in the queue", "held -= size; pump()", "held -= size", bySeed(3)),
  stdinQueue(
    "a write that is repeated is written twice",
    "ids.add(writeId); written += 1",
    "written += 1",
    bySeed(8, "drills"),
  ),
  inFile("core/process/Throttle.ts")("a paused child never goes on", "child.resume?.()", "", bySeed(4)),
  inFile("core/process/Told.ts")(
    "a gap has an event that is there",
    "seq: end - 1",
    "seq: end",
    bySeed(4, "sessions,viewers"),
  ),
  inFile("core/process/WriteIds.ts")(
    "one writeId too few is remembered",
    "capacity = 4096",
    "capacity = 4095",
    byCases("process/write/4096-write-ids-remembered"),
  ),
  inFile("core/process/Writers.ts")(
    "who gets the role back is not told",
    "before.told(); after.told()",
    "before.told()",
    bySeed(1, "sessions,writers"),
  ),
  inFile("core/process/history/Batch.ts")(
    "two batches have the same memory",
    "giveBack(array); return next",
    "giveBack(next); return next",
  ),
  inFile("core/process/history/Grep.ts")(
    "a search drops the begin of a line",
    "concat([this.rest, bytes.subarray(Math.max(from, end))])",
    "new Uint8Array(0)",
    bySeed(3, "records"),
  ),
  inFile("core/process/history/Histories.ts")(
    "a read does not wait for what is being written",
    "yield* history.written(gap.to)",
    "",
    bySeed(12, "records"),
  ),
  inFile("core/process/history/History.ts")(
    "a batch is written again and again",
    "yield* segments.append(batch); batch.clear()",
    "yield* segments.append(batch)",
    bySeed(5, "records"),
  ),
  inFile("core/process/history/LineSearch.ts")(
    "a line with the text of a pattern matches",
    "if (this.matches(bytes, candidate)) return candidate",
    "return candidate",
  ),
  inFile("core/process/history/Matches.ts")(
    "matches that were dropped are told with a place of others",
    "hit.byte < begin",
    "hit.byte < 0",
  ),
  inFile("core/process/history/Reading.ts")(
    "a line begins one too early",
    "(bytes, ends - line)",
    "(bytes, ends - line - 1)",
    bySeed(3, "records"),
  ),
  inFile("core/process/history/Recovery.ts")(
    "a record counts whose output is torn",
    "found.bytes + record.length",
    "found.bytes",
  ),
  inFile("core/process/history/SegmentReader.ts")(
    "a segment is read that is being written over",
    "return Effect.fail(gone)",
    "return Effect.void",
  ),
  inFile("core/process/history/Segments.ts")(
    "a history keeps half",
    "if (size <= this.maxBytes) break",
    "if (size <= this.maxBytes / 2) break",
    bySeed(15, "records"),
  ),
  inFile("core/process/history/Waiters.ts")(
    "a history is asked before it has what was printed",
    "waiter.seq > seq",
    "false",
    bySeed(1, "records"),
  ),
  inFile("core/process/marks/MarkScanner.ts")(
    "a sequence begins with the end of the last",
    'case "escape": this.state = byte === bracket ? "sequence" : byte === esc ? "escape" : "text"; this.length = 0; return undefined',
    'case "escape": this.state = byte === bracket ? "sequence" : byte === esc ? "escape" : "text"; return undefined',
    bySeed(3, "records"),
  ),
  inFile("core/process/marks/Marks.ts")(
    "a mark is told again",
    "mark.seq > seq",
    "mark.seq >= seq",
    bySeed(3, "records"),
  ),
  inFile("core/process/restart/Policy.ts")(
    "the pauses never begin anew",
    "before === 0 || ranMillis >= wellMillis",
    "before === 0",
    byTests("core/server/ExecServer.Restart.test.ts"),
  ),
  inFile("core/process/restart/RestartedChild.ts")(
    "the terminal of the next child has the size of the start",
    "kept.size = size",
    "void size",
    byTests("core/server/ExecServer.Restart.test.ts"),
  ),
  inFile("core/process/restart/Restarts.ts")(
    "a process that is ended in a pause never exits",
    "this.told?.finish(); this.hurry.unsafeOpen()",
    "this.hurry.unsafeOpen()",
    byTests("core/server/ExecServer.Restart.test.ts"),
  ),
  inFile("core/process/screen/Feed.ts")(
    "a picture that begins anew lacks its first output",
    "this.seq = seq - 1",
    "this.seq = seq",
    bySeed(1, "sessions,writers"),
  ),
  inFile("core/process/screen/Recall.ts")(
    "output that the history has dropped is passed over",
    "from: isKept ? from : first",
    "from",
  ),
  inFile("core/process/screen/Repaint.ts")(
    "a cursor that is hidden is painted",
    "(!cursor.visible)",
    "(cursor.visible)",
    byTests("adapters/shared/terminal/Repaint.test.ts"),
  ),
  inFile("core/process/screen/Screens.ts")(
    "a picture shows nothing of a flood that is gone before a terminal takes it in",
    "if (request.seq === undefined) yield* feed.some()",
    "yield* Effect.void",
  ),
  inFile("core/process/wait/EvidenceWatch.ts")(
    "a process is believed to ask before its question is read",
    "(last !== undefined && last === asked.seenAt)",
    "true",
  ),
  inFile("core/process/wait/OutputSearch.ts")(
    "a search is let go while others go on",
    "if (this.searches.size > 0) return",
    "",
    bySeed(2, "waits"),
  ),
  inFile("core/process/wait/Printed.ts")(
    "an exit counts as a gap",
    "event.seq < end",
    "event.seq > end",
    bySeed(5, "waits"),
  ),
  inFile("core/process/wait/StreamScan.ts")(
    "the first byte of a search is read twice",
    "for (const add of begun) add(); at = 1",
    "for (const add of begun) add()",
    bySeed(20, "waits"),
  ),
  inFile("core/process/wait/Wait.ts")(
    "the end of a process ends no wait",
    "isLate || this.shared.process.closed !== undefined",
    "isLate",
    bySeed(2, "waits"),
  ),
  inFile("core/process/wait/Waits.ts")(
    "new output is not searched",
    "this.search.advance(); this.look()",
    "this.look()",
    bySeed(2, "waits"),
  ),
]
