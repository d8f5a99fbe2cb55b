"""The types of the wire, from procwire.schema.json. Written by `npm run schema`."""

from typing import Any, Dict, List, Literal, TypedDict, Union

WIRE_VERSION = "1.1"

# The codes of errors.
METHOD_NOT_FOUND = -32601
INVALID_REQUEST = -32600
INVALID_PARAMS = -32602
INTERNAL_ERROR = -32603
SESSION_ATTACHED = -32010
SESSION_TAKEN = -32012
SHUTTING_DOWN = -32011
REQUEST_CANCELLED = -32800
NOT_FOUND = -32004

# Whether a request whose answer was lost may be sent again.
IDEMPOTENT = {
    "initialize": "never",
    "environment/info": "always",
    "environment/status": "always",
    "process/start": "never",
    "process/read": "always",
    "process/write": "conditional",
    "process/signal": "never",
    "process/terminate": "always",
    "process/restart": "never",
    "process/resize": "always",
    "process/closeStdin": "always",
    "process/credit": "never",
    "process/wait": "always",
    "process/history": "always",
    "process/grep": "always",
    "process/list": "always",
    "process/changes": "always",
    "session/list": "always",
    "session/end": "never",
    "process/attach": "never",
    "process/detach": "never",
    "process/screen": "always",
    "fs/readFile": "always",
    "fs/writeFile": "always",
    "fs/createDirectory": "conditional",
    "fs/getMetadata": "always",
    "fs/canonicalize": "always",
    "fs/readDirectory": "always",
    "fs/walk": "always",
    "fs/remove": "conditional",
    "fs/copy": "never",
    "fs/rename": "never",
    "fs/setMode": "always",
    "fs/createSymlink": "never",
    "fs/open": "never",
    "fs/readBlock": "never",
    "fs/writeBlock": "never",
    "fs/close": "always",
    "fs/watchMissing": "never",
    "http/request": "never",
    "initialized": "never",
    "request/cancel": "never",
    "process/output": "never",
    "process/mark": "never",
    "process/exited": "never",
    "process/closed": "never",
    "process/gap": "never",
    "process/writer": "never",
    "process/detached": "never",
    "session/taken": "never",
    "fs/missingChanged": "never",
    "http/request/bodyDelta": "never",
}


class _InitializeParams(TypedDict):
    clientName: str


class InitializeParams(_InitializeParams, total=False):
    """`resumeSessionId` resumes a session whose connection has ended. With the capability `sessionReplay`,
    `replayAfter` maps ids of its processes to the last seq that the client has received: retained events
    above it are sent behind the answer, then new ones. With the capability `processCredit`, `credit` maps
    ids to the bytes of output that may be pushed before a `process/credit`: no credit of an earlier
    connection counts, and a process that is not named is pushed without a bound. With the capability
    `sessionTakeover`, `takeover: true` resumes the session also while another connection has it, which
    ends. Unknown ids are ignored, and so are all three without `resumeSessionId`."""
    resumeSessionId: Union[str, None]
    replayAfter: Union[Dict[str, int], None]
    credit: Union[Dict[str, int], None]
    takeover: Union[bool, None]


class InitializeResult(TypedDict):
    """`sessionId` is a UUID v4. It is a secret: every client that knows it may resume the session."""
    sessionId: str
    environmentInfo: "EnvironmentInfo"


class _EnvironmentInfo(TypedDict):
    shell: "Shell"


class EnvironmentInfo(_EnvironmentInfo, total=False):
    """Paths are `file:` URIs. Only `shell` is always there; older servers leave out the rest."""
    executorVersion: str
    providerId: Union[str, None]
    cwd: Union[str, None]
    userHomeDir: Union[str, None]
    platformOs: Union[str, None]
    prependPathDirs: List[str]
    temporaryDirectories: List[str]
    tempDir: Union[str, None]
    capabilities: "PartialCapabilities"


class Shell(TypedDict):
    """The user's shell. `name` is its base name, `path` a native path."""
    name: str
    path: str


class PartialCapabilities(TypedDict, total=False):
    """What a server can do; a client must not use what is absent or false."""
    networkProxyLaunch: bool
    networkProxyReviewDomains: bool
    networkProxyTransparentTcp: bool
    credentialMasking: bool
    credentialMaskingCustomProviders: bool
    capabilityDiscoverySandbox: bool
    fsWatchMissing: bool
    capabilityDiscoveryV2: bool
    environmentConfigRead: bool
    httpHeaderEnvVars: bool
    sandboxedFileStreaming: bool
    fileWriteStreaming: bool
    shellSnapshotV2: bool
    windowsMxc: bool
    linuxRootWritePreservesDevices: bool
    linuxApprovedRootWritePreservesRestrictions: bool
    processResize: bool
    processCloseStdin: bool
    processSignals: bool
    sessionReplay: bool
    sessionTakeover: bool
    processCredit: bool
    processReceipt: bool
    requestCancel: bool
    processWait: bool
    processWaitPort: bool
    processWaitInput: bool
    processDeadlines: bool
    outputHistory: bool
    processList: bool
    processChanges: bool
    processListAll: bool
    processMarks: bool
    processAttach: bool
    processAttachAll: bool
    processControlAll: bool
    processScreen: bool
    processRestart: bool
    processAutoRemove: bool
    processAnswers: bool
    processPid: bool
    sessionEnd: bool
    fsChange: bool


class EnvironmentStatus(TypedDict):
    """The server is alive."""
    status: Literal["ready"]


class _WireExecParams(TypedDict):
    processId: str
    argv: List[str]
    cwd: str
    env: Dict[str, str]
    tty: bool


