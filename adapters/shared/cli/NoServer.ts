/** Why a command has no server, in words that name the flag and say what to do. */
import * as Data from "effect/Data"
import type { ClientError } from "../../../core/client/ClientError.ts"
import { TransportError } from "../../../core/transport/Transport.ts"
import type * as Connect from "../Connect.ts"
import type { Options as CommandOptions } from "../transport/CommandTransport.ts"

/** There is no session with the server of a target. */
export class NoServer extends Data.TaggedError("NoServer")<{
  readonly message: string
  readonly cause: unknown
}> {}

/** The error for what has kept a client from its session. */
export const from = (target: Connect.Target, cause: TransportError | ClientError): NoServer => {
  const what = "command" in target ? `no server ${placeOf(target)}: ` : ""
  return new NoServer({ message: `${what}${cause.message}${remedy(target, cause)}`, cause })
}

const remedy = (target: Connect.Target, error: TransportError | ClientError): string => {
  if ("command" in target && target.command === "ssh")
    return "; try the same with ssh itself: procwire has to be in the PATH there"
  if ("command" in target)
    return "; it has to speak the protocol on its stdin and stdout, as `procwire serve --listen stdio` does"
  const { reason } = error.cause instanceof TransportError ? error.cause : error
  return reason === "Unauthorized" ? "; give it with --token-file FILE or in the variable PROCWIRE_TOKEN" : ""
}

/** As it was given: the shell gets the command behind `exec`. */
const placeOf = ({ command, args = [] }: CommandOptions): string =>
  command === "ssh"
    ? `behind '${["ssh", ...args].join(" ")}'`
    : `at --server-cmd '${(args[1] ?? "").replace(/^exec /, "")}'`
