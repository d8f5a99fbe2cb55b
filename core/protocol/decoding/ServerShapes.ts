/**
 * The part of the wire that a client needs as data, from the schemas of the table of methods: written by
 * `npm run schema`.
 *
 * A shape is the name of a struct or of a leaf (see `FromServer`), or words of which it is one. Behind it, `[]`
 * makes a list of it, `{}` an object of it; with `~` it may be null, with `?` absent, and `=` tells what
 * it is then.
 */
import type * as Schema from "effect/Schema"
import type { RequestMethod } from "../Methods.ts"
import type { StartParams } from "../Process.ts"

type Row = Pick<
  RequestMethod<never, Readonly<Record<string, unknown>>, never, never>,
  "repeatable" | "cancellable"
>

/** The requests, each with the shape of its result. */
export const requests: {
  readonly [name: string]: Row & { readonly result: string }
} = {
  initialize: { result: "InitializeResult" },
  "environment/info": { result: "EnvironmentInfo", repeatable: "always" },
  "environment/status": { result: "EnvironmentStatus", repeatable: "always" },
  "process/start": { result: "ExecResponse" },
  "process/read": { result: "ReadResponse", repeatable: "always", cancellable: true },
  "process/write": { result: "WriteResponse", repeatable: { given: "writeId" } },
  "process/signal": { result: "SignalResponse" },
  "process/terminate": { result: "TerminateResponse", repeatable: "always" },
  "process/restart": { result: "RestartResponse" },
  "process/credit": { result: "CreditResponse" },
  "process/wait": { result: "WaitResponse", repeatable: "always", cancellable: true },
  "process/history": { result: "HistoryResponse", repeatable: "always", cancellable: true },
  "process/grep": { result: "GrepResponse", repeatable: "always", cancellable: true },
  "process/screen": { result: "ScreenResponse", repeatable: "always", cancellable: true },
  "fs/readFile": { result: "FsReadFileResponse", repeatable: "always", cancellable: true },
  "fs/writeFile": { result: "FsWriteFileResponse", repeatable: "always" },
  "fs/createDirectory": { result: "FsCreateDirectoryResponse", repeatable: { unlessFalse: "recursive" } },
  "fs/getMetadata": { result: "FsGetMetadataResponse", repeatable: "always", cancellable: true },
  "fs/canonicalize": { result: "FsCanonicalizeResponse", repeatable: "always", cancellable: true },
  "fs/readDirectory": { result: "FsReadDirectoryResponse", repeatable: "always", cancellable: true },
  "fs/walk": { result: "FsWalkResponse", repeatable: "always", cancellable: true },
  "fs/remove": { result: "FsRemoveResponse", repeatable: { unlessFalse: "force" } },
  "fs/copy": { result: "FsCopyResponse" },
  "fs/rename": { result: "FsRenameResponse" },
  "fs/setMode": { result: "FsSetModeResponse", repeatable: "always" },
  "fs/createSymlink": { result: "FsCreateSymlinkResponse" },
  "fs/open": { result: "FsOpenResponse" },
  "fs/readBlock": { result: "FsReadBlockResponse" },
  "fs/writeBlock": { result: "FsWriteBlockResponse" },
  "fs/close": { result: "FsCloseResponse", repeatable: "always" },
  "fs/watchMissing": { result: "FsWatchMissingResponse" },
  "http/request": { result: "HttpRequestResult", cancellable: true },
  "process/attach": { result: "ProcessAttachResponse" },
  "process/detach": { result: "ProcessDetachResponse" },
  "process/resize": { result: "ResizeResponse", repeatable: "always" },
  "process/closeStdin": { result: "CloseStdinResponse", repeatable: "always" },
  "process/list": { result: "ProcessListResponse", repeatable: "always" },
  "process/changes": { result: "ProcessChangesResponse", repeatable: "always", cancellable: true },
  "session/list": { result: "SessionListResponse", repeatable: "always" },
  "session/end": { result: "SessionEndResponse" },
}