class WireExecParams(_WireExecParams, total=False):
    """`cwd` is a `file:` URI (or, from earlier clients, an absolute native path). `env` is added to what the
    policy gives; without a policy it is the whole environment. `arg0` replaces the `argv[0]` that the child
    sees."""
    metadata: Union["ExecMetadata", None]
    envPolicy: Union["ExecEnvPolicy", None]
    shellSnapshot: Union["ShellSnapshotRequest", None]
    pipeStdin: bool
    arg0: Union[str, None]
    sandbox: Union["WireFileSystemSandboxContext", None]
    enforceManagedNetwork: bool
    managedNetwork: Union["ManagedNetworkSandboxContext", None]
    networkProxy: Union["RemoteNetworkProxyLaunchConfig", None]
    terminalSize: Union["TerminalSize", None]
    credit: Union[int, None]
    receipt: Union[bool, None]
    history: Union["OutputHistory", None]
    timeoutMs: Union[int, None]
    idleTimeoutMs: Union[int, None]
    killGraceMs: Union[int, None]
    signalOnTimeout: Union["Signal", None]
    ending: Union[bool, None]
    name: Union[str, None]
    labels: Union[Dict[str, str], None]
    marks: Union[bool, None]
    keep: Union[bool, None]
    restart: Union["RestartPolicy", None]
    autoRemove: Union[bool, None]
    answers: Union[bool, None]
    pid: Union[bool, None]


class ExecMetadata(TypedDict, total=False):
    """What a start belongs to, for logs."""
    threadId: Union[str, None]
    toolCallId: Union[str, None]


class ExecEnvPolicy(TypedDict):
    """Which environment variables of the server a child inherits. Patterns are case-insensitive, with `*` and
    `?`."""
    inherit: Literal["core", "all", "none"]
    ignoreDefaultExcludes: bool
    exclude: List[str]
    set: Dict[str, str]
    includeOnly: List[str]


class ShellSnapshotRequest(TypedDict):
    """A snapshot of the user's shell in which a command is to run."""
    scopeId: str
    shell: "ShellInfo"


class ShellInfo(TypedDict):
    """The shell of a snapshot."""
    name: str
    path: str


class _WireFileSystemSandboxContext(TypedDict):
    permissions: "ExecPermissionProfile"
    windowsSandboxLevel: Literal["disabled", "restricted-token", "elevated", "mxc"]


class WireFileSystemSandboxContext(_WireFileSystemSandboxContext, total=False):
    """`policyContext` overrides `cwd` and `workspaceRoots` as what the kinds of a profile refer to."""
    sandboxOverride: Literal["noOverride", "escalatedSandboxWithRestrictions", "bypassSandboxFirstAttempt"]
    cwd: Union[str, None]
    policyContext: Union["WireFileSystemPolicyContext", None]
    workspaceRoots: List[str]
    userHomeDir: Union[str, None]
    temporaryDirectories: Union[List[str], None]
    windowsSandboxProxySettingsMode: Union[Literal["reconcile", "preserve"], None]
    useLegacyLandlock: bool


class ExecPermissionProfileManaged(TypedDict):
    """What this object says."""
    type: Literal["managed"]
    file_system: "ExecManagedFileSystemPermissions"
    network: Literal["restricted", "enabled"]


class _ExecManagedFileSystemPermissionsRestricted(TypedDict):
    type: Literal["restricted"]
    entries: List["ExecFileSystemSandboxEntry"]


class ExecManagedFileSystemPermissionsRestricted(_ExecManagedFileSystemPermissionsRestricted, total=False):
    """Only what entries allow."""
    glob_scan_max_depth: Union[int, None]


class ExecFileSystemSandboxEntry(TypedDict):
    """The access to a place and to everything below it that has no entry of its own."""
    path: "ExecFileSystemPath"
    access: Literal["read", "write", "deny", "none"]


class ExecFileSystemPathPath(TypedDict):
    """A path."""
    type: Literal["path"]
    path: str


class ExecFileSystemPathGlobPattern(TypedDict):
    """A pattern of paths."""
    type: Literal["glob_pattern"]
    pattern: str


class ExecFileSystemPathSpecial(TypedDict):
    """A place that depends on the host or the request."""
    type: Literal["special"]
    value: "FileSystemSpecialPath"


class FileSystemSpecialPathRoot(TypedDict):
    """The root of the host."""
    kind: Literal["root"]


class FileSystemSpecialPathMinimal(TypedDict):
    """What programs need to run."""
    kind: Literal["minimal"]


class _FileSystemSpecialPathProjectRoots(TypedDict):
    kind: Literal["current_working_directory", "project_roots"]


class FileSystemSpecialPathProjectRoots(_FileSystemSpecialPathProjectRoots, total=False):
    """The roots of the project."""
    subpath: Union[str, None]


class FileSystemSpecialPathTmpdir(TypedDict):
    """The folder for temporary files."""
    kind: Literal["tmpdir"]


class FileSystemSpecialPathSlashTmp(TypedDict):
    """`/tmp`."""
    kind: Literal["slash_tmp"]


class _FileSystemSpecialPathUnknown(TypedDict):
    kind: Literal["unknown"]
    path: str


class FileSystemSpecialPathUnknown(_FileSystemSpecialPathUnknown, total=False):
    """A kind of a later version, which matches nothing."""
    subpath: Union[str, None]


class ExecManagedFileSystemPermissionsUnrestricted(TypedDict):
    """Everything."""
    type: Literal["unrestricted"]


