/**
 * Globs over case ids: `*` stands for anything within a step, `**` for anything, `?` for one character.
 *
 * Trailing steps may be left out: `process/read` means `process/read/**`, too.
 */

const pattern = (glob: string): RegExp => {
  const body = glob
    .replace(/\/+$/, "")
    .replace(/[.+^${}()|[\]\\]/g, "\\$&")
    .replace(/\*\*|\*|\?/g, (sign) => (sign === "**" ? ".*" : sign === "*" ? "[^/]*" : "[^/]"))
  return new RegExp(`^${body}(/.*)?$`)
}

export interface Globs {
  readonly match: (id: string) => boolean
  /** The globs that match none of these ids. */
  readonly unmatched: (ids: ReadonlyArray<string>) => ReadonlyArray<string>
}

export const make = (globs: ReadonlyArray<string>): Globs => {
  const compiled = globs.map((glob) => ({ glob, pattern: pattern(glob) }))
  return {
    match: (id) => compiled.some((one) => one.pattern.test(id)),
    unmatched: (ids) =>
      compiled.filter((one) => !ids.some((id) => one.pattern.test(id))).map(({ glob }) => glob),
  }
}
