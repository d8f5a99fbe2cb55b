/**
 * Whether a confined process probably failed because of its confinement: a guess from its exit code and its output.
 *
 * Words and codes are the peer's, and beyond them the word that bubblewrap puts before its own failures. A client may ask
 * its user to run the command again without the confinement.
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

/** 128 and the number of SIGSYS, with which a filter of system calls ends a process. */
const killedByFilter = 128 + 31

export const isLikely = (exitCode: number, log: OutputLog): boolean =>
  exitCode !== 0 && (exitCode === killedByFilter || complains(log))

const decoder = utf8Decoder()

const complains = (log: OutputLog): boolean => {
  const texts = new Map<string, string>()
  for (let chunk = log.after(0); chunk !== undefined; chunk = log.after(chunk.seq)) {
    // The words are ASCII: what else is split between chunks does not matter.
    texts.set(chunk.stream, (texts.get(chunk.stream) ?? "") + decoder.decode(chunk.bytes))
  }
  return [...texts.values()].some((text) => {
    const lower = text.toLowerCase()
    return words.some((word) => lower.includes(word))
  })
}
