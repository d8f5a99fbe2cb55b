/** Registers the directory suite with vitest. */
import { register, type SuiteOptions } from "../seam/SeamVitest.ts"
import { subject, type Make } from "./DirectoryContext.ts"
import { cases } from "./cases/index.ts"

export type { SuiteOptions } from "../seam/SeamVitest.ts"

/** Registers a test for each case, on directories made by `make`. */
export const suite = (name: string, make: Make, options: SuiteOptions = {}): void =>
  register(name, cases, async () => ({ ...subject(make), close: async () => {} }), options)
