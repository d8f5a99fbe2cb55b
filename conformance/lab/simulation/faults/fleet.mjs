// @ts-check
// Faults of the directory. The fleets of `fleet` find them, which are not played otherwise.
import { faultIn, fleet as played } from "./fault.mjs"

/** @import { Fault } from "./fault.mjs" */

const book = faultIn("core/directory/Book.ts", played)
const hosts = faultIn("core/directory/HostBook.ts", played)
const sessions = faultIn("core/directory/SessionBook.ts", played)

/** @type {readonly Fault[]} */
export const fleets = [
  book("Math.min(stepMillis, ", "Math.max(0, ", "time counts while the directory is away"),
  book("Math.max(0, host.used - 1)", "host.used", "a place is not given back"),
  hosts("row.version <= upTo && ", "", "a late announcement ends what was confirmed since"),
  hosts(
    'close(book, session, "host restarted", settings)',
    "void session",
    "a restart leaves old sessions alive",
  ),
  hosts(
    'if (row.state === "running" || book.time < row.until) continue',
    'if (row.state !== "ended" || book.time < row.until) continue',
    "a claim that nobody confirms stays",
  ),
  hosts("if (key.epoch < known.epoch) return", "if (key.epoch < 0) return", "an older epoch is heard"),
  sessions("key.fence !== row.fence", "key.fence < 0", "late words about a session are heard"),
  sessions(">= quota)", "> quota)", "a quota is exceeded by one"),
]
