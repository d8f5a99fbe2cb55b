/** The interpreter of tests that run Python. */
import { spawnSync } from "node:child_process"

const asked = spawnSync("python3", ["-c", "import sys; print(sys.executable)"], { encoding: "utf8" })

/**
 * The program behind `python3`, which may be a script of a version manager: that takes seconds of processor time for
 * each start on a busy machine.
 */
export const program = asked.status === 0 ? asked.stdout.trim() : "python3"

/** True if it runs with these arguments, and exits with 0. */
export const runs = (...args: ReadonlyArray<string>): boolean => spawnSync(program, args).status === 0
