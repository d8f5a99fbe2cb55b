/**
 * Params and results of the file methods. Paths are `file:` URIs, content is base64.
 *
 * `followSymlinks: false` means that no component of the path may be a symbolic link. `sandbox` asks for confinement.
 * The identifiers are the struct names that the peer implementation has in its error texts.
 */
import * as Shape from "../../protocol/shape/index.ts"
import { toBase64 } from "../../protocol/Bytes.ts"
import { BigU64, Mode, Usize } from "../../protocol/Integers.ts"
import { request, type RequestMethod } from "../../protocol/Method.ts"
import * as PathUri from "../../protocol/PathUri.ts"
import { Sandbox } from "../../protocol/Sandbox.ts"
import * as Wire from "../Wire.ts"

const sandbox = Shape.nullable(Sandbox)
const path = PathUri.Uri
const followSymlinks = Shape.omittable(Shape.boolean)

/** Asks for the whole content of a regular file. */
export const ReadFileParams = Shape.struct("WireFsReadFileParams", { path, followSymlinks, sandbox })
/** The content of the file. */
export const ReadFileResult = Shape.struct("FsReadFileResponse", { dataBase64: Shape.bytes })

/** `dataBase64` is not decoded here: as in the peer, the handshake is checked before the base64. */
export const WriteFileParams = Shape.struct("WireFsWriteFileParams", {
  path,
  dataBase64: Shape.string,
  followSymlinks,
  sandbox,
})
/** `recursive` is true by default. */
export const CreateDirectoryParams = Shape.struct("WireFsCreateDirectoryParams", {
  path,
  recursive: Shape.nullable(Shape.boolean),
  followSymlinks,
  sandbox,
})
/** Asks for kind, size and times. */
export const GetMetadataParams = Shape.struct("WireFsGetMetadataParams", { path, followSymlinks, sandbox })

/** The target of the path; `isSymlink` is about its last component. Sizes in bytes, times in ms since 1970 or 0. */
export const Metadata = Shape.struct("FsGetMetadataResponse", {
  isDirectory: Shape.boolean,
  isFile: Shape.boolean,
  isSymlink: Shape.boolean,
  /** The size, in bytes. */
  size: Shape.number,
  /** When it was created, in milliseconds since 1970, or 0. */
  createdAtMs: Shape.number,
  /** When it was modified, in milliseconds since 1970, or 0. */
  modifiedAtMs: Shape.number,
})
/** Kind, size and times of a file. */
export type Metadata = typeof Metadata.Type

/** Asks for the path without symbolic links. */
export const CanonicalizeParams = Shape.struct("WireFsCanonicalizeParams", { path, sandbox })
/** The path without symbolic links, as a `file:` URI. */
export const CanonicalizeResult = Shape.struct("FsCanonicalizeResponse", { path: Shape.string })

/** Asks for the entries of a folder. */
export const ReadDirectoryParams = Shape.struct("WireFsReadDirectoryParams", { path, sandbox })

/** A link has the kind of its target; a dangling link is neither directory nor file. */
export const DirectoryEntry = Shape.struct("FsReadDirectoryEntry", {
  /** The last component of its path. */
  fileName: Shape.string,
  isDirectory: Shape.boolean,
  isFile: Shape.boolean,
})
/** An entry of a folder. */
export type DirectoryEntry = typeof DirectoryEntry.Type
/** The entries of a folder, at most 50,000, in no order. */
export const ReadDirectoryResult = Shape.struct("FsReadDirectoryResponse", {
  entries: Shape.list(DirectoryEntry),
})

/** Limits of a walk. `pruneHiddenDirectories` lists folders whose name begins with a dot, but does not enter them. */
export const WalkOptions = Shape.struct("WalkOptions", {
  /** The most folders below each other. */
  maxDepth: Usize,
  /** The most folders to enter. */
  maxDirectories: Usize,
  /** The most entries to return. */
  maxEntries: Usize,
  /** True if links to folders are entered. */
  followDirectorySymlinks: Shape.boolean,
  /** True if folders whose name begins with a dot are not entered. */
  pruneHiddenDirectories: Shape.withDefault(Shape.boolean, () => false),
})
/** Limits of a walk. */
export type WalkOptions = typeof WalkOptions.Type
/** Asks for the tree below a folder. */
export const WalkParams = Shape.struct("WireFsWalkParams", {
  path,
  /** The limits of the walk. */
  options: WalkOptions,
  sandbox,
})
/** A file or a folder below the path. */
const WalkEntry = Shape.struct("FsWalkEntry", {
  path: Shape.string,
  /** A file or a folder. */
  kind: Shape.words("file", "directory"),
})
/** A path that could not be looked at, and why. */
const WalkError = Shape.struct("FsWalkError", { path: Shape.string, message: Shape.string })

