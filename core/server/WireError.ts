/** The one place where the failures of handlers become the codes and texts that clients see. */
import type { FileError } from "../files/FileError.ts"
import { brokenBody, type HttpError } from "../http/HttpClient.ts"
import type { ProcessError } from "../process/ProcessError.ts"
import * as ErrorCode from "../protocol/ErrorCode.ts"
import * as ErrorText from "../protocol/ErrorText.ts"
import type { LimitError } from "../protocol/Limits.ts"
import type { InternalError, ParamsError, RequestError } from "../protocol/ParamsError.ts"
import type { ScopeError } from "../protocol/SessionScope.ts"
import type { SessionError } from "../session/SessionRegistry.ts"
import type { SignalError, SpawnError, SpawnReason } from "../spawn/SpawnError.ts"
import type { HandshakeError } from "./Handshake.ts"

export { InternalError, ParamsError, RequestError } from "../protocol/ParamsError.ts"

/** Every failure of a handler. */
export type HandlerError =
  | FileError
  | HandshakeError
  | HttpError
  | InternalError
  | LimitError
  | ParamsError
  | ProcessError
  | RequestError
  | ScopeError
  | SessionError
  | SpawnError
  | SignalError

/** Answers the waiting requests of a connection whose session was taken over, in the words of the peer. */
export const sessionTaken = ErrorText.refusal("taken")

/** The code and text of a failure. */
export const toRpcError = (error: HandlerError): ErrorCode.RpcError => {
  switch (error._tag) {
    case "FileError":
      return fileError(error)
    case "HandshakeError":
      return handshakeError(error)
    case "HttpError":
      return new ErrorCode.RpcError({
        code: error.reason === "Confined" ? ErrorCode.invalidRequest : ErrorCode.internalError,
        message: httpText(error),
        ...(error.code === undefined ? {} : { data: { code: error.code } }),
      })
    case "InternalError":
      return rpcError(ErrorCode.internalError, error.message)
    case "LimitError":
      return rpcError(ErrorCode.invalidRequest, error.message)
    case "ScopeError":
      return rpcError(
        ErrorCode.invalidRequest,
        `${error.what} needs the scope ${error.needs}, and this connection has the scope ${error.has}`,
      )
    case "ParamsError":
      return rpcError(ErrorCode.invalidParams, error.message, error.kind)
    case "ProcessError":
      return processError(error)
    case "RequestError":
      return rpcError(ErrorCode.invalidRequest, error.message)
    case "SessionError":
      return error.reason === "Attached"
        ? ErrorText.refusal("attached", { sessionId: error.sessionId })
        : ErrorText.refusal("unknownSession", { sessionId: error.sessionId })
    case "SpawnError":
      return spawnError(error)
    case "SignalError":
      return rpcError(ErrorCode.internalError, `failed to signal process: ${error.message}`)
  }
}

/** A spawn that the operating system refuses is an internal error. */
const spawnError = ({ reason, message }: SpawnError): ErrorCode.RpcError => {
  switch (reason) {
    case "ShuttingDown":
      return rpcError(ErrorCode.shuttingDown, message)
    case "Unconfinable":
      return rpcError(ErrorCode.invalidParams, message, "sandboxUnavailable")
    case "Unprepared":
      return rpcError(ErrorCode.invalidParams, message, "sandboxPreparation")
    default:
      return rpcError(ErrorCode.internalError, message, spawnKinds[reason] ?? "spawnFailed")
  }
}

/** Every other reason is `spawnFailed`. */
const spawnKinds: { readonly [reason in SpawnReason]?: ErrorCode.ErrorKind } = {
  NotFound: "spawnNotFound",
  PermissionDenied: "spawnPermissionDenied",
}

const handshakeError = ({ reason, family = "exec" }: HandshakeError): ErrorCode.RpcError => {
  switch (reason) {
    case "NotInitialized":
      return ErrorText.refusal("notInitialized", { family })
    case "NotReady":
      return ErrorText.refusal("notReady", { family })
    case "Repeated":
      return ErrorText.refusal("initializedTwice")
  }
}

const fileError = ({ reason, message }: FileError): ErrorCode.RpcError => {
  switch (reason) {
    case "NotFound":
      return rpcError(ErrorCode.notFound, message)
    case "InvalidInput":
    case "PermissionDenied":
      return rpcError(ErrorCode.invalidRequest, message)
    default:
      return rpcError(ErrorCode.internalError, message)
  }
}

const httpText = ({ reason, url, detail, message }: HttpError): string => {
  switch (reason) {
    case "Send":
      return ErrorText.of("httpSend", { url })
    case "Timeout":
      return ErrorText.of("httpTimeout")
    case "TooManyRedirects":
      return ErrorText.of("httpRedirects")
    case "RedirectScheme":
      return `http/request failed: redirect target uses unsupported URL scheme: ${detail ?? ""}`
    case "Body":
      return ErrorText.of("httpBody", { reason: brokenBody })
    case "Unaudited":
    case "Confined":
      return message
  }
}

const processError = ({ reason, processId }: ProcessError): ErrorCode.RpcError => {
  switch (reason) {
    case "AlreadyExists":
      return ErrorText.refusal("processExists", { processId })
    case "Unknown":
      return ErrorText.refusal("unknownProcess", { processId })
    case "StartCancelled":
      return rpcError(ErrorCode.invalidRequest, `process ${processId} start was cancelled`)
    case "StdinGone":
      return ErrorText.refusal("stdinGone")
    case "NoTerminal":
      return rpcError(ErrorCode.invalidRequest, `process ${processId} has no terminal to resize`)
  }
}

const rpcError = (code: number, message: string, kind?: ErrorCode.ErrorKind) =>
  new ErrorCode.RpcError({ code, message, ...(kind === undefined ? {} : { data: { kind } }) })
