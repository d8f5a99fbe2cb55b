/**
 * Params and results of the file methods. Paths are `file:` URIs, content is base64.
 *
 * `followSymlinks: false` means that no component of the path may be a symbolic link. `sandbox` asks for confinement.
 * The identifiers are the struct names that the peer implementation has in its error texts.
 */
import * as Schema from "effect/Schema"
import { Base64 } from "../../protocol/Base64.ts"
import { toBase64 } from "../../protocol/Bytes.ts"
import { nullable, omittable } from "../../protocol/Fields.ts"
import { BigU64, Mode, Usize } from "../../protocol/Integers.ts"
import { lazy, struct } from "../../protocol/Lazy.ts"
import { request, type RequestMethod } from "../../protocol/Method.ts"
import * as PathField from "../../protocol/PathField.ts"
import { Sandbox } from "../../protocol/Sandbox.ts"
import * as Wire from "../Wire.ts"

const nothing = (identifier: string) =>
  lazy(() => Schema.Struct({}).annotations({ identifier, jsonSchema: { type: "object" } }))

const sandbox = lazy(() => nullable(Sandbox))
const path = PathField.Uri
const followSymlinks = lazy(() => omittable(Schema.Boolean))

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
  /** The size, in bytes. */
  size: Schema.Number,
  /** When it was created, in milliseconds since 1970, or 0. */
  createdAtMs: Schema.Number,
  /** When it was modified, in milliseconds since 1970, or 0. */
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
  /** The last component of its path. */
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
  /** The most folders below each other. */
  maxDepth: Usize,
  /** The most folders to enter. */
  maxDirectories: Usize,
  /** The most entries to return. */
  maxEntries: Usize,
  /** Whether links to folders are entered. */
  followDirectorySymlinks: Schema.Boolean,
  /** Whether folders whose name begins with a dot are not entered. */
  pruneHiddenDirectories: Schema.optionalWith(Schema.Boolean, { default: () => false }),
}))
/** Limits of a walk. */
export type WalkOptions = typeof WalkOptions.Type
/** Asks for the tree below a folder. */
export const WalkParams = struct("WireFsWalkParams", () => ({
  path,
  /** The limits of the walk. */
  options: WalkOptions,
  sandbox,
}))
/** A file or a folder below the path. */
const WalkEntry = struct("FsWalkEntry", () => ({
  path: Schema.String,
  /** A file or a folder. */
  kind: Schema.Literal("file", "directory"),
}))
/** A path that could not be looked at, and why. */
const WalkError = struct("FsWalkError", () => ({ path: Schema.String, message: Schema.String }))

/** The tree, breadth first; `truncated` is true if a limit other than `maxDepth` cut it. */
export const WalkResult = struct("FsWalkResponse", () => ({
  entries: Schema.Array(WalkEntry),
  /** The paths that could not be looked at. */
  errors: Schema.Array(WalkError),
  /** Whether a limit other than `maxDepth` has cut the walk. */
  truncated: Schema.Boolean,
}))
/** The tree below a folder. */
export type WalkResult = typeof WalkResult.Type

/** `recursive` and `force` are true by default. */
export const RemoveParams = struct("WireFsRemoveParams", () => ({
  path,
  recursive: nullable(Schema.Boolean),
  /** Whether a path that is not there is no error; the default is true. */
  force: nullable(Schema.Boolean),
  followSymlinks,
  sandbox,
}))
/** No members. */
export const RemoveResult = nothing("FsRemoveResponse")

/** A folder is copied only with `recursive`. */
export const CopyParams = struct("WireFsCopyParams", () => ({
  /** The source, as a `file:` URI. */
  sourcePath: path,
  /** The destination, as a `file:` URI. */
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
  /** The source, as a `file:` URI. */
  sourcePath: path,
  /** The destination, as a `file:` URI. */
  destinationPath: path,
  /**
   * Whether what is there is replaced, as by rename(2), and never a folder that is not empty; the default is
   * false.
   */
  overwrite: nullable(Schema.Boolean),
  followSymlinks,
  sandbox,
}))
/** No members. */
export const RenameResult = nothing("FsRenameResponse")

