/**
 * What a runtime brings so that functions of the C library can be called in this process.
 *
 * Three runtimes, three ways: koffi on Node, `bun:ffi` on Bun, `Deno.dlopen` on Deno. The functions, their
 * constants and the layout of their structures are told once, in `Libc.ts`.
 */

/** The C types of parameters, with what a caller passes for each. */
export interface Arguments {
  readonly int: number
  /** `long`, `size_t` and other words of 64 bits; below 2^53. */
  readonly long: number
  /** A pointer to memory of ours. */
  readonly buffer: Uint8Array | Int32Array | Uint16Array
  /** `const char *`. */
  readonly text: string
  /** `char *const []`, which ends with a null pointer. */
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
  /** `errno` of this thread, to be asked right after a call. */
  readonly errno: () => number
}

type Native = (...args: ReadonlyArray<unknown>) => unknown

/** A function that takes pointers, as one that takes strings and lists of them, for runtimes that convert neither. */
export const marshal = (
  call: Native,
  parameters: ReadonlyArray<Parameter>,
  addressOf: (memory: Uint8Array<ArrayBuffer>) => bigint,
): ((...args: ReadonlyArray<unknown>) => number) => {
  if (!parameters.some((each) => each === "text" || each === "texts"))
    return (...args) => Number(call(...args))
  return (...args) => {
    // What pointers point at has to be alive until the function has returned.
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

/** A string as C has it, with its terminating zero. */
const toCString = (text: string): Uint8Array<ArrayBuffer> => utf8.encode(`${text}\0`)

/** The addresses of so many strings that lie one behind the other, and a null pointer. */
const pointersInto = (block: Uint8Array, address: bigint, count: number): BigUint64Array => {
  const pointers = new BigUint64Array(count + 1)
  let at = 0
  for (let i = 0; i < count; i++) {
    pointers[i] = address + BigInt(at)
    at = block.indexOf(0, at) + 1
  }
  return pointers
}
