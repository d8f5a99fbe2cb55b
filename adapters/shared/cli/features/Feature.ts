/** A feature of a server as commands show it: all that it adds to them is one value, and one line in `Features`. */
import type * as Effect from "effect/Effect"
import type { ListedProcess } from "../../../../core/client/Lists.ts"
import type { Exited } from "../../../../core/client/ProcessEvent.ts"
import type { StartOptions } from "../../../../core/client/StartOptions.ts"
import type { EnvironmentInfo } from "../../../../core/protocol/Environment.ts"
import type * as Flags from "../Flags.ts"
import type { Unable } from "../server/Unable.ts"
import type { Seen } from "../show/Rows.ts"
import type { Column } from "../show/Table.ts"

/** The rest of a command line of `run`. */
export interface Run {
  readonly detach: boolean
  readonly tty: boolean
}

/** Options for a start on a server with these capabilities; fails for a server that lacks the feature. */
export type ToOptions = (
  capabilities: NonNullable<EnvironmentInfo["capabilities"]>,
) => Effect.Effect<Partial<StartOptions>, Unable>

export interface Feature<F extends Flags.FlagTable = Flags.FlagTable> {
  readonly flags: F
  readonly examples?: ReadonlyArray<string>
  readonly read: (values: Flags.Values<F>, run: Run) => Effect.Effect<ToOptions, Flags.UsageError>
  /** The line on stderr for a command that the feature has ended. */
  readonly notice?: (exited: Exited, start: StartOptions) => string | undefined
  /** Columns of `ps`, in front of the output, and their sentence in its help. */
  readonly columns?: (rows: ReadonlyArray<Seen>, now: number) => ReadonlyArray<Column<Seen>>
  readonly columnsHelp?: string
  readonly facts?: (row: ListedProcess) => object
  /** Changes of processes that only it makes, by their kind. */
  readonly changes?: Readonly<Record<string, Shown>>
  readonly errors?: ReadonlyArray<readonly [said: RegExp, words: (ref: string) => string]>
}

export interface Shown {
  readonly text: (row: ListedProcess) => string
  /** True if a process that was listed has changed already. */
  readonly isIn: (listed: ListedProcess, changed: ListedProcess) => boolean
}

export const make = <const F extends Flags.FlagTable>(feature: Feature<F>): Feature =>
  feature as unknown as Feature
