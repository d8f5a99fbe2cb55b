/** Failures of the server's system in answers about files and HTTP, in the words of Node: the call, the place, the cause. */
import * as Effect from "effect/Effect"
import * as ErrorCode from "../protocol/ErrorCode.ts"
import { isObject } from "../protocol/Json.ts"
import { ClientError } from "./ClientError.ts"

export interface Asked {
  /** The name of the function. */
  readonly method: string
  readonly path?: string
  readonly host?: string
  /** The place in the message; `path` or `host` by default. */
  readonly place?: string
}

/** Names the function and the place in the errors of an effect. A mistake of the caller, which names itself, is left. */
export const named =
  (asked: Asked) =>
  <A, R>(effect: Effect.Effect<A, ClientError, R>): Effect.Effect<A, ClientError, R> =>
    Effect.mapError(effect, (error) => toNamed(asked, error))

/** True for a failure that tells that nothing is at a path, not even a folder that it could be in. */
export const isMissing = ({ code }: ClientError): boolean => code === "ENOENT" || code === "ENOTDIR"

export const toNamed = ({ place, ...asked }: Asked, error: ClientError): ClientError => {
  if (error.reason === "InvalidOption" || error.method !== undefined) return error
  const { message, cause, code } = error
  if (error.reason !== "Server") return new ClientError({ ...error, message, cause, ...asked })
  const where = place ?? asked.path ?? asked.host ?? ""
  const [known, why] = explained(error)
  return new ClientError({
    ...error,
    ...asked,
    message: `${asked.method} ${where}: ${why}`,
    serverMessage: message,
    cause,
    ...(known === undefined ? (code === undefined ? {} : { code }) : { code: known }),
  })
}

/** The name of the failure, if it has one, and words for it. */
const explained = ({
  message,
  rpcCode,
  cause,
}: ClientError): readonly [code: string | undefined, why: string] => {
  const text = message.replace(/ \(os error [0-9]+\)$/, "")
  const data = cause instanceof ErrorCode.RpcError ? cause.data : undefined
  const named = data !== undefined && isObject(data) ? data["code"] : undefined
  const sent = text.replace(/^http\/request failed: /, "").replace(/ for url \(.*\)$/, "")
  if (typeof named === "string") return [named, words[named] ?? `${sent} (${named})`]
  const code = texts[text] ?? (rpcCode === ErrorCode.notFound ? "ENOENT" : undefined)
  if (code !== undefined) return [code, text.charAt(0).toLowerCase() + text.slice(1)]
  return [undefined, sent]
}

/** The texts of musl, which the wire has. */
const texts: Readonly<Record<string, string>> = {
  "Operation not permitted": "EPERM",
  "No such file or directory": "ENOENT",
  "I/O error": "EIO",
  "Permission denied": "EACCES",
  "Resource busy": "EBUSY",
  "File exists": "EEXIST",
  "Cross-device link": "EXDEV",
  "Not a directory": "ENOTDIR",
  "Is a directory": "EISDIR",
  "Invalid argument": "EINVAL",
  "No file descriptors available": "EMFILE",
  "Text file busy": "ETXTBSY",
  "File too large": "EFBIG",
  "No space left on device": "ENOSPC",
  "Read-only file system": "EROFS",
  "Filename too long": "ENAMETOOLONG",
  "Directory not empty": "ENOTEMPTY",
  "Symbolic link loop": "ELOOP",
  "Quota exceeded": "EDQUOT",
}

/** Words for what happens to connections. Any other failure has its name. */
const words: Readonly<Record<string, string>> = {
  ECONNREFUSED: "connection refused",
  ENOTFOUND: "no such host (ENOTFOUND)",
  EAI_AGAIN: "the name could not be looked up (EAI_AGAIN)",
  ECONNRESET: "connection reset",
  ETIMEDOUT: "the connection has timed out",
  EHOSTUNREACH: "host unreachable",
  ENETUNREACH: "network unreachable",
}