class ExecPermissionProfileDisabled(TypedDict):
    """Everything: there is no confinement."""
    type: Literal["disabled"]


class ExecPermissionProfileExternal(TypedDict):
    """Something else confines the server."""
    type: Literal["external"]
    network: Literal["restricted", "enabled"]


class WireFileSystemPolicyContext(TypedDict, total=False):
    """What the kinds of a profile refer to."""
    cwd: Union[str, None]
    workspaceRoots: List[str]


class ManagedNetworkSandboxContext(TypedDict, total=False):
    """The managed network of a confined process."""
    transparentTcp: bool
    loopbackPorts: List[int]
    allowLocalBinding: bool


class RemoteNetworkProxyLaunchConfig(TypedDict):
    """A network proxy for the process."""
    proxy: "RemoteNetworkProxyConfig"


class RemoteNetworkProxyConfig(TypedDict, total=False):
    """The settings of a network proxy. Others than these are not read."""
    transparentTcp: bool


class TerminalSize(TypedDict):
    """The size of a PTY in character cells."""
    rows: int
    columns: int


class OutputHistory(TypedDict):
    """With the capability `outputHistory`: the output of a process is kept in files, with its seqs. They take
    at most `maxBytes` (at least 1,048,576), 40 for each chunk included; beyond that the oldest output goes.
    `process/read` has them, too."""
    maxBytes: int


class _RestartPolicy(TypedDict):
    policy: Literal["no", "onFailure", "always"]


class RestartPolicy(_RestartPolicy, total=False):
    """When the child of a process is followed by another one, with the same arguments, directory and
    variables, in the same process: its id, its log and its terminal go on, and it exits and closes when
    none follows. `no`: only by `process/restart`. `onFailure`: also when it has exited with another code
    than 0, or by a signal that no client has sent; `always`: with 0 as well. At most `most` times without a
    client (default: no bound).
    The next child begins when nothing is left of the group of the one before, and all its output was read,
    after a pause: 100 ms, then twice the one before, a minute at most, and anew behind a child that has run
    for 10 seconds. `process/terminate`, SIGTERM and SIGKILL of a client and deadlines end the process, also
    in a pause."""
    most: Union[int, None]


class _ExecResponse(TypedDict):
    processId: str
    sandboxType: Literal["none", "linuxSeccomp", "macosSeatbelt", "windowsRestrictedToken"]


class ExecResponse(_ExecResponse, total=False):
    """`sandboxType` is `none` for a start without `sandbox`. Another one names the confinement of the
    platform, if any was asked for."""
    pid: int


class _ReadParams(TypedDict):
    processId: str


class ReadParams(_ReadParams, total=False):
    """Asks for chunks with a seq above `afterSeq`, at most `maxBytes` decoded bytes. If there is none and the
    process is not closed, the answer waits for one, up to `waitMs` milliseconds (long poll)."""
    afterSeq: Union[int, None]
    maxBytes: Union[int, None]
    waitMs: Union[int, None]


class _ReadResponse(TypedDict):
    chunks: List["ProcessOutputChunk"]
    nextSeq: int
    exited: bool
    exitCode: Union[int, None]
    closed: bool
    failure: Union[str, None]


class ReadResponse(_ReadResponse, total=False):
    """`nextSeq - 1` is the `afterSeq` of the next read. `failure` is always null. A closed process has its
    receipt, if its start has asked for one. With the capability `outputHistory`, a read without `maxBytes`
    may have less than all there is: then `more` is true, the rest tells of the process as if it had printed
    no more, and the next read goes on there."""
    sandboxDenied: bool
    limit: Literal["mem", "pids", "time"]
    oomKilled: bool
    endedBy: "EndedBy"
    signal: int
    receipt: "Receipt"
    more: bool
    marks: List["ProcessMark"]


class ProcessOutputChunk(TypedDict):
    """One at the edge of what was asked for may be a part of its chunk."""
    seq: int
    stream: Literal["stdout", "stderr", "pty"]
    chunk: str


class _Receipt(TypedDict):
    streams: "ReceiptStreams"
    endedBy: "EndedBy"
    startedAtMs: int
    endedAtMs: int


class Receipt(_Receipt, total=False):
    """What a process wrote and how it ended."""
    limit: Literal["mem", "pids", "time"]
    coreDumped: bool
    oomKilled: bool
    userCpuMicros: int
    systemCpuMicros: int
    peakMemory: "PeakMemory"
    signal: int


class ReceiptStreams(TypedDict, total=False):
    """The streams of a process, also those without output."""
    stdout: "StreamReceipt"
    stderr: "StreamReceipt"
    pty: "StreamReceipt"


class _StreamReceipt(TypedDict):
    bytes: int
    chunks: int
    unreadBytes: int


class StreamReceipt(_StreamReceipt, total=False):
    """One stream of a process as the child wrote it."""
    sha256: str
    firstSeq: int
    lastSeq: int


class PeakMemory(TypedDict):
    """The peak of a child's resident memory."""
    bytes: int
    exact: bool


class ProcessMark(TypedDict):
    """A mark. `exitCode` is that of a command that has ended, if the shell tells it; `cwd` the directory of
    the shell, as it has last told it. Both are null otherwise."""
    seq: int
    kind: "MarkKind"
    exitCode: Union[int, None]
    cwd: Union[str, None]


class _WriteParams(TypedDict):
    processId: str
    chunk: str


class WriteParams(_WriteParams, total=False):
    """A write with a `writeId` that was accepted before is accepted again without being written again."""
    writeId: str