/** The tree, breadth first; `truncated` is true if a limit other than `maxDepth` cut it. */
export const WalkResult = Shape.struct("FsWalkResponse", {
  entries: Shape.list(WalkEntry),
  /** The paths that could not be looked at. */
  errors: Shape.list(WalkError),
  /** True if a limit other than `maxDepth` has cut the walk. */
  truncated: Shape.boolean,
})
/** The tree below a folder. */
export type WalkResult = typeof WalkResult.Type

/** `recursive` and `force` are true by default. */
export const RemoveParams = Shape.struct("WireFsRemoveParams", {
  path,
  recursive: Shape.nullable(Shape.boolean),
  /** True if a path that is not there is no error; the default is true. */
  force: Shape.nullable(Shape.boolean),
  followSymlinks,
  sandbox,
})
/** A folder is copied only with `recursive`. */
export const CopyParams = Shape.struct("WireFsCopyParams", {
  /** The source, as a `file:` URI. */
  sourcePath: path,
  /** The destination, as a `file:` URI. */
  destinationPath: path,
  recursive: Shape.boolean,
  sandbox,
})
/**
 * Moves what `sourcePath` names; a link itself, not its target. `overwrite` is false by default: then nothing may be at
 * `destinationPath`. With true it is replaced as by rename(2): a file or a link by anything but a folder, an empty
 * folder by a folder.
 */
export const RenameParams = Shape.struct("WireFsRenameParams", {
  /** The source, as a `file:` URI. */
  sourcePath: path,
  /** The destination, as a `file:` URI. */
  destinationPath: path,
  /**
   * True if an entry that is there is replaced, as by rename(2), and never a folder that is not empty; the default
   * is false.
   */
  overwrite: Shape.nullable(Shape.boolean),
  followSymlinks,
  sandbox,
})
/** Sets the permission bits of what the path leads to. */
export const SetModeParams = Shape.struct("WireFsSetModeParams", {
  path,
  /** The permission bits, with set-id and sticky: 0 to 4095. */
  mode: Mode,
  followSymlinks,
  sandbox,
})
/** Makes a symbolic link at `path`, where nothing may be. `target` is its text, a native path that need not exist. */
export const CreateSymlinkParams = Shape.struct("WireFsCreateSymlinkParams", {
  /** The text of the link: a native path, absolute or relative to the folder of the link. */
  target: Shape.string,
  path,
  followSymlinks,
  sandbox,
})
/** Chosen by the client, unique among the open handles of its connection. */
const handleId = Shape.string

/** `read` only reads. `replace` creates or truncates the file and only writes. */
export const OpenMode = Shape.words("read", "replace")
/** Access to an open file. */
export type OpenMode = typeof OpenMode.Type
/** Opens a file under a handle; `mode` is `read` by default. */
export const OpenParams = Shape.struct("WireFsOpenParams", {
  handleId,
  path,
  /** `read` (the default) only reads; `replace` creates or truncates, and only writes. */
  mode: Shape.optional(OpenMode),
  sandbox,
})
/** The handle of the request. */
export const OpenResult = Shape.struct("FsOpenResponse", { handleId })

/** Asks for up to `len` bytes (1 to 1 MiB) at `offset`. */
export const ReadBlockParams = Shape.struct("FsReadBlockParams", {
  handleId,
  offset: BigU64,
  /** The most bytes to read, 1 to 1,048,576. */
  len: Usize,
})
/** `eof` is true if fewer than `len` bytes were read. */
export const ReadBlockResult = Shape.struct("FsReadBlockResponse", {
  chunk: Shape.bytes,
  /** True if fewer bytes were read than asked for. */
  eof: Shape.boolean,
})
/** A block of a file. */
export type ReadBlockResult = typeof ReadBlockResult.Type

/** Writes `chunk` (1 byte to 1 MiB) at `offset`. */
export const WriteBlockParams = Shape.struct("FsWriteBlockParams", {
  handleId,
  offset: BigU64,
  chunk: Shape.bytes,
})
/** Closes a handle; an unknown one is no error. */
export const CloseParams = Shape.struct("FsCloseParams", { handleId })
/** A connection has one watch: a request with a greater `watchId` replaces it. */
export const WatchMissingParams = Shape.struct("FsWatchMissingParams", {
  watchId: BigU64,
  /** The files that are not there, at most 64. */
  missing: Shape.list(path),
  /** A file that is there. */
  present: Shape.nullable(path),
})
/** `watching` is false if the server does not watch. */
export const WatchMissingResult = Shape.struct("FsWatchMissingResponse", {
  /** True if the server watches. */
  watching: Shape.boolean,
})

