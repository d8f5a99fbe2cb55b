/**
 * The failure of a server to start a process: a closed reason, and a message that names what is missing.
 *
 * The operating system has the same words for a missing program and a missing working directory. So both are looked at
 * through `fs/getMetadata`, which every server has; a start that succeeds costs nothing.
 */
import * as Effect from "effect/Effect"
import type { EnvironmentInfo } from "../protocol/Environment.ts"
import * as ErrorCode from "../protocol/ErrorCode.ts"
import type { Call } from "./Calls.ts"
import { type ClientError, type ClientReason, clientError } from "./ClientError.ts"
import * as RemotePath from "./RemotePath.ts"
import type { Wire } from "./StartOptions.ts"

/** Linux and macOS have the same numbers for these. */
const errno = { ENOENT: 2, ENOEXEC: 8, EACCES: 13, ENOTDIR: 20 }

/** The time that the server has to tell what is at a path. */
const patience = "5 seconds"

/** The kind of a path; `unknown` if the server does not tell it. */
type Found = "directory" | "file" | "nothing" | "unknown"

interface Finding {
  readonly reason: ClientReason
  /** The mistake, with its path; absent if the server's words are all that is known. */
  readonly why?: string
}

/** The error of a start for the error with which the server refused it. Others are returned as they are. */
export const explain = (
  error: ClientError,
  params: Wire,
  call: Call,
  info: EnvironmentInfo,
): Effect.Effect<ClientError> =>
  Effect.gen(function* () {
    if (error.reason !== "Server") return error
    const { reason, why } = yield* finding(errnoOf(error), params, call, info)
    const words = why === undefined ? error.message : `${why}: ${error.message}`
    return clientError(reason, `cannot start ${params.argv[0] ?? ""}: ${words}`, {
      serverMessage: error.message,
      ...(error.code === undefined ? {} : { code: error.code }),
      ...(error.kind === undefined ? {} : { kind: error.kind }),
      ...(error.rpcCode === undefined ? {} : { rpcCode: error.rpcCode }),
      cause: error,
    })
  })

const finding = (
  number: number | undefined,
  params: Wire,
  call: Call,
  info: EnvironmentInfo,
): Effect.Effect<Finding> =>
  Effect.gen(function* () {
    const missing = number === errno.ENOENT || number === errno.ENOTDIR
    if (!missing && number !== errno.EACCES && number !== errno.ENOEXEC) return { reason: "Server" }
    const directory = yield* lookAt(call, params.cwd)
    const cwd = RemotePath.toNative(params.cwd, info)
    if (directory === "nothing") return noDirectory(cwd, "does not exist")
    if (directory === "file") return noDirectory(cwd, "is not a directory")
    const name = params.argv[0] ?? ""
    const program = /[/\\]/.test(name)
      ? yield* lookAt(call, RemotePath.toUri(name, { ...info, cwd: params.cwd }))
      : undefined
    if (!missing) return notExecutable(number, program, cwd)
    if (program === "file") return brokenInterpreter
    if (directory === "unknown") {
      return notFound(`the program does not exist, or the working directory ${cwd} does not`)
    }
    return notFound(program === undefined ? "it is not in the PATH of the process" : "it does not exist")
  })

const noDirectory = (cwd: string, what: string): Finding => ({
  reason: "WorkingDirectory",
  why: `the working directory ${cwd} ${what}`,
})

const notFound = (why: string): Finding => ({ reason: "ProgramNotFound", why })

const brokenInterpreter: Finding = {
  reason: "ProgramNotExecutable",
  why: "it exists, but not the interpreter that its first line names, or its dynamic loader",
}

const notExecutable = (number: number, program: Found | undefined, cwd: string): Finding => ({
  reason: "ProgramNotExecutable",
  why:
    number === errno.ENOEXEC
      ? "it is no program; a script needs a first line such as #!/bin/sh"
      : program === "directory"
        ? "it is a directory"
        : `it may not be executed, or the working directory ${cwd} may not be entered`,
})

const lookAt = (call: Call, path: string): Effect.Effect<Found> =>
  call("fs/getMetadata", { path }).pipe(
    Effect.map(({ isDirectory }): Found => (isDirectory ? "directory" : "file")),
    Effect.catch((error) => {
      const absent = error.code === ErrorCode.notFound || errnoOf(error) === errno.ENOTDIR
      return Effect.succeed<Found>(absent ? "nothing" : "unknown")
    }),
    Effect.timeoutOrElse({ duration: patience, orElse: () => Effect.succeed<Found>("unknown") }),
  )

/**
 * The number of a failure of the server's system. The wire has it only at the end of the text. Codex has no number for
 * a program that it does not find for a PTY.
 */
const errnoOf = ({ code, message }: ClientError): number | undefined => {
  if (code !== ErrorCode.internalError) return undefined
  if (/^Unable to spawn .*\nNo viable candidates|^Unable to find executable .* in PTY PATH$/.test(message))
    return errno.ENOENT
  const [, number] = /\(os error ([0-9]+)\)$/.exec(message) ?? []
  return number === undefined ? undefined : Number(number)
}
