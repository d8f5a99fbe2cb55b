// @ts-check
// Mutations of waits: of patterns, of conditions, and of the evidence of the kernel.
import { elsewhere, one } from "./mutation.mjs"

/** @param {string} file @param {string} find @param {string} replace @param {string} says @param {string[]} cases */
const wait = (file, find, replace, says, ...cases) =>
  elsewhere(one(file, find, replace, says, ...cases), "core/process/wait/Waits.test.ts")
/** @param {string} file @param {string} find @param {string} replace @param {string} says @param {string[]} cases */
const evidence = (file, find, replace, says, ...cases) =>
  elsewhere(
    one(`adapters/shared/process/evidence/${file}`, find, replace, says, ...cases),
    "adapters/shared/integration/WaitEvidence.test.ts",
  )

export const waits = [
  one(
    "core/pattern/Program.ts",
    "before(none | lineEnd, next)",
    "before(none, next)",
    "^ with the flag m is the begin of the text",
    "process/wait/knows-flags",
  ),
  one(
    "core/pattern/ByteSequences.ts",
    "endsHigh ? to : to - 1",
    "to - 1",
    "a range of characters lacks some of its end",
  ),
  wait(
    "core/process/wait/StreamScan.ts",
    "      at = 1\n",
    "",
    "the first byte of a text is read twice",
    "process/wait/finds-text-over-chunks",
  ),
  wait(
    "core/process/wait/EvidenceWatch.ts",
    "(last !== undefined && last === asked.seenAt)",
    "true",
    "a process is believed to ask before its question is read",
  ),
  wait(
    "core/process/wait/StreamScan.ts",
    "{ at: { seq: search.afterSeq, offset: 0 }, ahead",
    "{ at: this.place ?? { seq: search.afterSeq, offset: 0 }, ahead",
    "the empty end of a text is placed before the seq of its wait",
  ),
  wait(
    "core/process/wait/OutputSearch.ts",
    "if (begun) scan?.add(search, state, place)\n    else scan",
    "scan",
    "what a search has read before is forgotten",
    "process/wait/finds-text-over-chunks",
  ),
  wait(
    "core/process/wait/Wait.ts",
    "Math.max(this.begunAt, this.shared.lastOutputAt)",
    "this.shared.lastOutputAt",
    "silence counts from the last output, before the wait",
    "process/wait/is-quiet-no-sooner",
  ),
  wait(
    "core/process/wait/Wait.ts",
    "if (isLate || this.shared.process.closed !== undefined)",
    "if (isLate)",
    "the end of a process ends no wait",
    "process/wait/ends-with-the-process",
  ),
  wait(
    "core/process/wait/Printed.ts",
    "Math.ceil(maxBytes / 2)",
    "maxBytes",
    "an answer has no tail",
    "process/wait/returns-head-and-tail",
  ),
  evidence("LinuxEvidence.ts", "|| !modes.newlines ||", "||", "vim asks for input"),
  evidence(
    "LinuxEvidence.ts",
    "|| hasUnread(host, path))",
    ")",
    "a question is told before its text has come",
  ),
  evidence(
    "LinuxEvidence.ts",
    'targets.some((target) => target.startsWith("socket:"))',
    "targets.length === 0",
    "a server that also reads its terminal asks for input",
  ),
  evidence(
    "LinuxEvidence.ts",
    "({ group }) => group === foreground",
    "() => true",
    "the background asks for input",
  ),
  evidence(
    "Sockets.ts",
    'if (bound === name || bound === "::") return true',
    "return true",
    "every address is reached",
  ),
]
