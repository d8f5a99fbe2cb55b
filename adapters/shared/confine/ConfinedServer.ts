/** The server for one confinement: the program `procwire` under bubblewrap, over stdio, and its files. */
import * as Effect from "effect/Effect"
import type { ClientError } from "../../../core/client/ClientError.ts"
import * as ExecClient from "../../../core/client/ExecClient.ts"
import { FileError } from "../../../core/files/FileError.ts"
import type { FilesService } from "../../../core/files/Files.ts"
import * as Reading from "../../../core/files/Reading.ts"
import { utf8Decoder } from "../../../core/protocol/Bytes.ts"
import type { Confinement } from "../../../core/protocol/Confinement.ts"
import * as ErrorCode from "../../../core/protocol/ErrorCode.ts"
import * as CommandTransport from "../transport/CommandTransport.ts"
import { cannot } from "./ConfinedFiles.ts"
import * as OwnProgram from "./OwnProgram.ts"
import * as RelayedFiles from "./RelayedFiles.ts"
import * as Wrapped from "./Wrapped.ts"

/** Only a hang reaches this deadline of a start: a starved machine takes its time. */
const longest = "60 seconds"

/** The limit for a message is larger than any that this server accepts. */
const serving = ["serve", "--listen", "stdio", "--max-message-bytes", String(256 * 1024 * 1024)]

export const start = (
  files: FilesService,
  program: string,
  own: OwnProgram.Command,
  confinement: Confinement,
) =>
  Effect.gen(function* () {
    // Deno's own calls read this only with all permissions; these files go through libc.
    const maps = yield* Reading.readFile(files, "/proc/self/maps", true)
    const visible = confinement.places.some(({ path, access }) => path === "/" && access !== "none")
    const { argv, env, mounts } = yield* Effect.try({
      try: () => OwnProgram.make(own, visible, serving, utf8Decoder().decode(maps)),
      catch: cannot,
    })
    const rest = { cwd: "/", env, stdio: { kind: "pipe", stdin: true } } as const
    const spec = yield* Effect.mapError(
      Wrapped.wrap(program, argv, confinement, rest, { first: mounts }),
      cannot,
    )
    const [command, ...args] = spec.argv
    const options = { command, args, cwd: spec.cwd, env: {}, stderr: "ignore" } as const
    return yield* CommandTransport.connectCommand(options).pipe(
      Effect.flatMap((transport) => ExecClient.make(transport, { initializeTimeout: longest })),
      Effect.mapError(cannot),
    )
  })

/** The files that it shows. `gone` runs when it does not answer any more. */
export const filesOf = (client: ExecClient.ExecClient, gone: Effect.Effect<void>) =>
  RelayedFiles.make(client, (error) =>
    Effect.andThen(error.reason === "Server" ? Effect.void : gone, Effect.fail(toFileError(error))),
  )

const toFileError = ({ reason, code, message }: ClientError): FileError => {
  if (reason !== "Server") return cannot(message)
  if (code === ErrorCode.notFound) return new FileError({ reason: "NotFound", message })
  return new FileError({ reason: code === ErrorCode.invalidRequest ? "InvalidInput" : "Other", message })
}
