/** The options of the functions on files, and the tables of their names. */
import type * as OptionNames from "./OptionNames.ts"

/** The treatment of symbolic links in a path. */
export interface LinkOptions {
  /** With false, no component of the path may be a symbolic link. Default: true. */
  readonly followSymlinks?: boolean
}

/** Options of `createDirectory`. */
export interface FolderOptions extends LinkOptions {
  /** True to create parent directories, or to remove contents, too. Default: true. */
  readonly recursive?: boolean
}

/** Options of `remove`. */
export interface RemoveOptions extends FolderOptions {
  /** Succeeds if the path does not exist. Default: true. */
  readonly force?: boolean
}

/** Options of `walk`. The defaults are the limits of the server. */
export interface WalkOptions {
  /** The most levels below the directory. Default: 64. */
  readonly maxDepth?: number
  /** The most directories to read. Default: 10,000. */
  readonly maxDirectories?: number
  /** The most entries to return. Default: 50,000. */
  readonly maxEntries?: number
  /** True to walk directories behind symbolic links. Default: false. */
  readonly followDirectorySymlinks?: boolean
  /** Lists directories whose name begins with a dot, but does not enter them. Default: false. */
  readonly pruneHiddenDirectories?: boolean
}

/** Options of `copy`. */
export interface CopyOptions {
  /** True to copy a directory, with its content, too. Default: true. */
  readonly recursive?: boolean
}

/** Options of `mkdir`. */
export interface MkdirOptions extends LinkOptions {
  /** True to create parent directories too; an existing directory is no failure then. Default: false. */
  readonly recursive?: boolean
}

/** Options of `rename`. */
export interface RenameOptions extends LinkOptions {
  /**
   * True to replace an entry at the destination: a file or a link, and an empty directory by a directory, but no
   * directory with something in it. Default: false.
   */
  readonly overwrite?: boolean
}

/** Options of `glob`. */
export interface GlobOptions {
  /** The directory that patterns are relative to. Default: the server's directory. */
  readonly cwd?: string
  /** False to find directories, too. Default: true, only files. */
  readonly onlyFiles?: boolean
  /** True if wildcards match names that begin with a dot. Default: false. */
  readonly dot?: boolean
  /** Patterns of what is left out, with all that is below it; they match names that begin with a dot. Default: none. */
  readonly ignore?: ReadonlyArray<string>
}

/** Options of `watchMissing`. */
export interface WatchOptions {
  /** An existing path, whose change also ends the watch. Default: none. */
  readonly present?: string
}

/** Every option, by its interface. */
export const names = {
  link: { followSymlinks: true } satisfies OptionNames.Names<LinkOptions>,
  folder: { recursive: true, followSymlinks: true } satisfies OptionNames.Names<FolderOptions>,
  remove: { force: true, recursive: true, followSymlinks: true } satisfies OptionNames.Names<RemoveOptions>,
  walk: {
    maxDepth: true,
    maxDirectories: true,
    maxEntries: true,
    followDirectorySymlinks: true,
    pruneHiddenDirectories: true,
  } satisfies OptionNames.Names<WalkOptions>,
  copy: { recursive: true } satisfies OptionNames.Names<CopyOptions>,
  mkdir: { recursive: true, followSymlinks: true } satisfies OptionNames.Names<MkdirOptions>,
  rename: { overwrite: true, followSymlinks: true } satisfies OptionNames.Names<RenameOptions>,
  glob: { cwd: true, onlyFiles: true, dot: true, ignore: true } satisfies OptionNames.Names<GlobOptions>,
  watch: { present: true } satisfies OptionNames.Names<WatchOptions>,
}
