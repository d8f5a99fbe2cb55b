/** A call that brought nothing about, as text for the model that made it. */
import * as Data from "effect/Data"

export type ToolReason =
  /** No tool of that name. */
  | "UnknownTool"
  /** The arguments are not what the schema says. */
  | "Arguments"
  /** The command could not be started. */
  | "Create"
  /** No session of that id, or not any more. */
  | "UnknownSession"
  /** Text for a session without a terminal. */
  | "StdinClosed"
  /** The session took no input. */
  | "Write"
  /** The tools are closed. */
  | "Closed"
  /** The caller gave up; `sessionId` is where the command goes on, if it was started. */
  | "Aborted"

/** `message` is for the model, `reason` is for programs. */
export class ToolError extends Data.TaggedError("ToolError")<{
  readonly reason: ToolReason
  readonly message: string
  readonly sessionId?: number
  readonly cause?: unknown
}> {}

export const unknownTool = (name: string) =>
  new ToolError({ reason: "UnknownTool", message: `unsupported call: ${name}` })

export const badArguments = (why: string) =>
  new ToolError({ reason: "Arguments", message: `failed to parse function arguments: ${why}` })

/** The words are the peer's: what its error is called, and quoted in it what the system says. */
export const notCreated = (why: string, cause: unknown) => {
  const inner = `Rejected(${JSON.stringify(`Failed to create unified exec process: ${why}`)})`
  const message = `exec_command failed: CreateProcess { message: ${JSON.stringify(inner)} }`
  return new ToolError({ reason: "Create", message, cause })
}

export const unknownSession = (id: number) =>
  new ToolError({ reason: "UnknownSession", message: `write_stdin failed: Unknown process id ${id}` })

export const stdinClosed = () =>
  new ToolError({
    reason: "StdinClosed",
    message:
      "write_stdin failed: stdin is closed for this session; rerun exec_command with tty=true to keep stdin open",
  })

export const notWritten = (cause: unknown) =>
  new ToolError({ reason: "Write", message: "write_stdin failed: failed to write to stdin", cause })

export const closed = () => new ToolError({ reason: "Closed", message: "the tools are closed" })

export const aborted = (sessionId: number | undefined) =>
  new ToolError({
    reason: "Aborted",
    message:
      sessionId === undefined
        ? "the call was cancelled"
        : `the call was cancelled; process still running with session ID ${sessionId}`,
    ...(sessionId === undefined ? {} : { sessionId }),
  })
