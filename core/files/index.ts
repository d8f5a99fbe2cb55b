export * as FileCalls from "./FileCalls.ts"
export * as FileError from "./FileError.ts"
export * as Files from "./Files.ts"
export * as UnconfinedCalls from "./UnconfinedCalls.ts"