/** A missing file appeared, or the present one changed. Sent once for each watch. */
export const MissingChangedParams = Shape.struct("FsMissingChangedNotification", { watchId: BigU64 })

const file = <P, PI, R, RI>(row: Omit<RequestMethod<P, PI, R, RI>, "family" | "slotted">) =>
  request<P, PI, R, RI>({ family: "filesystem", slotted: true, ...row })

/** The JSON text of a `fs/readFile` result, straight from its content. */
const readFileText = ({ dataBase64 }: { readonly dataBase64: Uint8Array }): string =>
  `{"dataBase64":"${toBase64(dataBase64)}"}`

const readBlockText = ({ chunk, eof }: ReadBlockResult): string =>
  `{"chunk":"${toBase64(chunk)}","eof":${eof}}`

/** The wire of the feature. */
export const fs = Wire.make({
  capabilities: {
    /** Beyond the peer implementation: `fs/rename`, `fs/setMode` and `fs/createSymlink`. */
    fsChange: Shape.boolean,
  },
  requests: {
    "fs/readFile": file({
      params: ReadFileParams,
      result: ReadFileResult,
      toText: readFileText,
      repeatable: "always",
      cancellable: true,
      says: "the content of a file",
    }),
    "fs/writeFile": file({
      params: WriteFileParams,
      result: Shape.nothing("FsWriteFileResponse"),
      repeatable: "always",
      says: "creates a file or replaces its content, as a whole or not at all",
    }),
    "fs/createDirectory": file({
      params: CreateDirectoryParams,
      result: Shape.nothing("FsCreateDirectoryResponse"),
      repeatable: { unlessFalse: "recursive" },
      says: "creates a folder, and its parents unless told otherwise",
    }),
    "fs/getMetadata": file({
      params: GetMetadataParams,
      result: Metadata,
      repeatable: "always",
      cancellable: true,
      says: "kind, size and times",
    }),
    "fs/canonicalize": file({
      params: CanonicalizeParams,
      result: CanonicalizeResult,
      repeatable: "always",
      cancellable: true,
      says: "the path without symbolic links",
    }),
    "fs/readDirectory": file({
      params: ReadDirectoryParams,
      result: ReadDirectoryResult,
      toText: JSON.stringify,
      repeatable: "always",
      cancellable: true,
      says: "the entries of a folder",
    }),
    "fs/walk": file({
      params: WalkParams,
      result: WalkResult,
      toText: JSON.stringify,
      repeatable: "always",
      cancellable: true,
      says: "folders and files below a folder, breadth first, within limits",
    }),
    "fs/remove": file({
      params: RemoveParams,
      result: Shape.nothing("FsRemoveResponse"),
      repeatable: { unlessFalse: "force" },
      says: "removes a file, a link, or a folder with what is in it",
    }),
    "fs/copy": file({
      params: CopyParams,
      result: Shape.nothing("FsCopyResponse"),
      says: "copies a file, a link, or a folder with what is in it",
    }),
    "fs/rename": file({
      params: RenameParams,
      result: Shape.nothing("FsRenameResponse"),
      says: "moves a file, a link or a folder within a file system, at once (beyond the peer; capability fsChange)",
    }),
    "fs/setMode": file({
      params: SetModeParams,
      result: Shape.nothing("FsSetModeResponse"),
      repeatable: "always",
      says: "sets the permission bits of a file or a folder (beyond the peer; capability fsChange)",
    }),
    "fs/createSymlink": file({
      params: CreateSymlinkParams,
      result: Shape.nothing("FsCreateSymlinkResponse"),
      says: "makes a symbolic link (beyond the peer; capability fsChange)",
    }),
    "fs/open": file({
      params: OpenParams,
      result: OpenResult,
      says: "opens a file to be read or replaced in blocks, until the connection ends",
    }),
    "fs/readBlock": file({
      params: ReadBlockParams,
      result: ReadBlockResult,
      toText: readBlockText,
      says: "up to 1 MiB of an open file",
    }),
    "fs/writeBlock": file({
      params: WriteBlockParams,
      result: Shape.nothing("FsWriteBlockResponse"),
      says: "writes up to 1 MiB into an open file",
    }),
    "fs/close": file({
      params: CloseParams,
      result: Shape.nothing("FsCloseResponse"),
      repeatable: "always",
      says: "closes an open file",
    }),
    "fs/watchMissing": file({
      params: WatchMissingParams,
      result: WatchMissingResult,
      says: "asks to be told once when a missing file appears (capability fsWatchMissing)",
    }),
  },
  notifications: {
    "fs/missingChanged": { params: MissingChangedParams, says: "a watch has come true" },
  },
})
