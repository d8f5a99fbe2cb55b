/** The rows of the method table for files. */
import * as FileSystem from "./FileSystem.ts"
import * as FileText from "./FileText.ts"
import { always, request } from "./Method.ts"

export const requests = {
  "fs/readFile": request({
    params: FileSystem.ReadFileParams,
    result: FileSystem.ReadFileResult,
    toText: FileText.readFileResult,
    family: "filesystem",
    slotted: true,
    repeatable: always,
    says: "the content of a file",
  }),
  "fs/writeFile": request({
    params: FileSystem.WriteFileParams,
    result: FileSystem.WriteFileResult,
    family: "filesystem",
    slotted: true,
    repeatable: always,
    says: "creates a file or replaces its content, as a whole or not at all",
  }),
  "fs/createDirectory": request({
    params: FileSystem.CreateDirectoryParams,
    result: FileSystem.CreateDirectoryResult,
    family: "filesystem",
    slotted: true,
    repeatable: ({ recursive }) => recursive !== false,
    says: "creates a folder, and its parents unless told otherwise",
  }),
  "fs/getMetadata": request({
    params: FileSystem.GetMetadataParams,
    result: FileSystem.Metadata,
    family: "filesystem",
    slotted: true,
    repeatable: always,
    says: "kind, size and times",
  }),
  "fs/canonicalize": request({
    params: FileSystem.CanonicalizeParams,
    result: FileSystem.CanonicalizeResult,
    family: "filesystem",
    slotted: true,
    repeatable: always,
    says: "the path without symbolic links",
  }),
  "fs/readDirectory": request({
    params: FileSystem.ReadDirectoryParams,
    result: FileSystem.ReadDirectoryResult,
    toText: FileText.plain,
    family: "filesystem",
    slotted: true,
    repeatable: always,
    says: "the entries of a folder",
  }),
  "fs/walk": request({
    params: FileSystem.WalkParams,
    result: FileSystem.WalkResult,
    toText: FileText.plain,
    family: "filesystem",
    slotted: true,
    repeatable: always,
    says: "folders and files below a folder, breadth first, within limits",
  }),
  "fs/remove": request({
    params: FileSystem.RemoveParams,
    result: FileSystem.RemoveResult,
    family: "filesystem",
    slotted: true,
    repeatable: ({ force }) => force !== false,
    says: "removes a file, a link, or a folder with what is in it",
  }),
  "fs/copy": request({
    params: FileSystem.CopyParams,
    result: FileSystem.CopyResult,
    family: "filesystem",
    slotted: true,
    says: "copies a file, a link, or a folder with what is in it",
  }),
  "fs/open": request({
    params: FileSystem.OpenParams,
    result: FileSystem.OpenResult,
    family: "filesystem",
    slotted: true,
    says: "opens a file to be read or replaced in blocks, until the connection ends",
  }),
  "fs/readBlock": request({
    params: FileSystem.ReadBlockParams,
    result: FileSystem.ReadBlockResult,
    toText: FileText.readBlockResult,
    family: "filesystem",
    slotted: true,
    says: "up to 1 MiB of an open file",
  }),
  "fs/writeBlock": request({
    params: FileSystem.WriteBlockParams,
    result: FileSystem.WriteBlockResult,
    family: "filesystem",
    slotted: true,
    says: "writes up to 1 MiB into an open file",
  }),
  "fs/close": request({
    params: FileSystem.CloseParams,
    result: FileSystem.CloseResult,
    family: "filesystem",
    slotted: true,
    repeatable: always,
    says: "closes an open file",
  }),
  "fs/watchMissing": request({
    params: FileSystem.WatchMissingParams,
    result: FileSystem.WatchMissingResult,
    family: "filesystem",
    slotted: true,
    says: "asks to be told once when a missing file appears (capability fsWatchMissing)",
  }),
}

export const serverNotifications = {
  "fs/missingChanged": { params: FileSystem.MissingChangedParams, says: "a watch has come true" },
}
