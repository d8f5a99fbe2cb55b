/** Why programs may not make user namespaces on this machine, and the command that allows it. */
import { existsSync } from "node:fs"
import process from "node:process"
import * as Result from "effect/Result"
import * as Attempt from "../host/Attempt.ts"

/** The settings of Linux that forbid it, the value with which each does, and what allows it. */
const settings = [
  ["kernel/apparmor_restrict_unprivileged_userns", "1", "0"],
  ["kernel/unprivileged_userns_clone", "0", "1"],
  ["user/max_user_namespaces", "0", "28000"],
] as const

/** The command that allows them: it depends on what forbids them here. */
export const remedy = (): string => {
  for (const [path, forbids, allows] of settings) {
    const value = Result.getOrElse(Attempt.run("cat", `/proc/sys/${path}`), () => "")
    if (value === forbids) return `sysctl -w ${path.replace("/", ".")}=${allows}`
  }
  if (isContainer())
    return "start the container with: --security-opt seccomp=unconfined --security-opt systempaths=unconfined"
  return process.platform === "linux" ? "start the server as root" : "use Linux"
}

const isContainer = (): boolean => existsSync("/.dockerenv") || existsSync("/run/.containerenv")
