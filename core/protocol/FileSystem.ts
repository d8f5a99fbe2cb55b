/**
 * Params and results of the file methods. Paths are `file:` URIs, content is base64.
 *
 * `followSymlinks: false` means that no component of the path may be a symbolic link. `sandbox` asks for confinement.
 * The identifiers are the struct names that the peer implementation has in its error texts.
 */
import * as Schema from "effect/Schema"
import { Base64 } from "./Base64.ts"
import { nullable, omittable } from "./Fields.ts"
import { BigU64, Mode, Usize } from "./Integers.ts"
import { later, struct } from "./Later.ts"
import * as PathField from "./PathField.ts"
import { Sandbox } from "./Sandbox.ts"

const nothing = (identifier: string) =>
  later(() => Schema.Struct({}).annotations({ identifier, jsonSchema: { type: "object" } }))

const sandbox = later(() => nullable(Sandbox))
const path = PathField.Uri
const followSymlinks = later(() => omittable(Schema.Boolean))

/** Asks for the whole content of a regular file. */
export const ReadFileParams = struct("WireFsReadFileParams", () => ({ path, followSymlinks, sandbox }))
/** The content of the file. */
export const ReadFileResult = struct("FsReadFileResponse", () => ({ dataBase64: Base64 }))

/** `dataBase64` is not decoded here: as in the peer, the handshake is checked before the base64. */
export const WriteFileParams = struct("WireFsWriteFileParams", () => ({
  path,
  dataBase64: Schema.String,
  followSymlinks,
  sandbox,
}))
/** No members. */
export const WriteFileResult = nothing("FsWriteFileResponse")

/** `recursive` is true by default. */
export const CreateDirectoryParams = struct("WireFsCreateDirectoryParams", () => ({
  path,
  recursive: nullable(Schema.Boolean),
  followSymlinks,
  sandbox,
}))
/** No members. */
export const CreateDirectoryResult = nothing("FsCreateDirectoryResponse")

/** Asks for kind, size and times. */
export const GetMetadataParams = struct("WireFsGetMetadataParams", () => ({ path, followSymlinks, sandbox }))

/** The target of the path; `isSymlink` is about its last component. Sizes in bytes, times in ms since 1970 or 0. */
export const Metadata = struct("FsGetMetadataResponse", () => ({
  isDirectory: Schema.Boolean,
  isFile: Schema.Boolean,
  isSymlink: Schema.Boolean,
  size: Schema.Number,
  createdAtMs: Schema.Number,
  modifiedAtMs: Schema.Number,
}))
/** Kind, size and times of a file. */
export type Metadata = typeof Metadata.Type

/** Asks for the path without symbolic links. */
export const CanonicalizeParams = struct("WireFsCanonicalizeParams", () => ({ path, sandbox }))
/** The path without symbolic links, as a `file:` URI. */
export const CanonicalizeResult = struct("FsCanonicalizeResponse", () => ({ path: Schema.String }))

/** Asks for the entries of a folder. */
export const ReadDirectoryParams = struct("WireFsReadDirectoryParams", () => ({ path, sandbox }))

/** A link has the kind of its target; a dangling link is neither directory nor file. */
export const DirectoryEntry = struct("FsReadDirectoryEntry", () => ({
  fileName: Schema.String,
  isDirectory: Schema.Boolean,
  isFile: Schema.Boolean,
}))
/** An entry of a folder. */
export type DirectoryEntry = typeof DirectoryEntry.Type
/** The entries of a folder, at most 50,000, in no order. */
export const ReadDirectoryResult = struct("FsReadDirectoryResponse", () => ({
  entries: Schema.Array(DirectoryEntry),
}))

/** Limits of a walk. `pruneHiddenDirectories` lists folders whose name begins with a dot, but does not enter them. */
export const WalkOptions = struct("WalkOptions", () => ({
  maxDepth: Usize,
  maxDirectories: Usize,
  maxEntries: Usize,
  followDirectorySymlinks: Schema.Boolean,
  pruneHiddenDirectories: Schema.optionalWith(Schema.Boolean, { default: () => false }),
}))
/** Limits of a walk. */
export type WalkOptions = typeof WalkOptions.Type
/** Asks for the tree below a folder. */
export const WalkParams = struct("WireFsWalkParams", () => ({ path, options: WalkOptions, sandbox }))
const WalkEntry = struct("FsWalkEntry", () => ({
  path: Schema.String,
  kind: Schema.Literal("file", "directory"),
}))
const WalkError = struct("FsWalkError", () => ({ path: Schema.String, message: Schema.String }))

