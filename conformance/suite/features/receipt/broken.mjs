// @ts-check
// Servers that are wrong in receipts.
import { createHash } from "node:crypto"
import { all, bytesOf, event, fault, mapped, receipts } from "../../../lab/faults/wire/changes.mjs"

/** @import { WireFault } from "../../../lab/faults/wire/changes.mjs" */
/** @import { Message } from "../../../lab/faults/wire/relay.mjs" */

/**
 * Receipts, with what was sent of each stream so far.
 * @param {(found: any, bytes: Buffer) => any} add
 * @param {(stream: Message, found: any) => Message} change
 */
const accounts = (add, change) => {
  const changed = receipts((receipt, known) => ({
    ...receipt,
    streams: mapped(receipt.streams, (stream, name) => change(stream, known[name])),
  }))
  const told = event("process/output", (output, known) => {
    known[output.stream] = add(known[output.stream], bytesOf(output.chunk))
    return output
  })
  return all(changed, told)
}

/** @type {readonly WireFault[]} */
export const broken = [
  fault`receipt-in-seconds: The times of a receipt are in seconds.
    process/receipt/has-its-times`.receipts(({ startedAtMs, endedAtMs, ...receipt }) => ({
    ...receipt,
    startedAtMs: Math.round(startedAtMs / 1000),
    endedAtMs: Math.round(endedAtMs / 1000),
  })),
  fault`receipt-of-what-is-kept: A receipt is of what was kept alone: bytes that nobody got are not in it.
    process/receipt/counts-what-nobody-got`.receipts((receipt) => ({
    ...receipt,
    streams: mapped(receipt.streams, (stream) => ({
      ...stream,
      bytes: stream.bytes - stream.unreadBytes,
      unreadBytes: 0,
    })),
  })),
  fault`receipt-of-wrong-hash: A receipt has the hash of the output as text: bytes that are no UTF-8 are replaced.
    process/receipt/of-what-was-written`.by(
    accounts(
      (hash = createHash("sha256"), bytes) => hash.update(bytes.toString("utf8")),
      (stream, hash = createHash("sha256")) => ({ ...stream, sha256: hash.copy().digest("hex") }),
    ),
  ),
  fault`receipt-unasked: Every process closes with a receipt.
    process/receipt/only-when-asked`.params("process/start", (asked) => ({ ...asked, receipt: true })),
  fault`receipt-without-a-cause: A process that was terminated is told to have died of a signal.
    process/receipt/says-who-ended-it`.receipts((receipt) =>
    receipt.endedBy === "terminate" ? { ...receipt, endedBy: "signal" } : receipt,
  ),
]