/** Sets the permission bits of what the path leads to. */
export const SetModeParams = struct("WireFsSetModeParams", () => ({
  path,
  /** The permission bits, with set-id and sticky: 0 to 4095. */
  mode: Mode,
  followSymlinks,
  sandbox,
}))
/** No members. */
export const SetModeResult = nothing("FsSetModeResponse")

/** Makes a symbolic link at `path`, where nothing may be. `target` is its text, a native path that need not exist. */
export const CreateSymlinkParams = struct("WireFsCreateSymlinkParams", () => ({
  /** The text of the link: a native path, absolute or relative to the folder of the link. */
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
  /** `read` (the default) only reads; `replace` creates or truncates, and only writes. */
  mode: Schema.optional(OpenMode),
  sandbox,
}))
/** The handle of the request. */
export const OpenResult = struct("FsOpenResponse", () => ({ handleId }))

/** Asks for up to `len` bytes (1 to 1 MiB) at `offset`. */
export const ReadBlockParams = struct("FsReadBlockParams", () => ({
  handleId,
  offset: BigU64,
  /** The most bytes to read, 1 to 1,048,576. */
  len: Usize,
}))
/** `eof` is true if fewer than `len` bytes were read. */
export const ReadBlockResult = struct("FsReadBlockResponse", () => ({
  chunk: Base64,
  /** Whether fewer bytes were read than asked for. */
  eof: Schema.Boolean,
}))
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
  /** The files that are not there, at most 64. */
  missing: Schema.Array(path),
  /** A file that is there. */
  present: nullable(path),
}))
/** `watching` is false if the server does not watch. */
export const WatchMissingResult = struct("FsWatchMissingResponse", () => ({
  /** Whether the server watches. */
  watching: Schema.Boolean,
}))

