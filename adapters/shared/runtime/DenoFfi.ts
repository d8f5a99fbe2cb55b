/** The C library through `Deno.dlopen`; needs `--allow-ffi`. */
import { type Ffi, marshal, type Parameter } from "../process/posix/Ffi.ts"

/** The part of Deno's namespace that is used; its types are not installed. */
interface DenoNamespace {
  readonly dlopen: (
    library: string,
    symbols: Readonly<Record<string, { parameters: ReadonlyArray<string>; result: string }>>,
  ) => { readonly symbols: Readonly<Record<string, (...args: ReadonlyArray<unknown>) => unknown>> }
  readonly UnsafePointer: {
    readonly of: (memory: Uint8Array) => object | null
    readonly value: (pointer: object | null) => bigint
  }
  readonly UnsafePointerView: new (pointer: object) => { readonly getInt32: () => number }
}

/** Deno is built for glibc only. */
const LIBRARY = "libc.so.6"

const types: Readonly<Record<Parameter, string>> = {
  int: "i32",
  long: "isize",
  buffer: "buffer",
  text: "buffer",
  texts: "buffer",
}

/** Throws without the permission, or without that library. */
export const open = (): Ffi => {
  const { dlopen, UnsafePointer, UnsafePointerView } = (globalThis as unknown as { Deno: DenoNamespace }).Deno
  const symbol = (name: string, parameters: ReadonlyArray<string>, result: string) => {
    const found = dlopen(LIBRARY, { [name]: { parameters, result } }).symbols[name]
    if (found === undefined) throw new Error(`no ${name}`)
    return found
  }
  const location = symbol("__errno_location", [], "pointer")() as object
  const errno = new UnsafePointerView(location)
  const addressOf = (block: Uint8Array) => UnsafePointer.value(UnsafePointer.of(block))

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
    errno: () => errno.getInt32(),
  }
}
