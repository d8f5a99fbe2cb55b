/** A command of the program as data: its flags, its help, its completion and its man page derive from it. */
import type { Flag } from "../Flags.ts"

/**
 * What a value or an operand is, for completion: a name of a kind, or one of these words. `command` is a program, with
 * its arguments behind it.
 */
export type Kind = "process" | "context" | "host" | "file" | "directory" | "command" | ReadonlyArray<string>

/** A flag, with what a user reads of it. */
export interface FlagSpec extends Flag {
  /** What stands for its value: `DIR`. A switch has none. */
  readonly shows?: string
  /** What it does, without a period. */
  readonly help: string
  /** What its value is. */
  readonly completes?: Kind
}

/** Flags by their long names, without the dashes. */
export type FlagSpecs = Readonly<Record<string, FlagSpec>>

/** Flags below a title of the help. */
export interface Group {
  /** Such as `Limits`. */
  readonly title: string
  /** In the order of the help. */
  readonly flags: FlagSpecs
}

/** A command. */
export interface Spec {
  /** What follows `procwire`. */
  readonly name: string
  /** What it does, in one sentence without its period. */
  readonly summary: string
  /** What follows the name: `[OPTIONS] NAME`. */
  readonly usage: string
  /** Without `--help`, which every command has. */
  readonly flags: FlagSpecs
  /** Further flags, with titles of their own. */
  readonly groups?: ReadonlyArray<Group>
  /** What its operands are. */
  readonly operands?: Kind
  /** Paragraphs behind the flags. */
  readonly text?: string
  /** Whole command lines. */
  readonly examples: ReadonlyArray<string>
}

/** The flag of every command. */
export const help = {
  help: { type: "boolean", short: "h", help: "show this text" },
} as const satisfies FlagSpecs

/** Every flag of a command. */
export const flagsOf = ({ flags, groups = [] }: Spec): FlagSpecs => ({
  ...flags,
  ...help,
  ...Object.fromEntries(groups.flatMap((group) => Object.entries(group.flags))),
})
