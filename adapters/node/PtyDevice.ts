/**
 * Pseudo-terminals from `@homebridge/node-pty-prebuilt-multiarch`: only its native `open` and `resize`.
 *
 * The package's own children are not used. Its JavaScript loses the tail of the output on Node 20 and 22,
 * its `fork` costs a thread per child, cannot set `argv[0]` and reports a missing program as output; and
 * neither closes the master for later children. Here both ends are close-on-exec before anything else can
 * be started.
 */
import { createRequire } from "node:module"
import * as Either from "effect/Either"
import type { Libc } from "../shared/process/posix/Libc.ts"
import { type PtyDevice, shortage } from "../shared/process/posix/PtyDevice.ts"

interface Native {
  readonly open: (columns: number, rows: number) => { master: number; slave: number; pty: string }
  readonly resize: (fd: number, columns: number, rows: number) => void
}

const LOADER = "@homebridge/node-pty-prebuilt-multiarch/lib/prebuild-loader.js"

/** Throws if the package has no binary for this platform. */
export const load = (libc: Libc): PtyDevice => {
  const { default: native } = createRequire(import.meta.url)(LOADER) as { default: Native }
  return {
    open: ({ rows, columns }) => {
      const opened = Either.try(() => native.open(columns, rows))
      if (Either.isLeft(opened)) return shortage(libc)
      const { master, slave, pty } = opened.right
      libc.closeOnExec(master)
      libc.closeOnExec(slave)
      return { master, slave, path: pty }
    },
    resize: (master, { rows, columns }) => native.resize(master, columns, rows),
  }
}
