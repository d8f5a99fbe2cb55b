/**
 * Files for confined requests: the program `procwire` is started under bubblewrap, and serves the calls over stdio.
 *
 * There is one such server per confinement and state of its places. All requests with that profile share it, and it
 * ends a while after the last of them. Forbidden paths do not exist for it: the kernel refuses, not this
 * code. If it cannot be started the request fails. The code of the client is loaded with the first such request.
 */
import { statSync } from "node:fs"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as RcMap from "effect/RcMap"
import { FileError } from "../../../core/files/FileError.ts"
import { Files } from "../../../core/files/Files.ts"
import type { Confinement } from "../../../core/protocol/Confinement.ts"
import * as Bubblewrap from "./Bubblewrap.ts"
import * as OwnProgram from "./OwnProgram.ts"

/** A server ends this long after its last request: long enough for requests that belong together. */
const idle = "2 seconds"

/**
 * Adds `confined` to the inner files, if bubblewrap is installed. `named` is its path, else it is looked up.
 * `isCommand` is true if this process is the program `procwire`.
 */
export const layer = (named: string | undefined, isCommand: boolean): Layer.Layer<Files, never, Files> =>
  Layer.effect(
    Files,
    Effect.gen(function* () {
      const files = yield* Files
      const program = process.platform === "linux" ? Bubblewrap.find(named) : undefined
      const own = OwnProgram.find(isCommand)
      if (program === undefined || own === undefined) return files
      const servers = yield* RcMap.make({
        lookup: (key: string) =>
          Effect.flatMap(load, (server) =>
            server.start(files, program, own, (JSON.parse(key) as Key).confinement),
          ),
        idleTimeToLive: idle,
      })
      return {
        ...files,
        confined: (confinement) =>
          Effect.gen(function* () {
            const key = JSON.stringify({ confinement, state: stateOf(confinement) } satisfies Key)
            const client = yield* RcMap.get(servers, key)
            return (yield* load).filesOf(client, RcMap.invalidate(servers, key))
          }),
      }
    }),
  )

const load = Effect.tryPromise({ try: () => import("./ConfinedServer.ts"), catch: (error) => cannot(error) })

interface Key {
  readonly confinement: Confinement
  readonly state: ReadonlyArray<string>
}

/** The identity of each place: if a folder is replaced by another of the same name, a new server is needed. */
const stateOf = ({ places }: Confinement): ReadonlyArray<string> =>
  places.map(({ path }) => {
    const found = statSync(path, { bigint: true, throwIfNoEntry: false })
    return found === undefined ? "" : `${found.dev}:${found.ino}`
  })

/** The error of a request whose confinement cannot be kept. */
export const cannot = (cause: unknown) =>
  new FileError({
    reason: "Unsupported",
    message: `restricted \`sandbox\` permissions cannot be kept here: ${messageOf(cause)}`,
    cause,
  })

const messageOf = (cause: unknown) => (cause instanceof Error ? cause.message : String(cause))
