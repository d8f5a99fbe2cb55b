/**
 * Files for confined requests: this program once more, under bubblewrap, serves the calls to files over its stdio.
 *
 * There is one such server for each confinement and state of its places, used by all requests with that profile, and
 * ended a while after the last of them. What it may not reach does not exist for it: the system refuses, not this code.
 * If it cannot be started the request fails.
 */
import { statSync } from "node:fs"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as RcMap from "effect/RcMap"
import { FileError } from "../../../core/files/FileError.ts"
import { Files, type FilesService } from "../../../core/files/Files.ts"
import * as Reading from "../../../core/files/Reading.ts"
import { utf8Decoder } from "../../../core/protocol/Bytes.ts"
import type { ClientError } from "../../../core/client/ClientError.ts"
import * as ExecClient from "../../../core/client/ExecClient.ts"
import * as ErrorCode from "../../../core/protocol/ErrorCode.ts"
import type { Confinement } from "../../../core/protocol/Confinement.ts"
import * as CommandTransport from "../transport/CommandTransport.ts"
import * as Bubblewrap from "./Bubblewrap.ts"
import * as OwnProgram from "./OwnProgram.ts"
import * as RelayedFiles from "./RelayedFiles.ts"

/** Long enough for the requests of one piece of work, and short where folders come and go. */
const idle = "2 seconds"

/** More than any request that this server takes. */
const serving = ["serve", "--listen", "stdio", "--max-message-bytes", String(256 * 1024 * 1024)]

/** The files below, with `confined` if bubblewrap is there. */
export const layer = (named: string | undefined): Layer.Layer<Files, never, Files> =>
  Layer.scoped(
    Files,
    Effect.gen(function* () {
      const files = yield* Files
      const program = process.platform === "linux" ? Bubblewrap.find(named) : undefined
      if (program === undefined) return files
      const servers = yield* RcMap.make({
        lookup: (key: string) => start(files, program, (JSON.parse(key) as Key).confinement),
        idleTimeToLive: idle,
      })
      return {
        ...files,
        confined: (confinement) =>
          Effect.gen(function* () {
            const key = JSON.stringify({ confinement, state: stateOf(confinement) } satisfies Key)
            const client = yield* RcMap.get(servers, key)
            const gone = RcMap.invalidate(servers, key)
            return RelayedFiles.make(client, (error) =>
              Effect.zipRight(
                error.reason === "Server" ? Effect.void : gone,
                Effect.fail(toFileError(error)),
              ),
            )
          }),
      }
    }),
  )

interface Key {
  readonly confinement: Confinement
  readonly state: ReadonlyArray<string>
}

/** Which folders the places are now: another folder of the same name needs another server. */
const stateOf = ({ places }: Confinement): ReadonlyArray<string> =>
  places.map(({ path }) => {
    const found = statSync(path, { bigint: true, throwIfNoEntry: false })
    return found === undefined ? "" : `${found.dev}:${found.ino}`
  })

const start = (files: FilesService, program: string, confinement: Confinement) =>
  Effect.gen(function* () {
    // Deno lets nobody read this but with all permissions; these files ask libc.
    const maps = yield* Reading.readFile(files, "/proc/self/maps", true)
    const visible = confinement.places.some(({ path, access }) => path === "/" && access !== "none")
    const { argv, env, mounts } = yield* Effect.try({
      try: () => OwnProgram.make(visible, serving, utf8Decoder().decode(maps)),
      catch: cannot,
    })
    const rest = { cwd: "/", env, stdio: { kind: "pipe", stdin: true } } as const
    const spec = yield* Effect.mapError(Bubblewrap.wrap(program, argv, confinement, rest, mounts), cannot)
    const [command, ...args] = spec.argv
    const options = { command, args, cwd: spec.cwd, env: {}, stderr: "ignore" } as const
    return yield* Effect.flatMap(CommandTransport.connectCommand(options), ExecClient.make).pipe(
      Effect.mapError(cannot),
    )
  })

const cannot = (cause: unknown) =>
  new FileError({
    reason: "Unsupported",
    message: `restricted \`sandbox\` permissions cannot be kept here: ${cause instanceof Error ? cause.message : String(cause)}`,
    cause,
  })

const toFileError = ({ reason, code, message }: ClientError): FileError => {
  if (reason !== "Server") return cannot(message)
  if (code === ErrorCode.notFound) return new FileError({ reason: "NotFound", message })
  return new FileError({ reason: code === ErrorCode.invalidRequest ? "InvalidInput" : "Other", message })
}
