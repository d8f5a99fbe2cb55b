/** The sources of the checks of `procwire doctor`: the C library, the kernel's files, the spawners of the runtime. */
import process from "node:process"
import * as Result from "effect/Result"
import * as Attempt from "../host/Attempt.ts"
import * as KernelFiles from "../host/KernelFiles.ts"
import type { Platform } from "../Platform.ts"
import type { Ffi } from "../process/posix/Ffi.ts"
import * as Libc from "../process/posix/Libc.ts"
import * as LibcKernelFiles from "../process/posix/LibcKernelFiles.ts"

export interface Native {
  readonly ffi: Ffi
  readonly libc: Libc.Libc
  readonly files: KernelFiles.KernelFiles
}

export interface Machine {
  readonly platform: Platform
  /** Left: why it cannot be called. */
  readonly native: Result.Result<Native, string>
  readonly files: KernelFiles.KernelFiles
  readonly isRoot: boolean
}

export const make = (platform: Platform): Machine => {
  const native = Result.try({
    try: () => {
      const ffi = platform.openFfi()
      const libc = Libc.bind(ffi)
      return { ffi, libc, files: LibcKernelFiles.make(ffi, libc) }
    },
    catch: Attempt.firstLine,
  })
  return {
    platform,
    native,
    files: Result.isSuccess(native) ? native.success.files : KernelFiles.node,
    isRoot: Result.getOrElse(
      Result.try(() => process.getuid?.() === 0),
      () => false,
    ),
  }
}
