/** The programs of this machine. */
import { spawnSync } from "node:child_process"

/** True if the shell finds a program of that name. */
export const has = (program: string): boolean =>
  spawnSync("/bin/sh", ["-c", `command -v ${program}`], { stdio: "ignore" }).status === 0
