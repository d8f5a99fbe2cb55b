/** Facts of the host for a start on Node and Bun, by `node:fs` alone. */
import * as fs from "node:fs"
import type { FileFacts } from "./Early.ts"

/** The facts of a file; undefined if there is none, or it may not be seen. */
export const factsOf = (file: string): FileFacts | undefined =>
  attempt(() => {
    const { dev, ino, size, mtimeMs, mode, uid } = fs.statSync(file)
    return { dev, ino, size, time: mtimeMs, mode, uid }
  })

/** The release of the kernel, the namespaces of this process, its capabilities and its seccomp filter. */
export const host = (): string => {
  const read = (file: string) => attempt(() => fs.readFileSync(file, "latin1")) ?? ""
  const spaces = ["mnt", "pid", "user"].map((name) => attempt(() => fs.readlinkSync(`/proc/self/ns/${name}`)))
  const may = read("/proc/self/status").match(/^(CapEff|NoNewPrivs|Seccomp):.*$/gm) ?? []
  return [read("/proc/sys/kernel/osrelease"), ...spaces, ...may].join(" ")
}

/** The result; undefined if it throws. */
export const attempt = <A>(run: () => A): A | undefined => {
  try {
    return run()
  } catch {
    return undefined
  }
}
