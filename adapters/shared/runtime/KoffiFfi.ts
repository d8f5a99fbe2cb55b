/**
 * The C library through koffi, because Node has no FFI of its own. Symbols are those of the running process.
 *
 * Only the part of koffi that is compiled for this machine is loaded, and is all that the package installs of it.
 */
import { createRequire } from "node:module"
import type * as Koffi from "koffi"
import type { Ffi, Parameter } from "../process/posix/Ffi.ts"

const types: Readonly<Record<Parameter, string>> = {
  int: "int",
  long: "long",
  buffer: "void *",
  text: "const char *",
  texts: "const char **",
}

/** The part of koffi for this machine: there is a package for each system and processor. */
const compiled = `@koromix/koffi-${process.platform}-${process.arch}`

/** Throws if it is not installed. */
export const open = (): Ffi => {
  const koffi = createRequire(import.meta.url)(compiled) as typeof Koffi
  const library = koffi.load(null)
  return {
    bind: (name, parameters, result = "int") => {
      const call = library.func(
        name,
        result,
        parameters.map((each) => types[each]),
      ) as (...args: ReadonlyArray<unknown>) => number
      if (!parameters.includes("texts")) return call
      return (...args) => call(...args.map((each) => (Array.isArray(each) ? [...each, null] : each)))
    },
    errno: () => koffi.errno(),
  }
}