class WriteResponse(TypedDict):
    """`accepted` means that the bytes are queued for stdin."""
    status: Literal["accepted", "unknownProcess", "stdinClosed", "starting"]


class SignalParams(TypedDict):
    """Sends a signal to the process group: one of the words, or with the capability `processDeadlines` any
    name or number."""
    processId: str
    signal: "Signal"


class _TerminateParams(TypedDict):
    processId: str


class TerminateParams(_TerminateParams, total=False):
    """Kills the process group. With the capability `processDeadlines` and `signal` or `graceMs` it sends the
    signal first (the default is SIGTERM), and kills what is left of the process and its descendants after
    the grace (the default is that of the start). The answer does not wait for that. With the capability
    `processAttach` and `remove`, the process is forgotten as soon as it is closed, at once if it is."""
    signal: Union["Signal", None]
    graceMs: Union[int, None]
    remove: Union[bool, None]


class TerminateResponse(TypedDict):
    """`running` is true if the process was alive when the request came."""
    running: bool


class _RestartParams(TypedDict):
    processId: str


class RestartParams(_RestartParams, total=False):
    """Starts a process again whose start has had `restart`. One that runs gets a signal (default SIGTERM), and
    SIGKILL after the grace (the default is that of the start); the answer comes when its next child runs.
    One that is closed is forgotten, and a new process has its id, its name and all else of its start; its
    log is empty."""
    signal: Union["Signal", None]
    graceMs: Union[int, None]


class ResizeParams(TypedDict):
    """With the capability `processResize`: sets the size of the PTY, whose foreground process group gets
    SIGWINCH."""
    processId: str
    rows: int
    columns: int


class CloseStdinParams(TypedDict):
    """With the capability `processCloseStdin`: closes a piped stdin after what was written before."""
    processId: str


class CreditParams(TypedDict):
    """With the capability `processCredit`: the server may push so many more bytes of output of this process
    (decoded, and a chunk counts as 64 at least) on this connection. A process is under credit if its start,
    or the `initialize` that resumed its session, names one, or from its first `process/credit` on. A chunk
    that does not fit in what is left waits, with everything behind it; `process/read` is free."""
    processId: str
    bytes: int


class _WaitParams(TypedDict):
    processId: str
    until: List["WaitCondition"]


class WaitParams(_WaitParams, total=False):
    """Waits until one condition of `until` holds, at most `timeoutMs` (absent: no bound), or until the process
    is closed. Of several that hold, the first of the list counts. The answer has at most `maxBytes` of the
    output after `afterSeq` (default 65,536)."""
    afterSeq: Union[int, None]
    timeoutMs: Union[int, None]
    maxBytes: Union[int, None]


class WaitCondition(TypedDict, total=False):
    """One condition: exactly one of `exit`, `closed`, `input` (each true), `pattern`, `idleMs`, `bytes` and
    `port`.

    - `exit`: the process has exited. `closed`: no output follows either.
    - `pattern`: the output behind `afterSeq` has a match, of one stream, also across chunks. `stream` names
    the stream; absent is any. `flags` are letters: `i` (either case), `m` (`^` and `$` at every line), `s`
    (`.` also at the end of a line), `l` (the pattern is plain text).
    - `idleMs`: for so long nothing was printed, counted from the begin of the wait.
    - `bytes`: so many bytes were printed behind `afterSeq`.
    - `port`: the process or a descendant listens on this TCP port, reached as `host`: an IP address or
    `localhost`; absent is any address. With the capability `processWaitPort`.
    - `input`: the process or a descendant waits for input, and nothing is left to be read. With the
    capability `processWaitInput`."""
    exit: Union[bool, None]
    closed: Union[bool, None]
    pattern: Union[str, None]
    stream: Union[Literal["stdout", "stderr", "pty"], None]
    flags: Union[str, None]
    idleMs: Union[int, None]
    bytes: Union[int, None]
    port: Union[int, None]
    host: Union[str, None]
    input: Union[bool, None]


class _WaitResponse(TypedDict):
    met: Union[int, None]
    evidence: Union["WaitEvidence", None]
    nextSeq: int
    exited: bool
    exitCode: Union[int, None]
    closed: bool
    head: List["ProcessOutputChunk"]
    tail: List["ProcessOutputChunk"]
    omittedBytes: int


class WaitResponse(_WaitResponse, total=False):
    """`met` is the index of the condition that holds; null at the timeout, and when the process is closed and
    nothing asked for that. `head` and `tail` are the output after `afterSeq`, of which `omittedBytes` lie
    between the two. `gap` are seqs that the server had no longer when the wait began. `unknown` names
    conditions of which nothing is known, and why."""
    gap: "WaitGap"
    unknown: List["WaitUnknown"]


class WaitEvidence(TypedDict, total=False):
    """What shows that the condition holds: the member that belongs to it."""
    exitCode: int
    match: "WaitMatch"
    idleMs: int
    bytes: int
    port: "WaitListener"
    input: "WaitAsker"


WaitMatch = TypedDict("WaitMatch", {
    "stream": Literal["stdout", "stderr", "pty"],
    "from": "OutputPlace",
    "to": "OutputPlace",
    "text": str,
}, total=False)


class OutputPlace(TypedDict):
    """A place between two bytes: in front of the byte of that index in the chunk of that seq."""
    seq: int
    offset: int


class WaitListener(TypedDict):
    """Who listens, and on which address."""
    port: int
    host: str
    pid: int


WaitAsker = TypedDict("WaitAsker", {
    "pid": int,
    "from": Literal["terminal", "stdin"],
    "echo": bool,
    "line": bool,
    "secret": bool,
}, total=False)


