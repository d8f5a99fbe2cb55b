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

const utf8 = new TextEncoder()

/** A string as C has it, with its terminating zero. */
export const toCString = (text: string): Uint8Array<ArrayBuffer> => utf8.encode(`${text}\0`)

/** Strings as an array of pointers into one block, which must stay alive while the array is used. */
export const toCStrings = (
  texts: ReadonlyArray<string>,
  addressOf: (block: Uint8Array<ArrayBuffer>) => bigint,
): { readonly block: Uint8Array<ArrayBuffer>; readonly pointers: BigUint64Array<ArrayBuffer> } => {
  const block = toCString(texts.join("\0"))
  const pointers = new BigUint64Array(texts.length + 1)
  const base = addressOf(block)
  let at = 0
  for (let i = 0; i < texts.length; i++) {
    pointers[i] = base + BigInt(at)
    at = block.indexOf(0, at) + 1
  }
  return { block, pointers }
}
