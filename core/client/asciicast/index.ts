/** Recordings of terminals in the format of asciinema. */
export { CastError } from "./Cast.ts"
export type { Cast, CastReason, Event, Header } from "./Cast.ts"
export { read } from "./Cast.ts"
export { CastWriter } from "./Cast.ts"
export { lines, live } from "./Recording.ts"
export type { LiveOptions, RecordingOptions } from "./Recording.ts"