/** A missing file appeared, or the present one changed. Sent once for each watch. */
export const MissingChangedParams = struct("FsMissingChangedNotification", () => ({ watchId: BigU64 }))

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
    fsChange: Schema.Boolean,
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
      result: WriteFileResult,
      repeatable: "always",
      says: "creates a file or replaces its content, as a whole or not at all",
    }),
    "fs/createDirectory": file({
      params: CreateDirectoryParams,
      result: CreateDirectoryResult,
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
      result: RemoveResult,
      repeatable: { unlessFalse: "force" },
      says: "removes a file, a link, or a folder with what is in it",
    }),
    "fs/copy": file({
      params: CopyParams,
      result: CopyResult,
      says: "copies a file, a link, or a folder with what is in it",
    }),
    "fs/rename": file({
      params: RenameParams,
      result: RenameResult,
      says: "moves a file, a link or a folder within a file system, at once (beyond the peer; capability fsChange)",
    }),
    "fs/setMode": file({
      params: SetModeParams,
      result: SetModeResult,
      repeatable: "always",
      says: "sets the permission bits of a file or a folder (beyond the peer; capability fsChange)",
    }),
    "fs/createSymlink": file({
      params: CreateSymlinkParams,
      result: CreateSymlinkResult,
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
      result: WriteBlockResult,
      says: "writes up to 1 MiB into an open file",
    }),
    "fs/close": file({
      params: CloseParams,
      result: CloseResult,
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

Wire.document(fs, {
  since: "1.0",
  adds: {
    "1.0": { fsWatchMissing: ["fs/watchMissing"] },
    "1.1": { fsChange: ["fs/rename", "fs/setMode", "fs/createSymlink"] },
  },
  examples: () => {
    const path = "file:///srv/app/main.c"

    /** An entry for each kind of place. */
    const entries = [
      { path: { type: "path", path: "file:///srv/app" }, access: "write" },
      { path: { type: "glob_pattern", pattern: "**/*.key" }, access: "none" },
      ...[
        { kind: "root" },
        { kind: "minimal" },
        { kind: "project_roots", subpath: "src" },
        { kind: "tmpdir" },
        { kind: "slash_tmp" },
        { kind: "unknown", path: ":later", subpath: null },
      ].map((value) => ({ path: { type: "special", value }, access: "read" })),
    ]

    const managed = (file_system: object) => ({
      permissions: { type: "managed", file_system, network: "restricted" },
      sandboxOverride: "noOverride",
      cwd: "file:///srv/app",
      policyContext: { cwd: "file:///srv/app", workspaceRoots: ["file:///srv/app"] },
      workspaceRoots: ["file:///srv/app"],
      userHomeDir: "file:///home/ann",
      temporaryDirectories: ["file:///tmp"],
      windowsSandboxLevel: "disabled",
      windowsSandboxProxySettingsMode: "preserve",
      useLegacyLandlock: false,
    })

    const unconfined = (permissions: object) => ({ permissions, windowsSandboxLevel: "disabled" })
    return {
      "fs/readFile": {
        params: [
          {
            path,
            followSymlinks: false,
            sandbox: managed({ type: "restricted", entries, glob_scan_max_depth: 4 }),
          },
          { path, sandbox: managed({ type: "unrestricted" }) },
          { path, sandbox: unconfined({ type: "disabled" }) },
          { path, sandbox: unconfined({ type: "external", network: "enabled" }) },
        ],
        result: [{ dataBase64: "aGVsbG8K" }],
      },
      "fs/writeFile": { params: [{ path, dataBase64: "aGVsbG8K", followSymlinks: true }], result: [{}] },
      "fs/createDirectory": {
        params: [{ path: "file:///srv/app/out", recursive: true, followSymlinks: true }],
        result: [{}],
      },
      "fs/getMetadata": {
        params: [{ path, followSymlinks: true }],
        result: [
          {
            isDirectory: false,
            isFile: true,
            isSymlink: false,
            size: 6,
            createdAtMs: 0,
            modifiedAtMs: 1_767_225_600_000,
          },
        ],
      },
      "fs/canonicalize": { params: [{ path }], result: [{ path }] },
      "fs/readDirectory": {
        params: [{ path: "file:///srv/app" }],
        result: [{ entries: [{ fileName: "main.c", isDirectory: false, isFile: true }] }],
      },
      "fs/walk": {
        params: [
          {
            path: "file:///srv/app",
            options: {
              maxDepth: 8,
              maxDirectories: 1000,
              maxEntries: 5000,
              followDirectorySymlinks: false,
              pruneHiddenDirectories: true,
            },
          },
        ],
        result: [
          {
            entries: [{ path, kind: "file" }],
            errors: [{ path: "file:///srv/app/secret", message: "permission denied" }],
            truncated: false,
          },
        ],
      },
      "fs/remove": { params: [{ path, recursive: false, force: true, followSymlinks: true }], result: [{}] },
      "fs/copy": {
        params: [{ sourcePath: path, destinationPath: "file:///srv/app/copy.c", recursive: false }],
        result: [{}],
      },
      "fs/rename": {
        params: [
          {
            sourcePath: "file:///srv/app/out.new",
            destinationPath: "file:///srv/app/out",
            overwrite: true,
            followSymlinks: true,
          },
        ],
        result: [{}],
      },
      "fs/setMode": { params: [{ path, mode: 0o644, followSymlinks: true }], result: [{}] },
      "fs/createSymlink": {
        params: [{ target: "../main.c", path: "file:///srv/app/src/main.c", followSymlinks: true }],
        result: [{}],
      },
      "fs/open": { params: [{ handleId: "h1", path, mode: "read" }], result: [{ handleId: "h1" }] },
      "fs/readBlock": {
        params: [{ handleId: "h1", offset: 0, len: 65_536 }],
        result: [{ chunk: "aGVsbG8K", eof: true }],
      },
      "fs/writeBlock": { params: [{ handleId: "h1", offset: 0, chunk: "aGVsbG8K" }], result: [{}] },
      "fs/close": { params: [{ handleId: "h1" }], result: [{}] },
      "fs/watchMissing": {
        params: [{ watchId: 1, missing: ["file:///srv/app/.git"], present: null }],
        result: [{ watching: true }],
      },
      "fs/missingChanged": { params: [{ watchId: 1 }] },
    }
  },
})