/** The tree, breadth first; `truncated` is true if a limit other than `maxDepth` cut it. */
export const WalkResult = struct("FsWalkResponse", () => ({
  entries: Schema.Array(WalkEntry),
  errors: Schema.Array(WalkError),
  truncated: Schema.Boolean,
}))
/** The tree below a folder. */
export type WalkResult = typeof WalkResult.Type

/** `recursive` and `force` are true by default. */
export const RemoveParams = struct("WireFsRemoveParams", () => ({
  path,
  recursive: nullable(Schema.Boolean),
  force: nullable(Schema.Boolean),
  followSymlinks,
  sandbox,
}))
/** No members. */
export const RemoveResult = nothing("FsRemoveResponse")

/** A folder is copied only with `recursive`. */
export const CopyParams = struct("WireFsCopyParams", () => ({
  sourcePath: path,
  destinationPath: path,
  recursive: Schema.Boolean,
  sandbox,
}))
/** No members. */
export const CopyResult = nothing("FsCopyResponse")

/**
 * Moves what `sourcePath` names; a link itself, not its target. `overwrite` is false by default: then nothing may be at
 * `destinationPath`. With true it is replaced as by rename(2): a file or a link by anything but a folder, an empty
 * folder by a folder.
 */
export const RenameParams = struct("WireFsRenameParams", () => ({
  sourcePath: path,
  destinationPath: path,
  overwrite: nullable(Schema.Boolean),
  followSymlinks,
  sandbox,
}))
/** No members. */
export const RenameResult = nothing("FsRenameResponse")

/** Sets the permission bits of what the path leads to. */
export const SetModeParams = struct("WireFsSetModeParams", () => ({
  path,
  mode: Mode,
  followSymlinks,
  sandbox,
}))
/** No members. */
export const SetModeResult = nothing("FsSetModeResponse")

/** Makes a symbolic link at `path`, where nothing may be. `target` is its text, a native path that need not exist. */
export const CreateSymlinkParams = struct("WireFsCreateSymlinkParams", () => ({
  target: Schema.String,
  path,
  followSymlinks,
  sandbox,
}))
/** No members. */
export const CreateSymlinkResult = nothing("FsCreateSymlinkResponse")

/** Chosen by the client, unique among the open handles of its connection. */
const handleId = Schema.String

/** `read` only reads. `replace` creates or truncates the file and only writes. */
export const OpenMode = Schema.Literal("read", "replace")
/** What an open file is good for. */
export type OpenMode = typeof OpenMode.Type
/** Opens a file under a handle; `mode` is `read` by default. */
export const OpenParams = struct("WireFsOpenParams", () => ({
  handleId,
  path,
  mode: Schema.optional(OpenMode),
  sandbox,
}))
/** The handle of the request. */
export const OpenResult = struct("FsOpenResponse", () => ({ handleId }))

/** Asks for up to `len` bytes (1 to 1 MiB) at `offset`. */
export const ReadBlockParams = struct("FsReadBlockParams", () => ({ handleId, offset: BigU64, len: Usize }))
/** `eof` is true if fewer than `len` bytes were read. */
export const ReadBlockResult = struct("FsReadBlockResponse", () => ({ chunk: Base64, eof: Schema.Boolean }))
/** A block of a file. */
export type ReadBlockResult = typeof ReadBlockResult.Type

/** Writes `chunk` (1 byte to 1 MiB) at `offset`. */
export const WriteBlockParams = struct("FsWriteBlockParams", () => ({
  handleId,
  offset: BigU64,
  chunk: Base64,
}))
/** No members. */
export const WriteBlockResult = nothing("FsWriteBlockResponse")

/** Closes a handle; an unknown one is no error. */
export const CloseParams = struct("FsCloseParams", () => ({ handleId }))
/** No members. */
export const CloseResult = nothing("FsCloseResponse")

/** A connection has one watch: a request with a greater `watchId` replaces it. */
export const WatchMissingParams = struct("FsWatchMissingParams", () => ({
  watchId: BigU64,
  missing: Schema.Array(path),
  present: nullable(path),
}))
/** `watching` is false if the server does not watch. */
export const WatchMissingResult = struct("FsWatchMissingResponse", () => ({ watching: Schema.Boolean }))

/** A missing file appeared, or the present one changed. Sent once for each watch. */
export const MissingChangedParams = struct("FsMissingChangedNotification", () => ({ watchId: BigU64 }))
