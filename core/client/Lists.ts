/** The lists of a server, page after page. */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import type { ListedProcess, ListedSession, State } from "../protocol/List.ts"
import type { Call } from "./Calls.ts"
import type { ClientError } from "./ClientError.ts"
import * as OptionNames from "./OptionNames.ts"

export type { ListedProcess, ListedSession, State } from "../protocol/List.ts"

/** Options of `listSessions`. */
export interface ListSessionsOptions {
  /** Only the own session, or all of the server, which needs the capability `processListAll`. Default: `own`. */
  readonly sessions?: "own" | "all"
}

/** Options of `list`: only processes that have all of what is given. */
export interface ListOptions extends ListSessionsOptions {
  /** Processes of this name. Default: of any, or none. */
  readonly name?: string
  /** Processes with these labels, and perhaps others. Default: with any. */
  readonly labels?: Readonly<Record<string, string>>
  /** Processes in one of these states: `starting`, `running`, `exited`, `closed`. Default: in any. */
  readonly states?: ReadonlyArray<State>
}

const sessionsNames = { sessions: true } satisfies OptionNames.Names<ListSessionsOptions>

const names = {
  ...sessionsNames,
  name: true,
  labels: true,
  states: true,
} satisfies OptionNames.Names<ListOptions>

/** The processes of a server. */
export const processes = (call: Call, options?: ListOptions): Stream.Stream<ListedProcess, ClientError> =>
  paged((cursor) =>
    OptionNames.checked("list", names, (given: ListOptions) =>
      Effect.map(call("process/list", { ...given, cursor }), ({ processes, nextCursor }) => ({
        rows: processes,
        next: nextCursor,
      })),
    )(options),
  )

/** The sessions of a server. */
export const sessions = (
  call: Call,
  options?: ListSessionsOptions,
): Stream.Stream<ListedSession, ClientError> =>
  paged((cursor) =>
    OptionNames.checked("listSessions", sessionsNames, (given: ListSessionsOptions) =>
      Effect.map(call("session/list", { ...given, cursor }), ({ sessions, nextCursor }) => ({
        rows: sessions,
        next: nextCursor,
      })),
    )(options),
  )

/** One page, and the cursor of the page behind it; null behind the last. */
interface Page<Row> {
  readonly rows: ReadonlyArray<Row>
  readonly next: string | null
}

/** The rows of all pages; a page is asked for when the rows before it are taken. */
const paged = <Row>(
  page: (cursor: string | null) => Effect.Effect<Page<Row>, ClientError>,
): Stream.Stream<Row, ClientError> =>
  Stream.paginate(null as string | null, (cursor) =>
    Effect.map(page(cursor), ({ rows, next }) => [rows, Option.fromNullOr(next)] as const),
  )
