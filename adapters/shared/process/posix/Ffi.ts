/**
 * Calls functions of the C library in this process: koffi on Node, `bun:ffi` on Bun, `Deno.dlopen` on
 * Deno. The functions, their constants and the layout of their structures are in `Libc.ts`, for all three.
 */

/** The C types of parameters, and the JavaScript type of each. */
export interface Arguments {
  readonly int: number
  /** `long`, `size_t` and other integers of 64 bits; below 2^53. */
  readonly long: number
  /** A pointer to memory of the caller. */
  readonly buffer: Uint8Array | Int32Array | Uint16Array
  /** `const char *`. */
  readonly text: string
  /** `char *const []`; the null pointer at its end is added. */
  readonly texts: ReadonlyArray<string>
}

export type Parameter = keyof Arguments

export interface Ffi {
  /** The function of this name and signature; throws if the library does not have it. */
  readonly bind: <const P extends ReadonlyArray<Parameter>>(
    name: string,
    parameters: P,
    result?: "int" | "long",
  ) => (...args: { -readonly [K in keyof P]: Arguments[P[K]] }) => number
  /** `errno` of this thread; to be read right after the call. */
  readonly errno: () => number
}

type Native = (...args: ReadonlyArray<unknown>) => unknown

/** Makes a function over pointers take strings and lists of strings, for runtimes that do not convert them. */
export const marshal = (
  call: Native,
  parameters: ReadonlyArray<Parameter>,
  addressOf: (memory: Uint8Array) => bigint,
): ((...args: ReadonlyArray<unknown>) => number) => {
  if (!parameters.some((each) => each === "text" || each === "texts"))
    return (...args) => Number(call(...args))
  return (...args) => {
    // Keeps the memory behind the pointers alive until the function has returned.
    const blocks: Array<Uint8Array> = []
    const toNative = (argument: unknown, i: number) => {
      if (parameters[i] === "text") return toCString(argument as string)
      if (parameters[i] !== "texts") return argument
      const block = toCString((argument as ReadonlyArray<string>).join("\0"))
      blocks.push(block)
      return pointersInto(block, addressOf(block), (argument as ReadonlyArray<string>).length)
    }
    const result = Number(call(...args.map(toNative)))
    blocks.length = 0
    return result
  }
}

const utf8 = new TextEncoder()

/** A string in UTF-8, with its terminating zero. */
const toCString = (text: string): Uint8Array => utf8.encode(`${text}\0`)

/** The addresses of `count` strings that follow each other in `block`, and a null pointer. */
const pointersInto = (block: Uint8Array, address: bigint, count: number): BigUint64Array => {
  const pointers = new BigUint64Array(count + 1)
  let at = 0
  for (let i = 0; i < count; i++) {
    pointers[i] = address + BigInt(at)
    at = block.indexOf(0, at) + 1
  }
  return pointers
}
