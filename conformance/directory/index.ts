/** The directory suite: its cases, a plain runner, and its vitest form, which needs vitest. */
export * as DirectoryContext from "./DirectoryContext.ts"
export * as DirectoryRunner from "./DirectoryRunner.ts"
export * as DirectorySuite from "./DirectorySuite.ts"
export { cases } from "./cases/index.ts"
