/** Recordings of terminals in the format of asciinema. */
export { CastError } from "./Cast.ts"
export type { Cast, CastReason, Event, Header } from "./Cast.ts"
export { read } from "./CastReader.ts"
export { CastWriter } from "./CastWriter.ts"
export { lines, live } from "./Recording.ts"
export type { LiveOptions, RecordingOptions } from "./Recording.ts"
