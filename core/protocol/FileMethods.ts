/** The rows of the method table for files. */
import * as FileSystem from "./FileSystem.ts"
import * as FileText from "./FileText.ts"
import { request, type RequestMethod } from "./Method.ts"

const file = <P, PI, R, RI>(row: Omit<RequestMethod<P, PI, R, RI>, "family" | "slotted">) =>
  request<P, PI, R, RI>({ family: "filesystem", slotted: true, ...row })

/** Client to server, answered. */
export const requests = {
  "fs/readFile": file({
    params: FileSystem.ReadFileParams,
    result: FileSystem.ReadFileResult,
    toText: FileText.readFileResult,
    repeatable: "always",
    cancellable: true,
    says: "the content of a file",
  }),
  "fs/writeFile": file({
    params: FileSystem.WriteFileParams,
    result: FileSystem.WriteFileResult,
    repeatable: "always",
    says: "creates a file or replaces its content, as a whole or not at all",
  }),
  "fs/createDirectory": file({
    params: FileSystem.CreateDirectoryParams,
    result: FileSystem.CreateDirectoryResult,
    repeatable: { unlessFalse: "recursive" },
    says: "creates a folder, and its parents unless told otherwise",
  }),
  "fs/getMetadata": file({
    params: FileSystem.GetMetadataParams,
    result: FileSystem.Metadata,
    repeatable: "always",
    cancellable: true,
    says: "kind, size and times",
  }),
  "fs/canonicalize": file({
    params: FileSystem.CanonicalizeParams,
    result: FileSystem.CanonicalizeResult,
    repeatable: "always",
    cancellable: true,
    says: "the path without symbolic links",
  }),
  "fs/readDirectory": file({
    params: FileSystem.ReadDirectoryParams,
    result: FileSystem.ReadDirectoryResult,
    toText: FileText.plain,
    repeatable: "always",
    cancellable: true,
    says: "the entries of a folder",
  }),
  "fs/walk": file({
    params: FileSystem.WalkParams,
    result: FileSystem.WalkResult,
    toText: FileText.plain,
    repeatable: "always",
    cancellable: true,
    says: "folders and files below a folder, breadth first, within limits",
  }),
  "fs/remove": file({
    params: FileSystem.RemoveParams,
    result: FileSystem.RemoveResult,
    repeatable: { unlessFalse: "force" },
    says: "removes a file, a link, or a folder with what is in it",
  }),
  "fs/copy": file({
    params: FileSystem.CopyParams,
    result: FileSystem.CopyResult,
    says: "copies a file, a link, or a folder with what is in it",
  }),
  "fs/rename": file({
    params: FileSystem.RenameParams,
    result: FileSystem.RenameResult,
    says: "moves a file, a link or a folder within a file system, at once (beyond the peer; capability fsChange)",
  }),
  "fs/setMode": file({
    params: FileSystem.SetModeParams,
    result: FileSystem.SetModeResult,
    repeatable: "always",
    says: "sets the permission bits of a file or a folder (beyond the peer; capability fsChange)",
  }),
  "fs/createSymlink": file({
    params: FileSystem.CreateSymlinkParams,
    result: FileSystem.CreateSymlinkResult,
    says: "makes a symbolic link (beyond the peer; capability fsChange)",
  }),
  "fs/open": file({
    params: FileSystem.OpenParams,
    result: FileSystem.OpenResult,
    says: "opens a file to be read or replaced in blocks, until the connection ends",
  }),
  "fs/readBlock": file({
    params: FileSystem.ReadBlockParams,
    result: FileSystem.ReadBlockResult,
    toText: FileText.readBlockResult,
    says: "up to 1 MiB of an open file",
  }),
  "fs/writeBlock": file({
    params: FileSystem.WriteBlockParams,
    result: FileSystem.WriteBlockResult,
    says: "writes up to 1 MiB into an open file",
  }),
  "fs/close": file({
    params: FileSystem.CloseParams,
    result: FileSystem.CloseResult,
    repeatable: "always",
    says: "closes an open file",
  }),
  "fs/watchMissing": file({
    params: FileSystem.WatchMissingParams,
    result: FileSystem.WatchMissingResult,
    says: "asks to be told once when a missing file appears (capability fsWatchMissing)",
  }),
}

/** Server to client, not answered. */
export const serverNotifications = {
  "fs/missingChanged": { params: FileSystem.MissingChangedParams, says: "a watch has come true" },
}