WaitGap = TypedDict("WaitGap", {
    "from": int,
    "to": int,
}, total=False)


class WaitUnknown(TypedDict):
    """A condition of which nothing is known."""
    index: int
    why: str


HistoryParams = TypedDict("HistoryParams", {
    "processId": str,
    "from": Union["OutputPoint", None],
    "to": Union["OutputPoint", None],
    "maxBytes": Union[int, None],
    "tail": Union[int, None],
    "times": Union[bool, None],
}, total=False)


class OutputPoint(TypedDict, total=False):
    """A place in the output: in front of a seq, of a byte (from 0), of a line (from 1), or of what was printed
    at a time (milliseconds since 1970). Exactly one of them. Bytes and lines are counted over all streams
    in the order of seq, as `command > file 2>&1` writes them."""
    seq: Union[int, None]
    byte: Union[int, None]
    line: Union[int, None]
    time: Union[int, None]


class _HistoryResponse(TypedDict):
    chunks: List["ProcessOutputChunk"]
    byte: int
    line: int
    nextByte: int
    eof: bool
    closed: bool


class HistoryResponse(_HistoryResponse, total=False):
    """The part begins at `byte`, in `line`: behind `from`, if what is there is no longer kept. `nextByte` is
    where to read on. `eof`: nothing of what was asked for follows, for now; `closed`: the process prints
    nothing more. `times` says for each of the chunks when it was taken, in milliseconds since 1970; `sizes`
    which size the PTY had for the first chunk, and after which seq it had another."""
    times: List[int]
    sizes: List["OutputSize"]
    ended: "HistoryEnd"
    lost: "HistoryLoss"


class OutputSize(TypedDict):
    """The size of a PTY for the output behind a seq."""
    afterSeq: int
    rows: int
    columns: int


class HistoryEnd(TypedDict):
    """A history that has ended before its process: `full`, there is no room on the disk for any; `failed`, for
    another reason. What was printed behind `byte` is not in it."""
    reason: Literal["full", "failed"]
    byte: int
    message: str


class HistoryLoss(TypedDict):
    """Output that is not kept, since the disk was full: so many of the oldest bytes, although `maxBytes`
    allows them."""
    bytes: int
    message: str


GrepParams = TypedDict("GrepParams", {
    "processId": str,
    "pattern": str,
    "flags": Union[str, None],
    "from": Union["OutputPoint", None],
    "to": Union["OutputPoint", None],
    "before": Union[int, None],
    "after": Union[int, None],
    "maxMatches": Union[int, None],
}, total=False)


class _GrepResponse(TypedDict):
    matches: List["GrepMatch"]
    complete: bool
    nextByte: int
    closed: bool


class GrepResponse(_GrepResponse, total=False):
    """`complete`: everything was looked at that was asked for and has been printed; of a running process that
    ends with the last end of a line. The next page, and later what is printed meanwhile, is `from: {byte:
    nextByte}`."""
    ended: "HistoryEnd"
    lost: "HistoryLoss"


class _GrepMatch(TypedDict):
    line: int
    byte: int
    seq: int
    text: str


class GrepMatch(_GrepMatch, total=False):
    """A line with a match: its number, the byte where it begins, the chunk with that byte, and at most its
    first 4,096 bytes, as those of the lines around it."""
    before: List[str]
    after: List[str]


class ProcessListParams(TypedDict, total=False):
    """Asks for a page of processes, oldest first: at most `limit` (default 100; a page has at most 500),
    behind `cursor`, the `nextCursor` of the page before. Only those that have `name`, all of `labels` and
    one of `states`, where given."""
    sessions: Union[Literal["own", "all"], None]
    limit: Union[int, None]
    cursor: Union[str, None]
    name: Union[str, None]
    labels: Union[Dict[str, str], None]
    states: Union[List["ProcessState"], None]


class ProcessListResponse(TypedDict):
    """A page. `nextCursor` is null behind the last one; a page may have fewer rows than were asked for, even
    none, and not be the last. Processes that start or are forgotten meanwhile change nothing for the
    others: each has its place."""
    processes: List["ListedProcess"]
    nextCursor: Union[str, None]


class _ListedProcess(TypedDict):
    processId: str
    session: int
    attached: bool
    labels: Dict[str, str]
    argv: List[str]
    cwd: str
    pid: Union[int, None]
    tty: bool
    startedAtMs: int
    state: "ProcessState"
    exitCode: Union[int, None]
    bytes: int
    nextSeq: int


class ListedProcess(_ListedProcess, total=False):
    """A process. `session` is the number of its session, `attached` whether a connection has that session.
    `cwd` is a `file:` URI. `terminalSize` is there with a PTY. `bytes` were written so far; its next event
    has the seq `nextSeq`."""
    name: str
    terminalSize: "TerminalSize"
    endedAtMs: int
    kept: bool
    restarts: int


class ProcessChangesParams(TypedDict, total=False):
    """Asks for the changes above `afterSeq`, and waits up to `waitMs` milliseconds for one if there are none.
    Without `afterSeq` the answer has none, and tells from where on there are any."""
    sessions: Union[Literal["own", "all"], None]
    afterSeq: Union[int, None]
    waitMs: Union[int, None]


class _ProcessChangesResponse(TypedDict):
    changes: List["ProcessChange"]
    nextSeq: int


class ProcessChangesResponse(_ProcessChangesResponse, total=False):
    """Changes, oldest first. `nextSeq` is where to read on: `afterSeq` of the next request is one less."""
    missed: bool


