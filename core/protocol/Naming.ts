/** What a client may call its processes, for lists. Needs the capability `processList`. */
import * as Schema from "effect/Schema"
import { beyond } from "./Fields.ts"
import { lazy } from "./Lazy.ts"

/** The most characters of a name or of the key of a label, and of the value of a label, and the most labels. */
export const most = { name: 256, value: 1024, labels: 64 } as const

/** What a process is labelled with. */
export const Labels = lazy(() => Schema.Record({ key: Schema.String, value: Schema.String }))

/**
 * Fields of a start. A name need not be unique. Names and keys have 1 to 256 characters, values at most 1,024; a
 * process has at most 64 labels.
 */
export const Naming = lazy(() => ({
  /** A name for lists, of 1 to 256 characters; need not be unique. */
  name: beyond(Schema.String),
  labels: beyond(Labels),
}))
