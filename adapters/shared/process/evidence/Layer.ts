/** The evidence that this host gives: that of the kernel on Linux, where the C library can be called; else none. */
import * as Effect from "effect/Effect"
import * as EffectLayer from "effect/Layer"
import { ProcessEvidence, unknown } from "../../../../core/spawn/ProcessEvidence.ts"
import * as KernelFiles from "../../host/KernelFiles.ts"
import * as ProcessTable from "../ProcessTable.ts"
import type { Ffi } from "../posix/Ffi.ts"
import * as Libc from "../posix/Libc.ts"
import * as LibcKernelFiles from "../posix/LibcKernelFiles.ts"
import * as LinuxEvidence from "./LinuxEvidence.ts"
import * as SystemCalls from "./SystemCalls.ts"
import * as Terminals from "./Terminals.ts"

/** The service for the children of this process. The C library is bound at the first look. */
export const layer = (openFfi: () => Ffi): EffectLayer.Layer<ProcessEvidence> =>
  EffectLayer.effect(
    ProcessEvidence,
    Effect.sync(() => {
      if (process.platform !== "linux" || !SystemCalls.isKnown(process.arch) || !tellsCalls()) return unknown
      try {
        const ffi = openFfi()
        let host: LinuxEvidence.Host | undefined
        return LinuxEvidence.make(() => (host ??= bind(ffi)))
      } catch {
        return unknown
      }
    }),
  )

/** Nothing is known here. */
export const none: EffectLayer.Layer<ProcessEvidence> = EffectLayer.succeed(ProcessEvidence, unknown)

/** Deno does not let its file functions read /proc; the C library does. */
const tellsCalls = () => "Deno" in globalThis || KernelFiles.node.read("/proc/self/syscall") !== ""

const bind = (ffi: Ffi): LinuxEvidence.Host => {
  const libc = Libc.bind(ffi)
  const files = LibcKernelFiles.make(ffi, libc)
  return {
    files,
    table: ProcessTable.make(files),
    terminals: Terminals.make(ffi, libc),
    arch: process.arch,
  }
}
