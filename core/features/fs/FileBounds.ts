/** The bounds of the methods on files. */

/** The largest file that is read whole, as in the peer implementation: 512 MiB. */
export const maxFileBytes = 512 * 1024 * 1024
/** The largest file that fits into one answer as base64, in bytes: a V8 string has at most 2^29 - 24 characters. */
export const maxAnswerBytes = 384 * 1024 * 1024 - 1024
/** The largest block of `fs/readBlock` and `fs/writeBlock`: 1 MiB. */
export const maxBlockBytes = 1024 * 1024
/** The longest id of a handle, in bytes of UTF-8. */
export const maxHandleIdBytes = 32
/** The most open handles of a connection. */
export const maxHandles = 128
/** The most entries of a folder that `fs/readDirectory` lists. */
export const maxEntries = 50_000
/** The most missing paths of a watch. */
export const maxWatched = 64
/** The longest answer to a walk, in bytes, with 64 for each entry beside its texts: 4 MiB. */
export const maxWalkBytes = 4 * 1024 * 1024
/** The highest limits that a walk may ask for. */
export const maxWalk = { depth: 64, directories: 10_000, entries: maxEntries }
