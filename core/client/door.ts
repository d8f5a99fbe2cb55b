/** The exports of the doors for programs without Effect about the client: its types and its error. */
export type { AttachOptions, AttachTarget } from "./Attaching.ts"
export type { Calls, Params, WithBytes } from "./Calls.ts"
export type { Client, ClientProcess, CloseOptions } from "./Client.ts"
export { ClientError } from "./ClientError.ts"
export type { ClientReason } from "./ClientError.ts"
export type { ClientFile, ClientFiles } from "./ClientFiles.ts"
export type { ClientHttp, ClientHttpStream } from "./ClientHttp.ts"
export type { Command, Dollar, DollarOptions } from "./command/Command.ts"
export type { Argument, Value } from "./command/Words.ts"
export type { CurrentOptions as ConnectOptions } from "./Connecting.ts"
export type * from "../features/ClientTypes.ts"
export type { CallOptions, Signal } from "./GivingUp.ts"
export type { Input, InputBlob, InputFile, InputReadable } from "./Input.ts"
export type { ListedProcess, ListedSession, ListOptions, ListSessionsOptions } from "./Lists.ts"
export type { PolicyAnswer } from "../features/egress/Question.ts"
export type { OnPolicyRequest, PolicyReply, PolicyRequest } from "./Policy.ts"
export type { ProcessEvent } from "./ProcessEvent.ts"
export type { Content, Encoding, Result } from "./RunResult.ts"
export type { RetryOptions } from "./RunResult.ts"
export type { RunOptions } from "./RunOptions.ts"
export type { ScreenOptions } from "./RemoteProcess.ts"
export type { StartOptions } from "./StartOptions.ts"
export type { OutputFile, OutputTo, StdioOptions } from "./Stdio.ts"
export type { LineOptions } from "./TextLines.ts"
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
export type { ErrorKind } from "../protocol/ErrorCode.ts"
