/**
 * Choosing cases: by level, and by ids or globs, where `*` stands for anything within a step and `**` for anything.
 *
 * A trailing step may be left out: `process/read` means `process/read/**`.
 */
import type { Case, Level } from "./Case.ts"

/** How far down a run goes: `must` alone, `should` with it, or `all`. */
export type Depth = "must" | "should" | "all"

const levels: { readonly [depth in Depth]: ReadonlyArray<Level> } = {
  must: ["must"],
  should: ["must", "should"],
  all: ["must", "should", "peer"],
}

const pattern = (glob: string): RegExp => {
  const body = glob
    .replace(/\/+$/, "")
    .replace(/[.+^${}()|[\]\\]/g, "\\$&")
    .replace(/\*\*|\*|\?/g, (sign) => (sign === "**" ? ".*" : sign === "*" ? "[^/]*" : "[^/]"))
  return new RegExp(`^${body}(/.*)?$`)
}

export interface Selection {
  readonly cases: ReadonlyArray<Case>
  /** Globs that fit no case at all. */
  readonly unknown: ReadonlyArray<string>
}

export const select = (cases: ReadonlyArray<Case>, globs: ReadonlyArray<string>, depth: Depth): Selection => {
  const patterns = globs.map((glob) => ({ glob, pattern: pattern(glob) }))
  const fits = (item: Case): boolean =>
    patterns.length === 0 || patterns.some((one) => one.pattern.test(item.id))
  return {
    cases: cases.filter((item) => levels[depth].includes(item.level) && fits(item)),
    unknown: patterns
      .filter((one) => !cases.some((item) => one.pattern.test(item.id)))
      .map(({ glob }) => glob),
  }
}
