/** Ways out of a sandbox that a client tries by a method on files, as data. */

type Changing = "rename" | "setMode" | "createSymlink"

/** A way out that a client tries by a method on files. */
export interface FileEscape {
  readonly name: string
  readonly method: `fs/${"readFile" | "writeFile" | "copy" | "remove" | "open" | "readDirectory" | Changing}`
  /** The params that are paths, in the words of `Escapes`. */
  readonly paths: Readonly<Record<string, string>>
  /** The other params. */
  readonly params?: Readonly<Record<string, unknown>>
  /** As in `Escapes`. */
  readonly asks?: string
  readonly guard: string
}

/** "x" as the content of a file. */
const content = { dataBase64: "eA==" }

/** All of them. */
export const all: ReadonlyArray<FileEscape> = [
  {
    name: "writes a file outside",
    method: "fs/writeFile",
    paths: { path: "$OUTSIDE/fs" },
    params: content,
    guard: "mounts are read-only",
  },
  {
    name: "writes through a link in the workspace",
    method: "fs/writeFile",
    paths: { path: "$WORK/link/fs" },
    params: content,
    guard: "mounts are read-only",
  },
  {
    name: "writes to a place that is a link out of the workspace",
    method: "fs/writeFile",
    paths: { path: "$WORK/link/asked" },
    params: content,
    asks: "link",
    guard: "the sandbox of the request is made inside that of the server",
  },
  {
    name: "reads a hidden file",
    method: "fs/readFile",
    paths: { path: "$SECRET/key" },
    guard: "an empty folder is mounted over it",
  },
  {
    name: "reads a hidden file through a link",
    method: "fs/readFile",
    paths: { path: "$WORK/secret/key" },
    guard: "an empty folder is mounted over it",
  },
  {
    name: "reads a hidden file through the root of the server",
    method: "fs/readFile",
    paths: { path: "/proc/$SERVER/root$SECRET/key" },
    guard: "a namespace of process ids",
  },
  {
    name: "opens a hidden file through a descriptor of its own",
    method: "fs/open",
    paths: { path: "/proc/self/root$SECRET/key" },
    params: { handleId: "key" },
    guard: "an empty folder is mounted over it",
  },
  {
    name: "lists a hidden folder",
    method: "fs/readDirectory",
    paths: { path: "$SECRET" },
    guard: "an empty folder without permissions is mounted over it",
  },
  {
    name: "copies a hidden file into the workspace",
    method: "fs/copy",
    paths: { sourcePath: "$SECRET/key", destinationPath: "$WORK/key" },
    params: { recursive: false },
    guard: "an empty folder is mounted over it",
  },
  {
    name: "removes a file outside",
    method: "fs/remove",
    paths: { path: "$OUTSIDE/remove" },
    guard: "mounts are read-only",
  },
  {
    name: "moves something out of the workspace",
    method: "fs/rename",
    paths: { sourcePath: "$WORK/inside", destinationPath: "$OUTSIDE/inside" },
    guard: "another mount",
  },
  {
    name: "moves something out of the workspace through a link",
    method: "fs/rename",
    paths: { sourcePath: "$WORK/inside", destinationPath: "$WORK/link/inside" },
    params: { overwrite: true },
    guard: "another mount",
  },
  {
    name: "moves a hidden file into the workspace",
    method: "fs/rename",
    paths: { sourcePath: "$SECRET/key", destinationPath: "$WORK/key" },
    guard: "an empty folder is mounted over it",
  },
  {
    name: "renames a file outside",
    method: "fs/rename",
    paths: { sourcePath: "$OUTSIDE/remove", destinationPath: "$OUTSIDE/renamed" },
    guard: "mounts are read-only",
  },
  {
    name: "replaces a file outside by another",
    method: "fs/rename",
    paths: { sourcePath: "$OUTSIDE/remove", destinationPath: "$OUTSIDE/file" },
    params: { overwrite: true },
    guard: "mounts are read-only",
  },
  {
    name: "opens a file outside to everybody",
    method: "fs/setMode",
    paths: { path: "$OUTSIDE/file" },
    params: { mode: 0o666 },
    guard: "mounts are read-only",
  },
  {
    name: "opens a file outside to everybody, through a link",
    method: "fs/setMode",
    paths: { path: "$WORK/link/file" },
    params: { mode: 0o666 },
    guard: "mounts are read-only",
  },
  {
    name: "opens a hidden folder",
    method: "fs/setMode",
    paths: { path: "$SECRET" },
    params: { mode: 0o755 },
    guard: "an empty folder is mounted over it, and sealed",
  },
  {
    name: "makes a link outside",
    method: "fs/createSymlink",
    paths: { path: "$OUTSIDE/made" },
    params: { target: "/" },
    guard: "mounts are read-only",
  },
  {
    name: "makes a link through a link in the workspace",
    method: "fs/createSymlink",
    paths: { path: "$WORK/link/made" },
    params: { target: "/" },
    guard: "mounts are read-only",
  },
]
