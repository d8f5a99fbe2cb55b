/**
 * `CommandExecutor` of `@effect/platform` over a client: commands run on the server's host, each in a process group of
 * its own.
 *
 * Of a pipeline every command runs there; what one prints goes through this program to the next, which holds the first
 * back while it does not read. `inherit` copies stdout and stderr to those of this program. What the wire lacks is a
 * `BadArgument`: an inherited stdin, `uid` and `gid`.
 */
import * as Command from "@effect/platform/Command"
import * as CommandExecutor from "@effect/platform/CommandExecutor"
import type { PlatformError } from "@effect/platform/Error"
import * as Chunk from "effect/Chunk"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import type { ExecClient } from "../../../core/client/ExecClient.ts"
import * as ProcessStarter from "../../../core/client/ProcessStarter.ts"
import type { StartOptions } from "../../../core/client/StartOptions.ts"
import { concat } from "../../../core/protocol/Bytes.ts"
import { at, lacking } from "./Failure.ts"
import * as RunningCommand from "./RunningCommand.ts"

type Started = Effect.Effect<CommandExecutor.Process, PlatformError, Scope.Scope>

/** Runs commands on the server of `client`. */
export const make = (client: ExecClient): CommandExecutor.CommandExecutor => {
  const start = (command: Command.Command) => startAll(client, command, false)
  const stream = (command: Command.Command) =>
    Stream.unwrapScoped(Effect.map(start(command), ({ stdout }) => stdout))
  const string = (command: Command.Command, encoding?: string) =>
    Effect.map(Stream.runCollect(stream(command)), (pieces) =>
      new TextDecoder(encoding).decode(concat(Chunk.toReadonlyArray(pieces))),
    )
  const streamLines = (command: Command.Command, encoding?: string) =>
    Stream.splitLines(decoded(stream(command), encoding))
  return {
    [CommandExecutor.TypeId]: CommandExecutor.TypeId,
    start: (command) => startAll(client, command, true),
    exitCode: (command) => Effect.scoped(Effect.flatMap(start(command), ({ exitCode }) => exitCode)),
    stream,
    string,
    lines: (command, encoding) =>
      Effect.map(Stream.runCollect(streamLines(command, encoding)), (lines) => Chunk.toArray(lines)),
    streamLines,
  }
}

/** A character may be split between two pieces. */
const decoded = <E>(bytes: Stream.Stream<Uint8Array, E>, encoding?: string): Stream.Stream<string, E> =>
  Stream.suspend(() => {
    const decoder = new TextDecoder(encoding)
    const rest = Stream.suspend(() => Stream.make(decoder.decode()))
    return Stream.concat(
      Stream.map(bytes, (piece) => decoder.decode(piece, { stream: true })),
      rest,
    )
  })

/** Starts the commands of a pipeline from the first; the process is that of the last. `withPid`: which that has then. */
const startAll = (client: ExecClient, command: Command.Command, withPid: boolean): Started =>
  Effect.gen(function* () {
    const [first, ...others] = Command.flatten(command)
    let process = yield* startOne(client, first, first.stdin, withPid && others.length === 0)
    for (const [index, next] of others.entries()) {
      process = yield* startOne(client, next, process.stdout, withPid && index === others.length - 1)
    }
    return process
  })

const startOne = (
  client: ExecClient,
  command: Command.StandardCommand,
  stdin: Command.Command.Input,
  withPid: boolean,
): Started =>
  Effect.gen(function* () {
    const refusal = refusalOf(client, command, stdin)
    if (refusal !== undefined) return yield* refusal
    const place = { module: "Command", method: "start", pathOrDescriptor: command.command } as const
    const { label, tell } = withPid ? pidOf(client) : withoutPid
    const start = client.startSubscribed({ ...toOptions(command), ...label })
    const started = yield* at(place)(ProcessStarter.scoped(start))
    const { process } = started
    const pid = yield* at(place)(tell(process.id))
    const running = yield* RunningCommand.make(client, started, command, pid)
    if (typeof stdin !== "string") {
      const write = Stream.runForEach(stdin, (bytes) => process.write(bytes))
      // A command may end without reading it all; whatever happens, it reads no further.
      yield* Effect.forkScoped(Effect.zipRight(Effect.exit(write), Effect.ignore(process.closeStdin)))
    }
    return running
  })

const refusalOf = (
  { environmentInfo }: ExecClient,
  { uid, gid }: Command.StandardCommand,
  stdin: Command.Command.Input,
) => {
  if (Option.isSome(uid) || Option.isSome(gid)) {
    return lacking("Command", "start", "the wire has no uid and gid: run the command through sudo or setpriv")
  }
  if (stdin === "inherit") {
    const remedy = "give the command a Stream, or Command.feed"
    return lacking("Command", "start", `a command on another host cannot inherit stdin: ${remedy}`)
  }
  return typeof stdin === "string" || environmentInfo.capabilities?.processCloseStdin === true
    ? undefined
    : lacking("Command", "start", "input needs a server with the capability processCloseStdin")
}

const toOptions = (given: Command.StandardCommand): StartOptions => {
  const { command, args, shell, env, extendEnv, cwd } = given
  const program = shell === true ? "/bin/sh" : shell
  return {
    argv: program === false ? [command, ...args] : [program, "-c", [command, ...args].join(" ")],
    pipeStdin: true,
    env: Object.fromEntries(env),
    envPolicy: extendEnv
      ? { inherit: "all", ignoreDefaultExcludes: true, exclude: [], set: {}, includeOnly: [] }
      : null,
    ...(Option.isSome(cwd) ? { cwd: cwd.value } : {}),
  }
}

const withoutPid = { label: {}, tell: () => Effect.succeed(Number.NaN) }

/** The list of the server has the pid of a process, which a label finds. */
const pidOf = (client: ExecClient) => {
  if (client.environmentInfo.capabilities?.processList !== true) return withoutPid
  const labels = { "procwire.platform": globalThis.crypto.randomUUID() }
  return {
    label: { labels },
    tell: (processId: string) =>
      client.list({ labels }).pipe(
        Stream.filter((listed) => listed.processId === processId),
        Stream.runHead,
        Effect.map((found) => (Option.isSome(found) ? (found.value.pid ?? Number.NaN) : Number.NaN)),
      ),
  }
}
