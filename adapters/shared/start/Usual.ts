/** The part of a start that is the same on Node and Bun, by `node:fs` alone. */
import * as fs from "node:fs"
import process from "node:process"
import { attempt, type Runtime } from "./Early.ts"

/** The release of the kernel, the namespaces of this process, its capabilities and its seccomp filter. */
const host = (): string => {
  const read = (file: string) => attempt(() => fs.readFileSync(file, "latin1")) ?? ""
  const spaces = ["mnt", "pid", "user"].map((name) => attempt(() => fs.readlinkSync(`/proc/self/ns/${name}`)))
  const may = read("/proc/self/status").match(/^(CapEff|NoNewPrivs|Seccomp):.*$/gm) ?? []
  return [read("/proc/sys/kernel/osrelease"), ...spaces, ...may].join(" ")
}

/** The calls to this process and its files. */
export const make = (): Omit<Runtime, "program" | "name" | "uuid" | "input"> => ({
  executable: process.execPath,
  execArgs: process.execArgv,
  args: process.argv.slice(2),
  env: process.env,
  uid: process.geteuid?.() ?? -1,
  gid: process.getegid?.() ?? -1,
  host,
  cwd: () => attempt(() => process.cwd()) ?? "",
  read: (file) => attempt(() => fs.readFileSync(file, "utf8")),
  facts: (file) =>
    attempt(() => {
      const { dev, ino, size, mtimeMs, mode, uid } = fs.statSync(file)
      return { dev, ino, size, time: mtimeMs, mode, uid }
    }),
  output: (bytes) => attempt(() => fs.writeSync(1, bytes)) ?? 0,
})
