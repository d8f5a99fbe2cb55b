/** Runs a program to find out whether it works on this machine. */
import { spawnSync } from "node:child_process"
import process from "node:process"
import * as Result from "effect/Result"

/** The deadline of a program. */
const LONGEST_MILLIS = 30_000

/**
 * The words that start a program by `/bin/sh`, the only one that Deno's permissions of procwire let
 * `node:child_process` start. Its exit code is 127 if there is no such program.
 */
export const throughShell = (
  program: string,
  args: ReadonlyArray<string>,
): [file: string, args: Array<string>] =>
  process.platform === "win32"
    ? [program, [...args]]
    : ["/bin/sh", ["-c", 'exec "$0" "$@"', program, ...args]]

/** Its standard output if it exits with 0; else the reason in one line: its last words, or its end. */
export const run = (program: string, ...args: ReadonlyArray<string>): Result.Result<string, string> => {
  const ran = Result.try({
    try: () => spawnSync(...throughShell(program, args), { encoding: "utf8", timeout: LONGEST_MILLIS }),
    catch: firstLine,
  })
  return Result.flatMap(ran, ({ error, signal, status, stderr, stdout }) => {
    if (status === 0) return Result.succeed(stdout.trim())
    if (error !== undefined && "code" in error && error.code === "ETIMEDOUT")
      return Result.fail(`${program} does not end within ${LONGEST_MILLIS / 1000} s`)
    if (error !== undefined) return Result.fail(firstLine(error))
    const [said] = stderr.trim().split("\n").slice(-1)
    return Result.fail(said || `${program} ends with ${signal ?? `exit code ${status}`}`)
  })
}

export const firstLine = (error: unknown): string => {
  const [first = ""] = (error instanceof Error ? error.message : String(error)).split("\n")
  return first
}
