/** Shapes of values on the wire: their types, readers, writers and documents. */
export * from "./Fields.ts"
export * from "./Shape.ts"
export * from "./Struct.ts"
export type { Options, Read, Reading } from "./Shape.ts"
