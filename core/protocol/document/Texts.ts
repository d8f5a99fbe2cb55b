/**
 * The texts of error responses for `procwire.meta.json`: when a server answers with each, and its level. `must`: a case
 * of the conformance suite that every server has to pass compares it. `should`: only a case that measures quality does.
 */
import * as ErrorCode from "../ErrorCode.ts"
import * as ErrorText from "../ErrorText.ts"
import * as Limits from "../Limits.ts"

/** The importance of a text. */
export type Level = "must" | "should"

/** A text. A place in braces stands for a value. */
export interface Text {
  readonly code: number
  readonly message: string
  readonly level: Level
  /** The code of the methods on files, where that is another. */
  readonly codeOfFiles?: number
  /** When a server answers with it. */
  readonly says: string
  /** The part that a message of another server has to contain, where the rest of the text is free. */
  readonly contains?: string
  /** The content of `error.data`. */
  readonly data?: unknown
}

type About = Omit<Text, "code" | "message">

const must = (says: string, more: Partial<About> = {}): About => ({ level: "must", says, ...more })
const should = (says: string, more: Partial<About> = {}): About => ({ ...must(says, more), level: "should" })
const ofStart = (kind: ErrorCode.ErrorKind) => ({ data: { kind } })

const about: { readonly [N in ErrorText.Name]: About } = {
  notInitialized: must(
    "A request that needs the handshake, before `initialize`. `methods` has the families.",
  ),
  notReady: must("The same, after the answer to `initialize` and before `initialized`."),
  initializedTwice: must("`initialize` on a connection whose `initialize` has succeeded."),
  unknownMethod: must("A request with an unknown method, also before the handshake."),
  attached: must("`initialize` with the `resumeSessionId` of a session that another connection has."),
  unknownSession: must("`initialize` with a `resumeSessionId` that names no session."),
  taken: must("Every waiting request of a connection whose session was taken over."),
  processExists: must("`process/start` with the id of a process that the session has, ended or not."),
  unknownProcess: must("A request for a process that the session has not, or no longer."),
  stdinGone: must("`process/write` after `process/terminate`."),
  emptyArgv: must("`process/start` without a program, also with an id that is taken."),
  missingProgram: must("`process/start` of a program whose name is empty; `kind` is `pipe` or `PTY`.", {
    ...ofStart("spawnFailed"),
  }),
  nulByte: must("`process/start` with a NUL in `argv` or in `arg0`.", ofStart("spawnFailed")),
  nulByteInEnv: must("`process/start` with a NUL in a variable.", ofStart("spawnFailed")),
  notInPath: should(
    "`process/start` with `tty` and `arg0`, of a program that is not in the `PATH` of the process.",
    {
      ...ofStart("spawnFailed"),
    },
  ),
  noPath: should("The same without a `PATH`.", ofStart("spawnFailed")),
  noManagedProxy: must(
    "`process/start` with `transparentTcp` in `managedNetwork` and without `networkProxy`. Nothing else is looked at before.",
  ),
  noManagedSandbox: must(
    "`process/start` with `transparentTcp` in `networkProxy.proxy` and without `sandbox`. Only the one above comes before.",
  ),
  noMxc: should("`process/start` with `windowsSandboxLevel: mxc`, whatever else is wrong.", {
    ...ofStart("sandboxUnavailable"),
  }),
  noTerminal: must("`process/start` with `answers` and without `tty`.", { contains: "answers" }),
  notAFile: must("`fs/readFile` or `fs/open` of what is no regular file, such as a folder."),
  notRegular: must("`followSymlinks: false`, and the path leads to what is no regular file."),
  containsLink: must("`followSymlinks: false`, and a part of the path that may be no link is one."),
  hugeFile: must("`fs/readFile` of a file that is longer."),
  badContent: must("`fs/writeFile` with a `dataBase64` that is none.", {
    contains: "fs/writeFile requires valid base64 dataBase64: ",
  }),
  tooManyEntries: must("`fs/readDirectory` of a folder that has more."),
  recursiveNoFollow: must("`fs/remove` of a folder with `followSymlinks: false` and `recursive`."),
  copyNotRecursive: must("`fs/copy` of a folder without `recursive: true`."),
  copyIntoItself: must("`fs/copy` of a folder to itself, or below."),
  copySpecial: must("`fs/copy` of a device, a socket or a named pipe."),
  emptyTarget: must("`fs/createSymlink` with an empty target.", { contains: "empty" }),
  nulInTarget: must("The same with a NUL in the target.", { contains: "NUL" }),
  longHandle: must("A `handleId` that is longer, in UTF-8."),
  handleExists: must("`fs/open` with the id of an open file."),
  manyHandles: must("`fs/open` beyond that number."),
  unknownHandle: should("A block of a file that is not open."),
  blockLength: must("`fs/readBlock` and `fs/writeBlock` of another length; `what` is `read` or `write`."),
  blockOffset: must("`fs/writeBlock` beyond the greatest offset, 2^63 - 1."),
  highWalk: must("`fs/walk` with a limit that is higher."),
  emptyWalk: must("`fs/walk` with a limit of 0."),
  httpSend: must("`http/request` that gets no answer.", { contains: "http/request failed: " }),
  httpTimeout: should("`http/request` that has not ended after `timeoutMs`."),
  httpRedirects: must("`http/request` that was redirected more than ten times, or in a loop."),
  httpBody: must("`http/request` whose answer breaks off; `reason` is `error decoding response body`."),
}

