/** What a client may call its processes, for lists. Needs the capability `processList`. */
import * as Shape from "./shape/index.ts"

/** The most characters of a name or of the key of a label, and of the value of a label, and the most labels. */
export const most = { name: 256, value: 1024, labels: 64 } as const

/** What a process is labelled with. */
export const Labels = Shape.map(Shape.string)

/**
 * Fields of a start. A name need not be unique. Names and keys have 1 to 256 characters, values at most 1,024; a
 * process has at most 64 labels.
 */
export const Naming = {
  /** A name for lists, of 1 to 256 characters; need not be unique. */
  name: Shape.beyond(Shape.string, "processList"),
  labels: Shape.beyond(Labels, "processList"),
}
