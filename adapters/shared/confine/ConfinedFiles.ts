/**
 * Files for confined requests: the program `procwire` is started under bubblewrap, and serves the calls over stdio.
 *
 * There is one such server per confinement and state of its places. All requests with that profile share it, and it
 * ends a while after the last of them. What it may not reach does not exist for it: the kernel refuses, not this
 * code. If it cannot be started the request fails.
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
import * as Wrapped from "./Wrapped.ts"

/** A server ends this long after its last request: long enough for requests that belong together. */
const idle = "2 seconds"

/** Only a hang reaches this deadline of a start: a starved machine takes its time. */
const longest = "60 seconds"

/** The limit for a message is larger than any that this server accepts. */
const serving = ["serve", "--listen", "stdio", "--max-message-bytes", String(256 * 1024 * 1024)]

/**
 * Adds `confined` to the inner files, if bubblewrap is installed. `named` is its path, else it is looked up.
 * `isCommand` is true if this process is the program `procwire`.
 */
export const layer = (named: string | undefined, isCommand: boolean): Layer.Layer<Files, never, Files> =>
  Layer.scoped(
    Files,
    Effect.gen(function* () {
      const files = yield* Files
      const program = process.platform === "linux" ? Bubblewrap.find(named) : undefined
      const own = OwnProgram.find(isCommand)
      if (program === undefined || own === undefined) return files
      const servers = yield* RcMap.make({
        lookup: (key: string) => start(files, program, own, (JSON.parse(key) as Key).confinement),
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

/** The identity of each place: if a folder is replaced by another of the same name, a new server is needed. */
const stateOf = ({ places }: Confinement): ReadonlyArray<string> =>
  places.map(({ path }) => {
    const found = statSync(path, { bigint: true, throwIfNoEntry: false })
    return found === undefined ? "" : `${found.dev}:${found.ino}`
  })

const start = (files: FilesService, program: string, own: OwnProgram.Command, confinement: Confinement) =>
  Effect.gen(function* () {
    // Deno's own calls read this only with all permissions; these files go through libc.
    const maps = yield* Reading.readFile(files, "/proc/self/maps", true)
    const visible = confinement.places.some(({ path, access }) => path === "/" && access !== "none")
    const { argv, env, mounts } = yield* Effect.try({
      try: () => OwnProgram.make(own, visible, serving, utf8Decoder().decode(maps)),
      catch: cannot,
    })
    const rest = { cwd: "/", env, stdio: { kind: "pipe", stdin: true } } as const
    const spec = yield* Effect.mapError(Wrapped.wrap(program, argv, confinement, rest, mounts), cannot)
    const [command, ...args] = spec.argv
    const options = { command, args, cwd: spec.cwd, env: {}, stderr: "ignore" } as const
    return yield* CommandTransport.connectCommand(options).pipe(
      Effect.flatMap((transport) => ExecClient.make(transport, { initializeTimeout: longest })),
      Effect.mapError(cannot),
    )
  })

const cannot = (cause: unknown) =>
  new FileError({
    reason: "Unsupported",
    message: `restricted \`sandbox\` permissions cannot be kept here: ${messageOf(cause)}`,
    cause,
  })

const messageOf = (cause: unknown) => (cause instanceof Error ? cause.message : String(cause))

const toFileError = ({ reason, code, message }: ClientError): FileError => {
  if (reason !== "Server") return cannot(message)
  if (code === ErrorCode.notFound) return new FileError({ reason: "NotFound", message })
  return new FileError({ reason: code === ErrorCode.invalidRequest ? "InvalidInput" : "Other", message })
}