class ProcessChange(TypedDict):
    """A change. Its `seq` is counted over all sessions of the server."""
    seq: int
    kind: "ProcessChangeKind"
    atMs: int
    process: "ListedProcess"


class SessionListParams(TypedDict, total=False):
    """Asks for a page of sessions, oldest first."""
    sessions: Union[Literal["own", "all"], None]
    limit: Union[int, None]
    cursor: Union[str, None]


class SessionListResponse(TypedDict):
    """A page; see `ListResult`."""
    sessions: List["ListedSession"]
    nextCursor: Union[str, None]


class ListedSession(TypedDict):
    """A session: its number, whether it is that of the client, and the processes that it has, closed ones
    included."""
    session: int
    own: bool
    attached: bool
    openedAtMs: int
    processes: int


ProcessAttachParams = TypedDict("ProcessAttachParams", {
    "processId": Union[str, None],
    "name": Union[str, None],
    "session": Union[int, None],
    "sessionId": Union[str, None],
    "as": Union[str, None],
    "afterSeq": Union[int, None],
    "role": Union["AttachmentRole", None],
    "take": Union[bool, None],
    "policy": Union["AttachmentPolicy", None],
    "credit": Union[int, None],
}, total=False)


class ProcessAttachResponse(TypedDict):
    """`processId` is the id of the attachment, `process` the process as lists show it, `firstSeq` the seq of
    the oldest output that is retained (or of the next event, without any), `writer` whether this client is
    the writer."""
    processId: str
    process: "ListedProcess"
    firstSeq: int
    writer: bool


class ProcessDetachParams(TypedDict):
    """Leaves a process, which goes on. The role of a writer goes back to who had it before, or to the owner."""
    processId: str


class _ScreenParams(TypedDict):
    processId: str


class ScreenParams(_ScreenParams, total=False):
    """Asks for the picture after the output up to and including `seq`; absent, or a seq that there is not yet:
    now. With at most `scrollback` of the lines that have left the screen at its top (default: none).
    `formats` is what the answer has of it (default: `text`)."""
    seq: Union[int, None]
    formats: Union[List["ScreenFormat"], None]
    scrollback: Union[int, None]


class _ScreenResponse(TypedDict):
    seq: int
    fromSeq: int
    size: "ScreenSize"
    cursor: "ScreenCursor"
    title: str
    alternate: bool
    scrollback: int


class ScreenResponse(_ScreenResponse, total=False):
    """The picture after the output up to and including `seq`. It was painted from the output that begins at
    `fromSeq`: 1, or what the server had when it was first asked. `scrollback` of the lines lie above the
    screen. `text` ends before the blanks at the ends of lines and before the blank lines at the end."""
    text: str
    ansi: str
    lines: List["ScreenLine"]


class ScreenSize(TypedDict):
    """The size of a terminal."""
    rows: int
    columns: int


class ScreenCursor(TypedDict):
    """Where the next character goes: row and column of the screen, counted from 0."""
    row: int
    column: int
    visible: bool
    shape: Literal["block", "underline", "bar"]
    blinks: bool


class _ScreenLine(TypedDict):
    spans: List["ScreenSpan"]


class ScreenLine(_ScreenLine, total=False):
    """A line of the terminal from its first column; what is not named at its end is blank."""
    wrapped: Literal[True]


class _ScreenSpan(TypedDict):
    text: str


class ScreenSpan(_ScreenSpan, total=False):
    """Characters that look the same, of one column each. With `columns` it is a single character, of so many
    columns, or one that is made of several code points."""
    columns: int
    foreground: Union[int, str]
    background: Union[int, str]
    bold: Literal[True]
    dim: Literal[True]
    italic: Literal[True]
    underline: Literal[True]
    blink: Literal[True]
    inverse: Literal[True]
    invisible: Literal[True]
    strikethrough: Literal[True]
    overline: Literal[True]


class _WireFsReadFileParams(TypedDict):
    path: str


class WireFsReadFileParams(_WireFsReadFileParams, total=False):
    """Asks for the whole content of a regular file."""
    followSymlinks: Union[bool, None]
    sandbox: Union["WireFileSystemSandboxContext", None]


class FsReadFileResponse(TypedDict):
    """The content of the file."""
    dataBase64: str


class _WireFsWriteFileParams(TypedDict):
    path: str
    dataBase64: str


class WireFsWriteFileParams(_WireFsWriteFileParams, total=False):
    """`dataBase64` is not decoded here: as in the peer, the handshake is checked before the base64."""
    followSymlinks: Union[bool, None]
    sandbox: Union["WireFileSystemSandboxContext", None]


class _WireFsCreateDirectoryParams(TypedDict):
    path: str


class WireFsCreateDirectoryParams(_WireFsCreateDirectoryParams, total=False):
    """`recursive` is true by default."""
    recursive: Union[bool, None]
    followSymlinks: Union[bool, None]
    sandbox: Union["WireFileSystemSandboxContext", None]


class _WireFsGetMetadataParams(TypedDict):
    path: str


class WireFsGetMetadataParams(_WireFsGetMetadataParams, total=False):
    """Asks for kind, size and times."""
    followSymlinks: Union[bool, None]
    sandbox: Union["WireFileSystemSandboxContext", None]


class FsGetMetadataResponse(TypedDict):
    """The target of the path; `isSymlink` is about its last component. Sizes in bytes, times in ms since 1970
    or 0."""
    isDirectory: bool
    isFile: bool
    isSymlink: bool
    size: float
    createdAtMs: float
    modifiedAtMs: float


class _WireFsCanonicalizeParams(TypedDict):
    path: str


