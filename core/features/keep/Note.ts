/** The note of a child for the next server: all that its process is made from again. */
import * as Result from "effect/Result"
import { StartParams } from "../../protocol/Process.ts"
import * as Shape from "../../protocol/shape/index.ts"
import type { Outlet } from "../../spawn/Egress.ts"
import type { SpawnSpec } from "../../spawn/Spawner.ts"

/** The number of this form. A server leaves a child with a greater one alone. */
export const version = 1

/** The note of a child. */
export interface Note {
  /** The id of its session. */
  readonly session: string
  /** The params of its start. */
  readonly params: StartParams
  /** The process that they stood for. */
  readonly spec: SpawnSpec
  /** When its start was asked for, in milliseconds since 1970. */
  readonly startedAtMs: number
  /** The folder of its output beside the log; absent if it is not kept. */
  readonly place?: string | undefined
  /** The place of its proxy; absent without one. */
  readonly outlet?: Outlet | undefined
}

/** The text of a note. */
export const toText = ({ params, ...rest }: Note): string =>
  JSON.stringify({ version, ...rest, params: Shape.encode(StartParams, params) })

/** Reads a note; the failure says what is wrong with it. */
export const read = (text: string): Result.Result<Note, string> =>
  Result.gen(function* () {
    const json: unknown = yield* Result.try({
      try: () => JSON.parse(text),
      catch: () => "its note is no JSON",
    })
    const { version: found, params, ...rest } = Object(json) as Note & { readonly version: number }
    if (found > version)
      return yield* Result.fail(`its note has the form ${found}, and this server reads up to ${version}`)
    return { ...rest, params: yield* Shape.decode(StartParams, params) }
  })
