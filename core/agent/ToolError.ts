/** The error of a call, with a closed set of reasons and a message for the model. */
import * as Data from "effect/Data"
import type { ClientError, ClientReason } from "../client/ClientError.ts"

/** The reason of a failed call. */
export type ToolReason =
  /** There is no tool with that name. */
  | "UnknownTool"
  /** The arguments do not match the schema. */
  | "Arguments"
  /** The command could not be started. */
  | "Create"
  /** There is no session with that id, or not any more. */
  | "UnknownSession"
  /** The session has no terminal, so it takes no input but Ctrl-C. */
  | "StdinClosed"
  /** The server refused the input. */
  | "Write"
  /** The server cannot wait for that, or has refused to. */
  | "Wait"
  /** There is no picture: no terminal, the command has ended, or the server cannot tell what a terminal shows. */
  | "Screen"
  /** The tools are closed. */
  | "Closed"
  /** The caller aborted the call; the command, if it was started, goes on in `sessionId`. */
  | "Aborted"

/** A failed call. `message` is for the model; `reason` is for programs. */
export class ToolError extends Data.TaggedError("ToolError")<{
  /** The reason. */
  readonly reason: ToolReason
  /** For the model: what is returned to it in place of a reply. */
  readonly message: string
  /** The session of the command that goes on, with the reason `Aborted`. */
  readonly sessionId?: number
  /** The error that this one was made from. */
  readonly cause?: unknown
}> {}

const toolError = (
  reason: ToolReason,
  message: string,
  more: Pick<ToolError, "cause"> | Pick<ToolError, "sessionId"> = {},
) => new ToolError({ reason, message, ...more })

/** `UnknownTool`: no tool is called `name`. */
export const unknownTool = (name: string) => toolError("UnknownTool", `unsupported call: ${name}`)

/** `Arguments`: `why` is the text of the decoder. */
export const badArguments = (why: string) =>
  toolError("Arguments", `failed to parse function arguments: ${why}`)

/** The client's words, and what the model can do about it. */
export const notCreated = (error: ClientError) =>
  toolError("Create", `exec_command failed: ${error.message}${remedies[error.reason] ?? ""}`, {
    cause: error,
  })

const otherShell = ". Call it with another shell, or without one for the default."
const remedies: { readonly [reason in ClientReason]?: string } = {
  WorkingDirectory: ". Call it with a workdir that exists, or without one for the default.",
  ProgramNotFound: otherShell,
  ProgramNotExecutable: otherShell,
}

/** `UnknownSession`: no session has that id. `why` is absent for an id that never was, and for one whose exit was reported. */
export const unknownSession = (id: number, why?: string) =>
  toolError(
    "UnknownSession",
    `write_stdin failed: Unknown process id ${id}${why === undefined ? "" : `: ${why}`}`,
  )

/** `StdinClosed`: the session was started without a terminal. */
export const stdinClosed = () =>
  toolError(
    "StdinClosed",
    "write_stdin failed: stdin is closed for this session; rerun exec_command with tty=true to keep stdin open",
  )

/** `Write`: the server did not take the input; `cause` is its error. */
export const notWritten = (cause: unknown) =>
  toolError("Write", "write_stdin failed: failed to write to stdin", { cause })

/** `UnknownSession` of a tool that also knows commands that have ended; `all` are those that it knows. */
export const unknownCommand = (
  tool: string,
  id: number,
  { all }: { readonly all: ReadonlyArray<{ readonly about: { readonly id: number } }> },
) =>
  toolError(
    "UnknownSession",
    `${tool} failed: Unknown session ID ${id}. ` +
      (all.length === 0
        ? "No command is known."
        : `Known are ${all.map(({ about }) => about.id).join(", ")}; list_commands tells what they are.`),
  )

/** `Wait`: what a tool was asked to wait for cannot be waited for; nothing was done. */
export const cannotWait = (tool: string, why: string) => toolError("Wait", `${tool} failed: ${why}`)

/** `Wait`: the server has refused the wait; the command goes on. */
export const notWaited = (error: ClientError) =>
  toolError("Wait", `waiting failed: ${error.message}; the command goes on`, { cause: error })

/** `Screen`: the command runs without a terminal. */
export const noTerminal = (id: number) =>
  toolError(
    "Screen",
    `read_screen failed: session ID ${id} has no terminal; rerun exec_command with tty=true, ` +
      "or see what it has printed with read_output",
  )

/** `Screen`: the server cannot tell what terminals show. */
export const noScreens = () =>
  toolError(
    "Screen",
    "read_screen failed: the server cannot tell what a terminal shows; read_output has what was printed",
  )

/** `Screen`: the end of the command was reported, and its terminal is gone. */
export const noScreenAnyMore = (id: number) =>
  toolError("Screen", `read_screen failed: session ID ${id} has ended; read_output has what it has printed`)

/** `Screen`: the server has refused. */
export const noScreen = (error: ClientError) =>
  toolError("Screen", `read_screen failed: ${error.message}`, { cause: error })

/** `Closed`: the tools are closed, and start nothing more. */
export const closed = () => toolError("Closed", "the tools are closed")

/**
 * `Aborted`: the caller stopped waiting. `sessionId` is where the command goes on, if it has a session, or ends, if it
 * is being stopped.
 */
export const aborted = (sessionId: number | undefined, stopping = false) =>
  toolError(
    "Aborted",
    sessionId === undefined
      ? "the call was cancelled"
      : stopping
        ? `the call was cancelled; process with session ID ${sessionId} is being stopped`
        : `the call was cancelled; process still running with session ID ${sessionId}`,
    sessionId === undefined ? {} : { sessionId },
  )
