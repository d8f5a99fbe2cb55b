/** The types of all doors of the client. */
export type * from "../features/ClientTypes.ts"
export type { PolicyAnswer } from "../features/egress/Question.ts"
export type { AttachOptions, AttachTarget } from "./Attaching.ts"
export type {
  ByteReader,
  ByteWriter,
  ReadableBytes,
  ReadableStream,
  StreamReader,
  StreamWriter,
  WritableBytes,
  WritableStream,
} from "./ByteStreams.ts"
export type { Calls, Params } from "./Calls.ts"
export type { Command, Dollar, DollarOptions } from "./command/Command.ts"
export type { Argument, Value } from "./command/Words.ts"
export type { Input, InputBlob, InputFile, InputReadable } from "./Input.ts"
export type { OnPolicyRequest, PolicyReply, PolicyRequest } from "./Policy.ts"
export type { RunOptions } from "./RunOptions.ts"
export type { Content, Encoding, Result, RetryOptions } from "./RunResult.ts"
export type { OutputFile, OutputTo, StdioOptions } from "./Stdio.ts"
export type { LineOptions } from "./TextLines.ts"
