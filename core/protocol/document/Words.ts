/**
 * The words for fields and types of the schema files that no docstring has: by field alone where it means the same
 * everywhere, of what is made from tables, and of the alternatives of choices, whose schemas have no statement.
 */
import * as EnvNames from "../EnvNames.ts"
import * as Limits from "../Limits.ts"

const { retainedBytes, retainedChunks } = Limits.defaults
const secrets = EnvNames.defaultExcludes.join(", ")

/** By `Type.field`, or by field. */
export const fields: { readonly [name: string]: string } = {
  processId: "the id of the process, which its client has chosen; unique in its session, any string",
  sessionId: "the secret that resumes the session: a UUID v4",
  seq: "counts the events of one process from 1: output, marks, exited and closed together",
  stream: "where the output came from; `pty` is stdout and stderr of a process with a PTY",
  chunk: "the bytes, as standard padded base64",
  exitCode: "the exit code; 128 + n after death by signal n; null while it is not known",
  exited: "the process has exited",
  closed: "the process has exited, and no output follows",
  nextSeq: "the seq of the next event; `nextSeq - 1` is the `afterSeq` of the next read",
  signal: "the signal, by a word, a POSIX name or a number; where something has ended: its number",
  endedBy: "what has ended the process",
  limit: "the bound of resources that has ended the process",
  oomKilled: "whether the process was killed because memory ran out",
  sandboxDenied: "whether the process was confined, and probably failed because of that",
  receipt: "what the process wrote and how it ended; asks for that in a start",
  marks: "the marks of a shell in the output; asks for them in a start",
  rows: "the height of the terminal, in character cells",
  columns: "the width of the terminal, in character cells",
  pid: "the id of a process of the host",
  message: "the text of the error",
  path: "a path of the host, as a `file:` URI",
  cwd: "the working directory, as a `file:` URI",
  sandbox: "the confinement that is asked for; absent or null is none",
  followSymlinks: "false: no component of the path may be a symbolic link; the default is true",
  dataBase64: "the content, as standard padded base64",
  handleId: "the id of an open file, which its client has chosen; at most 32 bytes of UTF-8",
  isDirectory: "whether it is a folder",
  isFile: "whether it is a regular file",
  isSymlink: "whether the last component of the path is a symbolic link",
  recursive: "with everything below it, or with the parents that are missing; see the type for the default",
  offset: "where in the file or in the chunk, in bytes",
  watchId: "the id of the watch, which its client has chosen; the greatest counts",
  requestId: "the id of the exchange, which its client has chosen; the frames of a streamed body repeat it",
  name: "its name",
  value: "its value",
  headers: "the headers, in order",
  bodyBase64: "the body, as standard padded base64",
  environmentInfo: "the server and its host",
  capabilities: "what the server can do; what is absent is false",
  shell: "the shell of the user",
  sessions: "`own` (the default) or `all`: those of the own session, or of every session of the server",
  cursor: "the `nextCursor` of the page before; absent for the first page",
  nextCursor: "the `cursor` of the next page; null behind the last one",
  states: "only processes in one of these states",
  state: "how far the process has come",
  session: "the number of the session",
  attached: "whether a connection has the session",
  processes: "the processes; in a session their number, closed ones included",
  labels: "what the process is labelled with; in a request: only processes with all of them",
  bytes: "a number of bytes",
  byte: "a place in the output, by the bytes before it over all streams",
  line: "a place in the output, by its line, from 1",
  time: "a place in the output, by when it was printed, in milliseconds since 1970",
  from: "where it begins",
  to: "where it ends",
  text: "the text; bytes that are no UTF-8 are U+FFFD",
  before: "the lines before a match; asks for so many",
  after: "the lines behind a match; asks for so many",
  pattern: "a regular expression; with the flag `l` plain text",
  flags: "letters: `i` either case, `m` lines, `s` dot matches all, `l` plain text",
  ended: "why and where the history has ended before its process",
  nextByte: "where to read on",
  maxBytes: "the most bytes of output to return",
  afterSeq: "only events with a higher seq; absent is 0",
  timeoutMs: "the longest that it may take; absent is no bound",
  port: "a TCP port",
  host: "an IP address, or `localhost`",
  type: "which form it is",
  network: "whether the network may be used",
  subpath: "a path below the place",
  kind: "which kind it is",
  entries: "the entries",
  proxy: "the configuration of the proxy",
  traceparent: "the span of the caller, as the standard has it",
  tracestate: "what others on the way have added, as the standard has it",
  "ExecEnvPolicy.inherit":
    "`all`, `core` or `none` of the variables of the server; " +
    `\`core\` is ${EnvNames.core.unix.join(", ")}, on Windows ${EnvNames.core.windows.join(", ")}`,
  "ExecEnvPolicy.ignoreDefaultExcludes": `whether names that look like secrets are inherited, too: ${secrets}`,
  "ReadResponse.chunks":
    "the retained output after `afterSeq`, in order; of each process the last " +
    `${retainedBytes} bytes are retained, or the last ${retainedChunks} chunks: the oldest goes first, as a whole`,
  "ExecPermissionProfileManaged.file_system": "what is allowed of files",
  "ExecManagedFileSystemPermissionsRestricted.entries": "the access to places; all else is as by default",
  "ExecManagedFileSystemPermissionsRestricted.glob_scan_max_depth": "how deep patterns look",
  "ExecFileSystemPathGlobPattern.pattern": "a pattern of paths",
  "ExecFileSystemPathSpecial.value": "the place",
  "FileSystemSpecialPathUnknown.path": "a kind of a later version, which matches nothing",
}

/** By type: the alternatives of choices. */
export const types: { readonly [name: string]: string } = {
  ExecFileSystemPathPath: "A path.",
  ExecFileSystemPathGlobPattern: "A pattern of paths.",
  ExecFileSystemPathSpecial: "A place that depends on the host or the request.",
  FileSystemSpecialPathRoot: "The root of the host.",
  FileSystemSpecialPathMinimal: "What programs need to run.",
  FileSystemSpecialPathProjectRoots: "The roots of the project.",
  FileSystemSpecialPathTmpdir: "The folder for temporary files.",
  FileSystemSpecialPathSlashTmp: "`/tmp`.",
  FileSystemSpecialPathUnknown: "A kind of a later version, which matches nothing.",
  ExecManagedFileSystemPermissionsRestricted: "Only what entries allow.",
  ExecManagedFileSystemPermissionsUnrestricted: "Everything.",
  ExecPermissionProfileManaged: "What this object says.",
  ExecPermissionProfileDisabled: "Everything: there is no confinement.",
  ExecPermissionProfileExternal: "Something else confines the server.",
}

const units: ReadonlyArray<readonly [RegExp, string]> = [
  [/Ms$/, "ms"],
  [/Micros$/, "us"],
  [/[bB]ytes(Cap)?$|^(byte|nextByte|offset|len|size)$/, "bytes"],
  [/^(rows|columns)$/, "cells"],
]

/** The unit of a number, by the name of its field: `ms`, `us`, `bytes` or `cells`. */
export const unitOf = (field: string): string | undefined => units.find(([name]) => name.test(field))?.[1]
