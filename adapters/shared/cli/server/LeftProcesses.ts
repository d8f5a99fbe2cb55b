/**
 * Processes that a holder has and no server: those of the server of one's own, and of `procwire serve --keep` without
 * `--keep-dir`. The next server there has them; until then they run, or wait with an exit code that is still unread.
 */
import process from "node:process"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type * as Scope from "effect/Scope"
import type { ListedProcess } from "../../../../core/client/Lists.ts"
import * as Note from "../../../../core/features/keep/Note.ts"
import type { Left } from "../../../../core/spawn/Keeper.ts"
import * as HolderLook from "../../keep/HolderLook.ts"
import type { Platform } from "../../Platform.ts"
import * as KeepFolder from "../../serve/KeepFolder.ts"
import * as OwnFolder from "./OwnFolder.ts"
import { type Unable, unable } from "./Unable.ts"

/** A process without a server. */
export interface LeftProcess extends ListedProcess {
  readonly left: true
  /** The folder by which servers find its holder. */
  readonly keepDir: string
}

/** A process without a server, and its end. */
export interface Found {
  readonly row: LeftProcess
  readonly end: Effect.Effect<void>
}

/** The folders by which the holders are found that are known of. */
export const folders = (): ReadonlySet<string> =>
  new Set([OwnFolder.keepPath(process.env), KeepFolder.usual(process.env)])

/** Those of all holders that are known of, in the order of their starts. No server can use a holder meanwhile. */
export const find = (platform: Platform): Effect.Effect<ReadonlyArray<Found>, Unable, Scope.Scope> =>
  Effect.gen(function* () {
    const all = yield* Effect.forEach(folders(), (folder) =>
      Effect.map(HolderLook.left({ folder, openFfi: platform.openFfi }), (lefts) =>
        lefts.map((left): Found => ({ row: rowOf(left, folder), end: left.end })),
      ),
    )
    return all.flat()
  }).pipe(Effect.mapError(({ message }) => unable(message)))

const rowOf = ({ about, endedAtMs, size }: Left, keepDir: string): LeftProcess => {
  const note = Note.read(about)
  const { params, startedAtMs = 0 } = Result.isSuccess(note) ? note.success : {}
  const state = endedAtMs === undefined ? "running" : "closed"
  return {
    processId: params?.processId ?? "?",
    session: 0,
    attached: false,
    name: params?.name ?? undefined,
    labels: params?.labels ?? {},
    argv: params?.argv ?? [],
    cwd: params?.cwd ?? "",
    tty: size !== undefined,
    startedAtMs,
    state,
    exitCode: null,
    bytes: 0,
    left: true,
    keepDir,
    ...(endedAtMs === undefined ? {} : { endedAtMs }),
  } as unknown as LeftProcess
}
