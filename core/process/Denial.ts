/**
 * Guesses from the exit code and the output whether a confined process failed because of its confinement, so that a
 * client can offer to run the command again without it.
 *
 * The words and codes are the peer's; `bwrap: `, the prefix of bubblewrap's own errors, is ours.
 */
import { utf8Decoder } from "../protocol/Bytes.ts"
import type { OutputLog } from "./OutputLog.ts"

const words: ReadonlyArray<string> = [
  "operation not permitted",
  "permission denied",
  "read-only file system",
  "seccomp",
  "sandbox",
  "landlock",
  "failed to write file",
  "bwrap: ",
]

/** The exit code of a process that a seccomp filter killed: 128 plus the number of SIGSYS. */
const killedByFilter = 128 + 31

/** True if a process with this exit code and output was probably denied something by its confinement. */
export const isLikely = (exitCode: number, log: OutputLog): boolean =>
  exitCode !== 0 && (exitCode === killedByFilter || complains(log))

const decoder = utf8Decoder()

const complains = (log: OutputLog): boolean => {
  const texts = new Map<string, string>()
  for (let chunk = log.after(0); chunk !== undefined; chunk = log.after(chunk.seq)) {
    // The words are ASCII, so other characters that are split between chunks do not matter.
    texts.set(chunk.stream, (texts.get(chunk.stream) ?? "") + decoder.decode(chunk.bytes))
  }
  return [...texts.values()].some((text) => {
    const lower = text.toLowerCase()
    return words.some((word) => lower.includes(word))
  })
}