class WireFsCanonicalizeParams(_WireFsCanonicalizeParams, total=False):
    """Asks for the path without symbolic links."""
    sandbox: Union["WireFileSystemSandboxContext", None]


class FsCanonicalizeResponse(TypedDict):
    """The path without symbolic links, as a `file:` URI."""
    path: str


class _WireFsReadDirectoryParams(TypedDict):
    path: str


class WireFsReadDirectoryParams(_WireFsReadDirectoryParams, total=False):
    """Asks for the entries of a folder."""
    sandbox: Union["WireFileSystemSandboxContext", None]


class FsReadDirectoryResponse(TypedDict):
    """The entries of a folder, at most 50,000, in no order."""
    entries: List["FsReadDirectoryEntry"]


class FsReadDirectoryEntry(TypedDict):
    """A link has the kind of its target; a dangling link is neither directory nor file."""
    fileName: str
    isDirectory: bool
    isFile: bool


class _WireFsWalkParams(TypedDict):
    path: str
    options: "WalkOptions"


class WireFsWalkParams(_WireFsWalkParams, total=False):
    """Asks for the tree below a folder."""
    sandbox: Union["WireFileSystemSandboxContext", None]


class _WalkOptions(TypedDict):
    maxDepth: int
    maxDirectories: int
    maxEntries: int
    followDirectorySymlinks: bool


class WalkOptions(_WalkOptions, total=False):
    """Limits of a walk. `pruneHiddenDirectories` lists folders whose name begins with a dot, but does not
    enter them."""
    pruneHiddenDirectories: bool


class FsWalkResponse(TypedDict):
    """The tree, breadth first; `truncated` is true if a limit other than `maxDepth` cut it."""
    entries: List["FsWalkEntry"]
    errors: List["FsWalkError"]
    truncated: bool


class FsWalkEntry(TypedDict):
    """A file or a folder below the path."""
    path: str
    kind: Literal["file", "directory"]


class FsWalkError(TypedDict):
    """What could not be looked at, and why."""
    path: str
    message: str


class _WireFsRemoveParams(TypedDict):
    path: str


class WireFsRemoveParams(_WireFsRemoveParams, total=False):
    """`recursive` and `force` are true by default."""
    recursive: Union[bool, None]
    force: Union[bool, None]
    followSymlinks: Union[bool, None]
    sandbox: Union["WireFileSystemSandboxContext", None]


class _WireFsCopyParams(TypedDict):
    sourcePath: str
    destinationPath: str
    recursive: bool


class WireFsCopyParams(_WireFsCopyParams, total=False):
    """A folder is copied only with `recursive`."""
    sandbox: Union["WireFileSystemSandboxContext", None]


class _WireFsRenameParams(TypedDict):
    sourcePath: str
    destinationPath: str


class WireFsRenameParams(_WireFsRenameParams, total=False):
    """Moves what `sourcePath` names; a link itself, not its target. `overwrite` is false by default: then
    nothing may be at `destinationPath`. With true it is replaced as by rename(2): a file or a link by
    anything but a folder, an empty folder by a folder."""
    overwrite: Union[bool, None]
    followSymlinks: Union[bool, None]
    sandbox: Union["WireFileSystemSandboxContext", None]


class _WireFsSetModeParams(TypedDict):
    path: str
    mode: int


class WireFsSetModeParams(_WireFsSetModeParams, total=False):
    """Sets the permission bits of what the path leads to."""
    followSymlinks: Union[bool, None]
    sandbox: Union["WireFileSystemSandboxContext", None]


class _WireFsCreateSymlinkParams(TypedDict):
    target: str
    path: str


class WireFsCreateSymlinkParams(_WireFsCreateSymlinkParams, total=False):
    """Makes a symbolic link at `path`, where nothing may be. `target` is its text, a native path that need not
    exist."""
    followSymlinks: Union[bool, None]
    sandbox: Union["WireFileSystemSandboxContext", None]


class _WireFsOpenParams(TypedDict):
    handleId: str
    path: str


class WireFsOpenParams(_WireFsOpenParams, total=False):
    """Opens a file under a handle; `mode` is `read` by default."""
    mode: Literal["read", "replace"]
    sandbox: Union["WireFileSystemSandboxContext", None]


class FsOpenResponse(TypedDict):
    """The handle of the request."""
    handleId: str


class FsReadBlockParams(TypedDict):
    """Asks for up to `len` bytes (1 to 1 MiB) at `offset`."""
    handleId: str
    offset: int
    len: int


class FsReadBlockResponse(TypedDict):
    """`eof` is true if fewer than `len` bytes were read."""
    chunk: str
    eof: bool


class FsWriteBlockParams(TypedDict):
    """Writes `chunk` (1 byte to 1 MiB) at `offset`."""
    handleId: str
    offset: int
    chunk: str


class FsCloseParams(TypedDict):
    """Closes a handle; an unknown one is no error."""
    handleId: str


class _FsWatchMissingParams(TypedDict):
    watchId: int
    missing: List[str]


class FsWatchMissingParams(_FsWatchMissingParams, total=False):
    """A connection has one watch: a request with a greater `watchId` replaces it."""
    present: Union[str, None]


class FsWatchMissingResponse(TypedDict):
    """`watching` is false if the server does not watch."""
    watching: bool


class _HttpRequestParams(TypedDict):
    method: str
    url: str
    requestId: str


class HttpRequestParams(_HttpRequestParams, total=False):
    """`timeoutMs` bounds the whole exchange, redirects and body included. `requestId` is repeated in the
    frames."""
    headers: List["HttpHeader"]
    bodyBase64: Union[str, None]
    timeoutMs: Union[int, None]
    redirectPolicy: Literal["follow", "stop"]
    streamResponse: bool


