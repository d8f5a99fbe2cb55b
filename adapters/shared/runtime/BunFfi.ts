/** The C library through `bun:ffi`. */
import { createRequire } from "node:module"
import { type Ffi, marshal, type Parameter } from "../process/posix/Ffi.ts"

/** The part of `bun:ffi` that is used; its types are not installed. */
interface BunFfi {
  readonly dlopen: (
    library: string,
    symbols: Readonly<Record<string, { args: ReadonlyArray<string>; returns: string }>>,
  ) => { readonly symbols: Readonly<Record<string, (...args: ReadonlyArray<unknown>) => unknown>> }
  readonly ptr: (memory: Uint8Array) => number
  readonly read: { readonly i32: (pointer: unknown, offset: number) => number }
}

/** The names of the C library: glibc's, and musl's for each architecture. */
const LIBRARIES = ["libc.so.6", "libc.musl-x86_64.so.1", "libc.musl-aarch64.so.1"]

const types: Readonly<Record<Parameter, string>> = {
  int: "i32",
  long: "i64_fast",
  buffer: "ptr",
  text: "ptr",
  texts: "ptr",
}

/** Throws if none of these libraries can be opened. */
export const open = (): Ffi => {
  const { dlopen, ptr, read } = createRequire(import.meta.url)("bun:ffi") as BunFfi
  const symbol = (name: string, args: ReadonlyArray<string>, returns: string) => {
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
  const addressOf = (block: Uint8Array) => BigInt(ptr(block))

  return {
    bind: (name, parameters, result = "int") =>
      marshal(
        symbol(
          name,
          parameters.map((each) => types[each]),
          types[result],
        ),
        parameters,
        addressOf,
      ),
    errno: () => read.i32(location, 0),
  }
}