/** Texts that are made where clients load them, too. */
const others: { readonly [name: string]: Text } = {
  malformed: {
    code: ErrorCode.invalidRequest,
    message: "failed to parse {label}: {reason}",
    contains: "failed to parse {label}: ",
    ...must("A message that cannot be read. The id is -1; `labels` has what `label` is, `reason` is free."),
  },
  missingField: {
    code: ErrorCode.invalidParams,
    message: "missing field `{field}`",
    contains: "{field}",
    ...must("Params without a field that is required, or an object in them."),
  },
  notBoolean: {
    code: ErrorCode.invalidParams,
    message: "invalid type: {found}, expected a boolean",
    contains: "invalid type: {found}, expected a boolean",
    ...must(
      "A `transparentTcp` that is none; `found` is `string` and the text in quotes, `number`, `null`, `sequence` or `map`.",
    ),
  },
  wrongType: {
    code: ErrorCode.invalidParams,
    message: "invalid type: {found}, expected {expected}",
    ...should("Params with a value of another type; behind it may stand what names the field."),
  },
  wrongWord: {
    code: ErrorCode.invalidParams,
    message: "unknown variant `{found}`, expected {expected}",
    ...should("A word that is none of those of a choice; `expected` names them."),
  },
  badMode: {
    code: ErrorCode.invalidParams,
    message: "{reason} (field `mode`)",
    contains: "mode",
    ...must("`fs/setMode` with a `mode` that is no whole number from 0 to 4095."),
  },
  badBase64: {
    code: ErrorCode.invalidParams,
    message: "Invalid symbol {byte}, offset {offset}.",
    contains: "Invalid symbol {byte}, offset {offset}.",
    ...should("A `chunk` that is not padded standard base64: the first byte that is wrong, and where it is."),
  },
  otherScheme: {
    code: ErrorCode.invalidParams,
    message: "unsupported path URI scheme `{scheme}`",
    contains: "scheme",
    ...should("A URI that does not begin with `file:`."),
  },
  uriWithQuery: {
    code: ErrorCode.invalidParams,
    message: "query parameters are not allowed in path URIs",
    contains: "query",
    ...should("A `file:` URI with a query."),
  },
  relativeUri: {
    code: ErrorCode.invalidParams,
    message: "invalid URI: relative URL without a base",
    contains: "relative URL",
    ...should("A path that is neither absolute nor a URI."),
  },
  foreignSandboxPath: {
    code: ErrorCode.invalidRequest,
    message: "{place}'{uri}' is invalid on '{platform}'",
    contains: "{uri}",
    ...should(
      "A path of another host in the `sandbox` of a method on files; `place` says where, and is free.",
    ),
  },
  foreignPath: {
    code: ErrorCode.invalidParams,
    codeOfFiles: ErrorCode.invalidRequest,
    message: "'{uri}' is invalid on '{platform}'",
    contains: "'{uri}' is invalid on",
    ...must("A path that is a URI of another host, or of another system."),
  },
  cancelled: {
    code: ErrorCode.requestCancelled,
    message: ErrorCode.cancelledText,
    ...must("A request that `request/cancel` has ended."),
  },
}

/** The bounds whose refusals are compared, of a server that has their flags. */
const bounds = [
  "connections",
  "sessions",
  "sessionProcesses",
  "processes",
  "startsPerSecond",
  "stdinBytes",
] as const satisfies ReadonlyArray<Limits.Name>

const ofLimits: { readonly [name: string]: Text } = Object.fromEntries(
  bounds.map((name) => {
    const message = Limits.textOf(name, Number.NaN).replace("NaN", "{value}")
    const contains = message.slice(message.indexOf("limit is "))
    const says = `Beyond the bound \`${name}\`, by a server that has its flag.`
    return [name, { code: ErrorCode.invalidRequest, message, ...must(says, { contains }) }]
  }),
)

/** Every text, by its name. */
export const texts: { readonly [name: string]: Text } = {
  ...others,
  ...Object.fromEntries(
    Object.entries(about).map(([name, more]) => {
      const [code, message] = ErrorText.table[name as ErrorText.Name]
      return [name, { code, message, ...more }]
    }),
  ),
  ...ofLimits,
}