class _HttpHeader(TypedDict):
    name: str
    value: str


class HttpHeader(_HttpHeader, total=False):
    """A header of the request. With the capability `httpHeaderEnvVars`, `valueEnvVar` names an environment
    variable of the server whose value is appended to `value`."""
    valueEnvVar: Union[str, None]


class HttpRequestResult(TypedDict):
    """Header names are in lower case and in the order in which they came. The body is empty if it is streamed."""
    status: int
    headers: List["HttpResponseHeader"]
    bodyBase64: str


class HttpResponseHeader(TypedDict):
    """A header of the response."""
    name: str
    value: str


class RequestCancelNotification(TypedDict):
    """Names the request whose answer the client no longer waits for."""
    id: Any


class ExecOutputDeltaNotification(TypedDict):
    """A piece of output, as soon as it is there."""
    processId: str
    seq: int
    stream: Literal["stdout", "stderr", "pty"]
    chunk: str


class ProcessMarkNotification(TypedDict):
    """A mark in the output of a process. It follows the output that ends with it, and has a seq of its own."""
    processId: str
    seq: int
    kind: "MarkKind"
    exitCode: Union[int, None]
    cwd: Union[str, None]


class _ExecExitedNotification(TypedDict):
    processId: str
    seq: int
    exitCode: int


class ExecExitedNotification(_ExecExitedNotification, total=False):
    """The process has exited; output may still follow. `exitCode` is 128 + n after death by signal n."""
    sandboxDenied: bool
    limit: Literal["mem", "pids", "time"]
    oomKilled: bool
    endedBy: "EndedBy"
    signal: int


class _ExecClosedNotification(TypedDict):
    processId: str
    seq: int


class ExecClosedNotification(_ExecClosedNotification, total=False):
    """The process has exited and no output follows. `receipt` is there if its start has asked for it."""
    receipt: "Receipt"


ProcessGapNotification = TypedDict("ProcessGapNotification", {
    "processId": str,
    "from": int,
    "to": int,
    "screen": "ScreenResponse",
}, total=False)


class ProcessWriterNotification(TypedDict):
    """This client has become the writer of a process, or is it no longer."""
    processId: str
    writer: bool


class ProcessDetachedNotification(TypedDict):
    """The last message about an attachment whose process was removed, or whose session has ended, before it
    was closed."""
    processId: str
    reason: "DetachReason"


class SessionTakenNotification(TypedDict):
    """The last message on a connection whose session another connection has taken over."""
    sessionId: str


class FsMissingChangedNotification(TypedDict):
    """A missing file appeared, or the present one changed. Sent once for each watch."""
    watchId: int


class _HttpRequestBodyDelta(TypedDict):
    requestId: str
    seq: int
    deltaBase64: str


class HttpRequestBodyDelta(_HttpRequestBodyDelta, total=False):
    """A frame of a streamed body. `seq` counts from 1. The last frame has `done`, and `error` if the body
    broke off."""
    done: bool
    error: Union[str, None]


class W3cTraceContext(TypedDict, total=False):
    """W3C trace context, carried by requests."""
    traceparent: Union[str, None]
    tracestate: Union[str, None]


ExecPermissionProfile = Union["ExecPermissionProfileManaged", "ExecPermissionProfileDisabled", "ExecPermissionProfileExternal"]


ExecManagedFileSystemPermissions = Union["ExecManagedFileSystemPermissionsRestricted", "ExecManagedFileSystemPermissionsUnrestricted"]


ExecFileSystemPath = Union["ExecFileSystemPathPath", "ExecFileSystemPathGlobPattern", "ExecFileSystemPathSpecial"]


FileSystemSpecialPath = Union["FileSystemSpecialPathRoot", "FileSystemSpecialPathMinimal", "FileSystemSpecialPathProjectRoots", "FileSystemSpecialPathTmpdir", "FileSystemSpecialPathSlashTmp", "FileSystemSpecialPathUnknown"]


Signal = Union[Literal["interrupt", "terminate", "hangup", "quit"], str, int]


EndedBy = Literal["exit", "signal", "terminate", "timeout", "idleTimeout", "sessionEnd", "serverEnd", "limit"]


MarkKind = Literal["promptStart", "commandStart", "commandEnd"]


SignalResponse = Dict[str, Any]


RestartResponse = Dict[str, Any]


ResizeResponse = Dict[str, Any]


CloseStdinResponse = Dict[str, Any]


CreditResponse = Dict[str, Any]


ProcessState = Literal["starting", "running", "exited", "closed"]


ProcessChangeKind = Literal["started", "restarted", "exited", "removed"]


SessionEndResponse = Dict[str, Any]


AttachmentRole = Literal["viewer", "writer"]


AttachmentPolicy = Literal["block", "skip", "screen"]


ProcessDetachResponse = Dict[str, Any]


ScreenFormat = Literal["text", "ansi", "lines"]


FsWriteFileResponse = Dict[str, Any]


FsCreateDirectoryResponse = Dict[str, Any]


FsRemoveResponse = Dict[str, Any]


FsCopyResponse = Dict[str, Any]


FsRenameResponse = Dict[str, Any]


FsSetModeResponse = Dict[str, Any]


FsCreateSymlinkResponse = Dict[str, Any]


FsWriteBlockResponse = Dict[str, Any]


FsCloseResponse = Dict[str, Any]


DetachReason = Literal["removed", "sessionEnd"]
