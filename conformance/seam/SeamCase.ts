/**
 * A case about a seam (a spawner, a transport) is data, as a case of the wire suite is: a stable id, a level,
 * what it needs, one sentence for the author, and a function that plays it.
 *
 * Ids are paths and never change their meaning. A case that lists no need runs on everything.
 */
import * as Glob from "../suite/Glob.ts"

/** `must`: the core relies on it. `should`: quality that not every host permits. */
export type Level = "must" | "should"

/** One case. `Need` is what it may require, `Context` what it works with. */
export interface SeamCase<Need extends string, Context> {
  /** A stable path below the name of the suite, for example `spawner/output/in-order`. */
  readonly id: string
  /** The weight of a failure. */
  readonly level: Level
  /** The needs without which the case is skipped. */
  readonly requires: ReadonlyArray<Need>
  /** The duty of a seam, in one sentence. */
  readonly says: string
  /** The case counts what the whole process holds, so no other case may run meanwhile. */
  readonly alone: boolean
  /** Fails by throwing, best with the functions of `Check`. */
  readonly run: (t: Context) => Promise<void>
}

/** A case as it is written down. */
export type CaseSpec<Need extends string, Context> = Pick<SeamCase<Need, Context>, "says" | "run"> &
  Partial<Pick<SeamCase<Need, Context>, "level" | "requires" | "alone">>

/** Cases that fail on a subject, each with the reason why. One that passes is stale. */
export type Known = { readonly [id: string]: string }

/** The cases of a run: ids or globs (`*` within a step, `**` for anything), and how deep. */
export interface Choice {
  /** Ids or globs to take; everything by default. */
  readonly only?: ReadonlyArray<string>
  /** Ids or globs to leave out; as an object, each with the reason why. */
  readonly except?: ReadonlyArray<string> | { readonly [glob: string]: string }
  /** `must` leaves out the others. */
  readonly depth?: Level
}

/** Cases by the last step of their paths. */
export interface Specs<Need extends string, Context> {
  readonly [name: string]: CaseSpec<Need, Context>
}

/** Completes a table of cases, all below one path, which may share some facts. A sentence may go over several lines. */
export const table = <Need extends string, Context>(
  prefix: string,
  ...given:
    | readonly [specs: Specs<Need, Context>]
    | readonly [shared: Partial<CaseSpec<Need, Context>>, specs: Specs<Need, Context>]
): ReadonlyArray<SeamCase<Need, Context>> => {
  const [shared, specs] = given.length === 1 ? [{}, given[0]] : given
  return Object.entries(specs).map(([name, spec]) => ({
    level: "must",
    requires: [],
    alone: false,
    ...shared,
    ...spec,
    says: spec.says.replaceAll(/\s+/g, " "),
    id: `${prefix}/${name}`,
  }))
}

/** The chosen cases, and the globs that match none at all. */
export const select = <Need extends string, Context>(
  cases: ReadonlyArray<SeamCase<Need, Context>>,
  { only = [], except = [], depth = "should" }: Choice,
): {
  readonly cases: ReadonlyArray<SeamCase<Need, Context>>
  readonly unknown: ReadonlyArray<string>
} => {
  const left = Array.isArray(except) ? (except as ReadonlyArray<string>) : Object.keys(except)
  const [wanted, unwanted] = [Glob.make(only), Glob.make(left)]
  const ids = cases.map(({ id }) => id)
  return {
    cases: cases.filter(
      ({ id, level }) =>
        (depth === "should" || level === "must") &&
        (only.length === 0 || wanted.match(id)) &&
        !unwanted.match(id),
    ),
    unknown: [...wanted.unmatched(ids), ...unwanted.unmatched(ids)],
  }
}

/** The list of cases in Markdown, for READMEs, in lines of at most 120 columns. */
export const listing = (
  cases: ReadonlyArray<{
    readonly id: string
    readonly level: Level
    readonly requires: ReadonlyArray<string>
    readonly says: string
  }>,
): string =>
  cases
    .map(({ id, level, requires, says }) => `- \`${id}\` (${[level, ...requires].join(", ")}): ${says}`)
    .map((item) => item.replaceAll(/(.{1,118})(?: |$)/g, "$1\n  ").trimEnd())
    .join("\n")
