/** The C library through `bun:ffi`. */
import * as BunLibc from "../host/BunLibc.ts"
import { type Ffi, marshal, type Parameter } from "../process/posix/Ffi.ts"

const types: Readonly<Record<Parameter, string>> = {
  int: "i32",
  long: "i64_fast",
  buffer: "ptr",
  text: "ptr",
  texts: "ptr",
}

/** Throws if none of the names of the library can be opened. */
export const open = (): Ffi => {
  const { symbol, errno, ptr } = BunLibc.open()
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
    errno,
  }
}
