/** A command of the program: data, from which its help, completion and man page derive, and its effect. */
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type * as TextFile from "../host/TextFile.ts"
import type { Platform } from "../Platform.ts"
import * as Flags from "./Flags.ts"
import type * as ForwardedSignals from "./ForwardedSignals.ts"

export interface Spec {
  /** The word behind `procwire`. */
  readonly name: string
  /** One sentence without its period. */
  readonly summary: string
  /** The rest of the line: `[OPTIONS] NAME`. */
  readonly usage: string
  /** Without `--help`, which every command has. */
  readonly flags: Flags.FlagTable
  /** Further flags, with titles of their own, such as `Limits`. */
  readonly groups?: ReadonlyArray<{ readonly title: string; readonly flags: Flags.FlagTable }>
  /** The kind of its operands; absent where it takes none. */
  readonly operands?: Flags.Kind
  /** Paragraphs behind the flags. */
  readonly text?: string
  /** Whole command lines. */
  readonly examples: ReadonlyArray<string>
}

export interface Given<F extends Flags.FlagTable = Flags.FlagTable> extends Flags.Parsed<F> {
  /** Its name, which servers get. */
  readonly name: string
  readonly platform: Platform
  /** Completes with the first signal. */
  readonly asked: Effect.Effect<ForwardedSignals.Name>
}

/** The program of a command: it succeeds with the exit code, or with the signal of which this process dies. */
export type Run<F extends Flags.FlagTable = Flags.FlagTable> = (
  given: Given<F>,
) => Effect.Effect<number | ForwardedSignals.Name | void, unknown, TextFile.TextFiles | Scope.Scope>

/** A command. A signal ends it, and this process dies of that, unless it says otherwise. */
export interface Command extends Spec {
  readonly takesSignals?: boolean
  /** The command ends by itself when `asked` completes: the first signal completes it, the second interrupts. */
  readonly ends?: boolean
  /** The exit code is 0 when a signal has ended the command. */
  readonly endsWell?: boolean
  /** Reads the words behind the name, where that is more than to parse flags. */
  readonly parse?: Parse
  readonly run: Run
}

export type Parse = (
  args: ReadonlyArray<string>,
  flags: Flags.FlagTable,
) => Effect.Effect<Flags.Parsed<Flags.FlagTable>, Flags.UsageError>

export const make = <const F extends Flags.FlagTable>(
  command: Omit<Command, "flags" | "run"> & { readonly flags: F; readonly run: Run<F> },
): Command => command as unknown as Command

export const flagsOf = ({ flags, groups = [] }: Spec): Flags.FlagTable => ({
  ...flags,
  ...Flags.help,
  ...Object.fromEntries(groups.flatMap((group) => Object.entries(group.flags))),
})

/** Parses the words behind the name. A command without operands refuses a stray one. */
export const parse = (command: Spec & Pick<Command, "parse">, args: ReadonlyArray<string>) =>
  Effect.flatMap((command.parse ?? Flags.parse)(args, flagsOf(command)), (parsed) =>
    command.operands === undefined && parsed.operands[0] !== undefined
      ? Flags.wrong(`unexpected argument '${parsed.operands[0]}'`)
      : Effect.succeed(parsed),
  )
