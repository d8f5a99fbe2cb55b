/**
 * The reasons that platforms of Effect give for failures, for those of a client. It is of no Effect, for those of two
 * lines have it.
 */
import type { ClientError } from "../../../core/client/ClientError.ts"

/** `BadArgument` for a request that could not be carried out on any file or program, and else one of the system. */
export type Reason =
  | "AlreadyExists"
  | "BadArgument"
  | "BadResource"
  | "Busy"
  | "NotFound"
  | "PermissionDenied"
  | "TimedOut"
  | "Unknown"
  | "WouldBlock"

/** By the numbers of Linux, which macOS shares up to `EWOULDBLOCK`. */
const reasons: Readonly<Record<number, Reason>> = {
  1: "PermissionDenied",
  2: "NotFound",
  9: "BadResource",
  11: "WouldBlock",
  13: "PermissionDenied",
  16: "Busy",
  17: "AlreadyExists",
  20: "BadResource",
  21: "BadResource",
  40: "BadResource",
  110: "TimedOut",
}

/** By the codes of the wire: no such file, no such method, wrong params. */
const codes: Readonly<Record<number, Reason>> = {
  [-32004]: "NotFound",
  [-32601]: "BadArgument",
  [-32602]: "BadArgument",
}

export const reasonOf = (error: ClientError): Reason => {
  switch (error.reason) {
    case "InvalidOption":
      return "BadArgument"
    case "ProgramNotFound":
    case "WorkingDirectory":
      return "NotFound"
    case "ProgramNotExecutable":
      return "PermissionDenied"
    case "Timeout":
      return "TimedOut"
    case "Server":
      return serverReason(error)
    default:
      return "Unknown"
  }
}

/** The wire has the number of a failure of the system only at the end of the text. */
const serverReason = ({
  rpcCode: code,
  message: said,
  serverMessage: message = said,
}: ClientError): Reason => {
  const known = code === undefined ? undefined : codes[code]
  if (known !== undefined) return known
  const [, number] = /\(os error ([0-9]+)\)$/.exec(message) ?? []
  if (number !== undefined) return reasons[Number(number)] ?? "Unknown"
  // The request makes no sense for what the path leads to.
  return code === -32600 ? "BadResource" : "Unknown"
}
