/** The C library through `Deno.dlopen`; needs `--allow-ffi`. */
import type { Ffi, Parameter } from "../shared/posix/Ffi.ts"
import { toCString, toCStrings } from "../shared/posix/Ffi.ts"

/** What is used of Deno's namespace, whose types Node's compiler does not have. */
interface DenoNamespace {
  readonly dlopen: (
    library: string,
    symbols: Readonly<Record<string, { parameters: ReadonlyArray<string>; result: string }>>,
  ) => { readonly symbols: Readonly<Record<string, (...args: ReadonlyArray<unknown>) => unknown>> }
  readonly UnsafePointer: {
    readonly of: (memory: Uint8Array<ArrayBuffer>) => object | null
    readonly value: (pointer: object | null) => bigint
  }
  readonly UnsafePointerView: new (pointer: object) => { readonly getInt32: () => number }
}

/** By the name that the dynamic loader knows: Deno is only built for glibc. */
const LIBRARY = "libc.so.6"

const types: Readonly<Record<Parameter, string>> = {
  int: "i32",
  long: "isize",
  buffer: "buffer",
  text: "buffer",
  texts: "buffer",
}

/** Throws without the permission, and where there is no such library. */
export const open = (): Ffi => {
  const { dlopen, UnsafePointer, UnsafePointerView } = (globalThis as unknown as { Deno: DenoNamespace }).Deno
  const symbol = (name: string, parameters: ReadonlyArray<string>, result: string) => {
    const found = dlopen(LIBRARY, { [name]: { parameters, result } }).symbols[name]
    if (found === undefined) throw new Error(`no ${name}`)
    return found
  }
  const location = symbol("__errno_location", [], "pointer")() as object
  const errno = new UnsafePointerView(location)
  const addressOf = (block: Uint8Array<ArrayBuffer>) => UnsafePointer.value(UnsafePointer.of(block))

  /** Keeps alive, up to the next call, what the pointers of this one point at. */
  let alive: Array<Uint8Array> = []
  const toNative = (argument: unknown, parameter: Parameter | undefined): unknown => {
    if (parameter === "long") return BigInt(argument as number)
    if (parameter === "text") return toCString(argument as string)
    if (parameter !== "texts") return argument
    const { block, pointers } = toCStrings(argument as ReadonlyArray<string>, addressOf)
    alive.push(block)
    return pointers
  }
  return {
    bind: (name, parameters, result = "int") => {
      const call = symbol(
        name,
        parameters.map((each) => types[each]),
        types[result],
      )
      const plain = parameters.every((each) => each === "int" || each === "buffer")
      if (plain && result === "int") return call as (...args: ReadonlyArray<unknown>) => number
      return (...args: ReadonlyArray<unknown>) => {
        alive = []
        return Number(call(...args.map((each, i) => toNative(each, parameters[i]))))
      }
    },
    errno: () => errno.getInt32(),
  }
}
