/**
 * Errors about a process in the words of a user: its name, and flags. Those of clients and servers are for programs,
 * with ids and the names of methods and options.
 */
import * as Effect from "effect/Effect"
import { ClientError } from "../../../../core/client/ClientError.ts"
import type { ListedProcess } from "../../../../core/client/Lists.ts"
import { features } from "../features/Features.ts"
import { type Unable, unable } from "../server/Unable.ts"

type Named = Pick<ListedProcess, "processId">

/** Makes the errors of `effect`, which is about a process that the user has called `ref`, errors of that name. */
export const about =
  (ref: string, row: Named) =>
  <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E | Unable, R> =>
    Effect.mapError(effect, (error) =>
      error instanceof ClientError ? unable(inWords(error, ref, row)) : error,
    )

export const inWords = (
  { message, reason, serverMessage = message }: Pick<ClientError, "message" | "reason" | "serverMessage">,
  ref: string,
  { processId }: Named,
): string => {
  for (const [pattern, words] of [...known, ...errors]) if (pattern.test(serverMessage)) return words(ref)
  if (reason === "UnknownProcess") return gone(ref)
  return withRef(message, ref, processId)
}

const gone = (ref: string): string => `${ref} is no longer there; procwire ps -a lists what is`

/** Texts of clients and servers, most of which name a method or an option, and the words for users. */
const known: ReadonlyArray<readonly [said: RegExp, words: (ref: string) => string]> = [
  [
    /has no stdin to write to/,
    (ref) => `${ref} has no stdin to write to: it was closed, or the start had no -i and no -t`,
  ],
  [/has exited, and takes no input/, (ref) => `${ref} has ended, and takes no input any more`],
  [/^failed to write to process stdin$/, (ref) => `${ref} takes no input any more`],
  [
    /is written to by another client: take the role/,
    (ref) => `another client writes to ${ref}; look on with --read-only, or write with --take`,
  ],
  [/is written to by another client/, (ref) => `another client has begun to write to ${ref} meanwhile`],
  [/is attached as a viewer/, (ref) => `${ref} was attached with --read-only, and takes nothing`],
  [/is ending: wait until/, (ref) => `${ref} is ending: procwire wait ${ref} waits for that`],
  [
    /has no history: /,
    (ref) => `${ref} has no history; a server keeps output with --history-bytes, as that of procwire up does`,
  ],
  [/^unknown process id |^there is no process /, gone],
]

const errors = features.flatMap((feature) => feature.errors ?? [])

/** Ids of processes and of attachments (`@name-1`) are replaced by the name. */
const withRef = (message: string, ref: string, processId: string): string =>
  message
    .replaceAll(/^until\[\d+\]: /g, "")
    .replaceAll(/\b(?:the )?(?:process|session for process) (@[^\s:,;]+)/g, ref)
    .replaceAll(`process ${processId}`, ref)
