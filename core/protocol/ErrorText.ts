/**
 * The texts of error responses that clients compare, with their codes: THE table from which the server, its transports
 * and `procwire.meta.json` take them. A place in braces stands for a value.
 *
 * Most are those of the peer implementation, to the letter. Texts that clients need as well, which decode and route by
 * the same modules, stay there: a page is not to load this table.
 */
import {
  internalError,
  invalidParams,
  invalidRequest,
  methodNotFound,
  notFound,
  RpcError,
  sessionAttached,
  sessionTaken,
} from "./ErrorCode.ts"

/** A row of the table: the code, and the text. */
type Row = readonly [code: number, text: string]

/** The texts. */
export const table = {
  notInitialized: [invalidRequest, "client must call initialize before using {family} methods"],
  notReady: [invalidRequest, "client must send initialized before using {family} methods"],
  initializedTwice: [invalidRequest, "initialize may only be sent once per connection"],
  unknownMethod: [methodNotFound, "exec-server stub does not implement `{method}` yet"],
  attached: [sessionAttached, "session {sessionId} is already attached to another connection"],
  unknownSession: [invalidRequest, "unknown session id {sessionId}"],
  taken: [sessionTaken, "session has been resumed by another connection"],
  processExists: [invalidRequest, "process {processId} already exists"],
  unknownProcess: [invalidRequest, "unknown process id {processId}"],
  stdinGone: [internalError, "failed to write to process stdin"],
  emptyArgv: [invalidParams, "argv must not be empty"],
  missingProgram: [internalError, "missing program for {kind} spawn"],
  nulByte: [internalError, "nul byte found in provided data"],
  nulByteInEnv: [internalError, "data provided contains a nul byte"],
  notInPath: [internalError, "Unable to find executable {program} in PTY PATH"],
  noPath: [internalError, "Unable to resolve the PATH"],
  noManagedProxy: [invalidParams, "transparent TCP requires an executor-local managed proxy"],
  noManagedSandbox: [invalidParams, "transparent TCP requires a managed Linux sandbox"],
  noMxc: [invalidParams, "native MXC is unavailable on this executor"],
  noTerminal: [
    invalidParams,
    "answers belongs to tty: true: there is no terminal that the process could ask",
  ],
  notAFile: [invalidRequest, "path `{path}` is not a file"],
  notRegular: [invalidRequest, "path is not a regular file"],
  containsLink: [invalidRequest, "path contains a symbolic link"],
  hugeFile: [invalidRequest, "file is too large to read: limit is {bytes} bytes"],
  badContent: [invalidRequest, "fs/writeFile requires valid base64 dataBase64: {reason}"],
  tooManyEntries: [internalError, "fs/readDirectory returned {count} entries; limit is {most}"],
  recursiveNoFollow: [internalError, "recursive no-follow removal is unsupported"],
  copyNotRecursive: [invalidRequest, "fs/copy requires recursive: true when sourcePath is a directory"],
  copyIntoItself: [invalidRequest, "fs/copy cannot copy a directory to itself or one of its descendants"],
  copySpecial: [invalidRequest, "fs/copy only supports regular files, directories, and symlinks"],
  emptyTarget: [invalidRequest, "fs/createSymlink requires a target that is not empty"],
  nulInTarget: [invalidRequest, "fs/createSymlink requires a target without NUL: {target}"],
  longHandle: [invalidRequest, "file handle ID must not exceed {most} bytes"],
  handleExists: [invalidRequest, "file handle `{handleId}` already exists"],
  manyHandles: [invalidRequest, "at most {most} file handles may be open per connection"],
  unknownHandle: [notFound, "unknown file handle `{handleId}`"],
  blockLength: [invalidRequest, "file {what} block length must be between 1 and {most}"],
  blockOffset: [invalidRequest, "file write range exceeds the signed 64-bit file offset limit"],
  highWalk: [
    invalidRequest,
    "filesystem walk limits exceed maximums: depth={depth}, directories={directories}, entries={entries}",
  ],
  emptyWalk: [invalidRequest, "filesystem walk limits must be greater than zero"],
  httpSend: [internalError, "http/request failed: error sending request for url ({url})"],
  httpTimeout: [internalError, "http/request failed: route-aware request timed out"],
  httpRedirects: [internalError, "http/request failed: too many redirects"],
  httpBody: [internalError, "failed to read http/request response body: {reason}"],
} as const satisfies { readonly [name: string]: Row }

/** The name of a text. */
export type Name = keyof typeof table

/** The names of the places of a text. */
export type Places<Text> = Text extends `${string}{${infer Place}}${infer Rest}`
  ? Place | Places<Rest>
  : never

/** The values for the places of a text; none where it has none. */
export type Values<N extends Name> = [Places<(typeof table)[N][1]>] extends [never]
  ? readonly []
  : readonly [values: { readonly [P in Places<(typeof table)[N][1]>]: string | number }]

/** The text with its values. */
export const of = <N extends Name>(name: N, ...[values]: Values<N>): string => {
  const [, text]: Row = table[name]
  const known: { readonly [place: string]: string | number } = values ?? {}
  // Once over the template: a value may have braces of its own.
  return text.replace(/\{(\w+)\}/g, (_, place: string) => String(known[place]))
}

/** The error response with this text. */
export const refusal = <N extends Name>(name: N, ...values: Values<N>): RpcError =>
  new RpcError({ code: table[name][0], message: of(name, ...values) })

/** The names of a message in error texts, by its carrier. `{address}` is that of the client. */
export const labels = {
  stdio: "JSON-RPC message from exec-server stdio",
  unix: "JSON-RPC message from exec-server unix socket",
  tcp: "JSON-RPC message from exec-server tcp {address}",
  tls: "JSON-RPC message from exec-server tls {address}",
  ws: "websocket JSON-RPC message from exec-server websocket {address}",
} as const

/** The label of the messages of a connection. */
export const labelOf = (transport: keyof typeof labels, address = ""): string =>
  labels[transport].replace("{address}", () => address)