/** The notifications of the server, each with the shape of its params. */
export const notifications: { readonly [name: string]: string } = {
  "process/output": "ExecOutputDeltaNotification",
  "process/mark": "ProcessMarkNotification",
  "process/gap": "ProcessGapNotification",
  "process/exited": "ExecExitedNotification",
  "process/closed": "ExecClosedNotification",
  "session/taken": "SessionTakenNotification",
  "fs/missingChanged": "FsMissingChangedNotification",
  "http/request/bodyDelta": "HttpRequestBodyDelta",
  "process/writer": "ProcessWriterNotification",
  "process/detached": "ProcessDetachedNotification",
}

/** The structs, by their names: the fields, each with its shape. */
export const structs: { readonly [name: string]: string } = {
  InitializeResult: "sessionId:string environmentInfo:EnvironmentInfo",
  EnvironmentInfo:
    "shell:Shell executorVersion:string? providerId:string~? cwd:string~? userHomeDir:string~? platformOs:string~? prependPathDirs:string[]? temporaryDirectories:string[]? tempDir:string~? capabilities:PartialCapabilities?",
  Shell: "name:string path:string",
  PartialCapabilities:
    "networkProxyLaunch:boolean? networkProxyReviewDomains:boolean? networkProxyTransparentTcp:boolean? credentialMasking:boolean? credentialMaskingCustomProviders:boolean? capabilityDiscoverySandbox:boolean? fsWatchMissing:boolean? capabilityDiscoveryV2:boolean? environmentConfigRead:boolean? httpHeaderEnvVars:boolean? sandboxedFileStreaming:boolean? fileWriteStreaming:boolean? shellSnapshotV2:boolean? windowsMxc:boolean? linuxRootWritePreservesDevices:boolean? linuxApprovedRootWritePreservesRestrictions:boolean? processResize:boolean? processCloseStdin:boolean? processSignals:boolean? sessionReplay:boolean? sessionTakeover:boolean? requestCancel:boolean? processList:boolean? processChanges:boolean? processListAll:boolean? processReceipt:boolean? processDeadlines:boolean? processMarks:boolean? processAnswers:boolean? processRestart:boolean? processCredit:boolean? processAutoRemove:boolean? processPid:boolean? processWait:boolean? processWaitPort:boolean? processWaitInput:boolean? outputHistory:boolean? processScreen:boolean? fsChange:boolean? processAttach:boolean? processAttachAll:boolean? processControlAll:boolean? sessionEnd:boolean?",
  EnvironmentStatus: "status:'ready'",
  ExecResponse:
    "processId:string sandboxType:'none'|'linuxSeccomp'|'macosSeatbelt'|'windowsRestrictedToken' pid:u53?",
  ReadResponse:
    "chunks:ProcessOutputChunk[] nextSeq:u64 exited:boolean exitCode:i32~ closed:boolean failure:string~ sandboxDenied:boolean?=false limit:'mem'|'pids'|'time'? oomKilled:boolean? endedBy:'exit'|'signal'|'terminate'|'timeout'|'idleTimeout'|'sessionEnd'|'serverEnd'|'limit'? signal:u53? receipt:Receipt? more:boolean? marks:ProcessMark[]?",
  ProcessOutputChunk: "seq:u64 stream:'stdout'|'stderr'|'pty' chunk:bytes",
  Receipt:
    "streams:ReceiptStreams endedBy:'exit'|'signal'|'terminate'|'timeout'|'idleTimeout'|'sessionEnd'|'serverEnd'|'limit' limit:'mem'|'pids'|'time'? coreDumped:boolean? oomKilled:boolean? userCpuMicros:u53? systemCpuMicros:u53? peakMemory:PeakMemory? signal:u53? startedAtMs:u53 endedAtMs:u53",
  ReceiptStreams: "stdout:StreamReceipt? stderr:StreamReceipt? pty:StreamReceipt?",
  StreamReceipt: "bytes:u53 sha256:string? chunks:u53 firstSeq:u64? lastSeq:u64? unreadBytes:u53",
  PeakMemory: "bytes:u53 exact:boolean",
  ProcessMark: "seq:u64 kind:'promptStart'|'commandStart'|'commandEnd' exitCode:i32~ cwd:string~",
  WriteResponse: "status:'accepted'|'unknownProcess'|'stdinClosed'|'starting'",
  SignalResponse: "",
  TerminateResponse: "running:boolean",
  RestartResponse: "",
  CreditResponse: "",
  WaitResponse:
    "met:u53~ evidence:WaitEvidence~ nextSeq:u64 exited:boolean exitCode:i32~ closed:boolean head:ProcessOutputChunk[] tail:ProcessOutputChunk[] omittedBytes:u53 gap:WaitGap? unknown:WaitUnknown[]?",
  WaitEvidence: "exitCode:i32? match:WaitMatch? idleMs:u53? bytes:u53? port:WaitListener? input:WaitAsker?",
  WaitMatch: "stream:'stdout'|'stderr'|'pty' from:OutputPlace to:OutputPlace text:string",
  OutputPlace: "seq:u64 offset:u64",
  WaitListener: "port:u16 host:string pid:u53",
  WaitAsker: "pid:u53 from:'terminal'|'stdin' echo:boolean? line:boolean? secret:boolean?",
  WaitGap: "from:u64 to:u64",
  WaitUnknown: "index:u53 why:string",
  HistoryResponse:
    "chunks:ProcessOutputChunk[] times:u53[]? sizes:OutputSize[]? byte:u53 line:u53 nextByte:u53 eof:boolean closed:boolean ended:HistoryEnd? lost:HistoryLoss?",
  OutputSize: "afterSeq:u64 rows:u16 columns:u16",
  HistoryEnd: "reason:'full'|'failed' byte:u53 message:string",
  HistoryLoss: "bytes:u53 message:string",
  GrepResponse:
    "matches:GrepMatch[] complete:boolean nextByte:u53 closed:boolean ended:HistoryEnd? lost:HistoryLoss?",
  GrepMatch: "line:u53 byte:u53 seq:u64 text:string before:string[]? after:string[]?",
  ScreenResponse:
    "seq:u64 fromSeq:u64 size:ScreenSize cursor:ScreenCursor title:string alternate:boolean scrollback:u53 text:string? ansi:string? lines:ScreenLine[]?",
  ScreenSize: "rows:u16 columns:u16",
  ScreenCursor: "row:u53 column:u53 visible:boolean shape:'block'|'underline'|'bar' blinks:boolean",
  ScreenLine: "wrapped:true? spans:ScreenSpan[]",
  ScreenSpan:
    "text:string columns:u53? foreground:color? background:color? bold:true? dim:true? italic:true? underline:true? blink:true? inverse:true? invisible:true? strikethrough:true? overline:true?",
  FsReadFileResponse: "dataBase64:bytes",
  FsWriteFileResponse: "",
  FsCreateDirectoryResponse: "",
  FsGetMetadataResponse:
    "isDirectory:boolean isFile:boolean isSymlink:boolean size:number createdAtMs:number modifiedAtMs:number",
  FsCanonicalizeResponse: "path:string",
  FsReadDirectoryResponse: "entries:FsReadDirectoryEntry[]",
  FsReadDirectoryEntry: "fileName:string isDirectory:boolean isFile:boolean",
  FsWalkResponse: "entries:FsWalkEntry[] errors:FsWalkError[] truncated:boolean",
  FsWalkEntry: "path:string kind:'file'|'directory'",
  FsWalkError: "path:string message:string",
  FsRemoveResponse: "",
  FsCopyResponse: "",
  FsRenameResponse: "",
  FsSetModeResponse: "",
  FsCreateSymlinkResponse: "",
  FsOpenResponse: "handleId:string",
  FsReadBlockResponse: "chunk:bytes eof:boolean",
  FsWriteBlockResponse: "",
  FsCloseResponse: "",
  FsWatchMissingResponse: "watching:boolean",
  HttpRequestResult: "status:int headers:HttpResponseHeader[] bodyBase64:bytes",
  HttpResponseHeader: "name:string value:string",
  ProcessAttachResponse: "processId:string process:ListedProcess firstSeq:u64 writer:boolean",
  ListedProcess:
    "processId:string session:u53 attached:boolean name:string? labels:string{} argv:string[] cwd:string pid:u53~ tty:boolean terminalSize:TerminalSize? startedAtMs:u53 endedAtMs:u53? state:'starting'|'running'|'exited'|'closed' exitCode:i32~ bytes:u53 nextSeq:u64 kept:boolean? restarts:u53?",
  TerminalSize: "rows:u16 columns:u16",
  ProcessDetachResponse: "",
  ResizeResponse: "",
  CloseStdinResponse: "",
  ProcessListResponse: "processes:ListedProcess[] nextCursor:string~",
  ProcessChangesResponse: "changes:ProcessChange[] nextSeq:u64 missed:boolean?",
  ProcessChange: "seq:u64 kind:'started'|'restarted'|'exited'|'removed' atMs:u53 process:ListedProcess",
  SessionListResponse: "sessions:ListedSession[] nextCursor:string~",
  ListedSession: "session:u53 own:boolean attached:boolean openedAtMs:u53 processes:u53",
  SessionEndResponse: "",
  ExecOutputDeltaNotification: "processId:string seq:u64 stream:'stdout'|'stderr'|'pty' chunk:bytes",
  ProcessMarkNotification:
    "processId:string seq:u64 kind:'promptStart'|'commandStart'|'commandEnd' exitCode:i32~ cwd:string~",
  ProcessGapNotification: "processId:string from:u64 to:u64 screen:ScreenResponse?",
  ExecExitedNotification:
    "processId:string seq:u64 exitCode:i32 sandboxDenied:boolean?=false limit:'mem'|'pids'|'time'? oomKilled:boolean? endedBy:'exit'|'signal'|'terminate'|'timeout'|'idleTimeout'|'sessionEnd'|'serverEnd'|'limit'? signal:u53?",
  ExecClosedNotification: "processId:string seq:u64 receipt:Receipt?",
  SessionTakenNotification: "sessionId:string",
  FsMissingChangedNotification: "watchId:bigint",
  HttpRequestBodyDelta: "requestId:string seq:u64 deltaBase64:bytes done:boolean?=false error:string~?",
  ProcessWriterNotification: "processId:string writer:boolean",
  ProcessDetachedNotification: "processId:string reason:'removed'|'sessionEnd'",
}

/** The fields of a start, each with the capability that it needs; empty for none. */
export const startFields: { readonly [K in keyof Schema.Schema.Encoded<typeof StartParams>]-?: string } = {
  processId: "",
  metadata: "",
  argv: "",
  cwd: "",
  envPolicy: "",
  shellSnapshot: "",
  env: "",
  tty: "",
  pipeStdin: "",
  arg0: "",
  sandbox: "",
  enforceManagedNetwork: "",
  managedNetwork: "",
  networkProxy: "",
  terminalSize: "processResize",
  name: "processList",
  labels: "processList",
  receipt: "processReceipt",
  timeoutMs: "processDeadlines",
  idleTimeoutMs: "processDeadlines",
  killGraceMs: "processDeadlines",
  signalOnTimeout: "processDeadlines",
  ending: "processDeadlines",
  marks: "processMarks",
  answers: "processAnswers",
  restart: "processRestart",
  credit: "processCredit",
  keep: "processControlAll",
  autoRemove: "processAutoRemove",
  pid: "processPid",
  history: "outputHistory",
}

/** The fields of a read that have events of features, each with their kind. */
export const readEvents: { readonly [field: string]: string } = {
  marks: "mark",
}
