/** Functions of the C library on Bun, by `bun:ffi`. */
import { createRequire } from "node:module"

type Native = (...args: ReadonlyArray<unknown>) => unknown

/** The part of `bun:ffi` that is used; its types are not installed. */
interface BunFfi {
  readonly dlopen: (
    library: string,
    symbols: Readonly<Record<string, { args: ReadonlyArray<string>; returns: string }>>,
  ) => { readonly symbols: Readonly<Record<string, Native>> }
  readonly ptr: (memory: Uint8Array) => number
  readonly read: { readonly i32: (pointer: unknown, offset: number) => number }
}

/** The names of the C library: glibc's, and musl's for each architecture. */
const LIBRARIES = ["libc.so.6", "libc.musl-x86_64.so.1", "libc.musl-aarch64.so.1"]

export interface BunLibc {
  /** The function of this name, with its types in the words of `bun:ffi`; throws if the library does not have it. */
  readonly symbol: (name: string, args: ReadonlyArray<string>, returns: string) => Native
  /** `errno` of this thread; to be read right after the call. */
  readonly errno: () => number
  /** The address of memory. */
  readonly ptr: (memory: Uint8Array) => number
}

/** Throws if none of these libraries can be opened. */
export const open = (): BunLibc => {
  const { dlopen, ptr, read } = createRequire(import.meta.url)("bun:ffi") as BunFfi
  const symbol: BunLibc["symbol"] = (name, args, returns) => {
    for (const library of LIBRARIES) {
      try {
        const found = dlopen(library, { [name]: { args, returns } }).symbols[name]
        if (found !== undefined) return found
      } catch {
        // Not this libc, or a version without the function: try the next one.
      }
    }
    throw new Error(`no ${name} in ${LIBRARIES.join(", ")}`)
  }
  const location = symbol("__errno_location", [], "ptr")()
  return { symbol, errno: () => read.i32(location, 0), ptr }
}
