/**
 * The `ssh` that is the ControlMaster. Its own session is the keeper of the far side: it is sent lines and answers
 * each with its number and a status.
 */
import { spawn } from "node:child_process"

/** A keeper. */
export interface Keeper {
  /** Its first words, once it listens: the folder on the far side. Rejects with the words of ssh. */
  readonly greeting: Promise<string>
  /** Asks for `VERB WORDS` with what follows that line, and gets a status; `lost` once the connection is. */
  readonly ask: (verb: string, words?: string, more?: Uint8Array) => Promise<string>
  /** Ends its input: it kills what is left and ends. */
  readonly close: () => void
  /** Ends ssh at once; `why` is the reason if it has said none. */
  readonly kill: (why?: string) => void
  /** True once it answers no more. */
  readonly isOver: () => boolean
  /** Completes when ssh has ended, with the reason. */
  readonly ended: Promise<string>
}

/** Beyond this many characters without an end of line nobody is waited for. */
const longest = 65_536

/** Starts ssh, and the keeper by its script; `mark` begins its greeting, behind what a login may have printed. */
export const start = (words: ReadonlyArray<string>, script: string, mark: string): Keeper => {
  // By the shell, which Deno lets procwire run. Signals of a terminal are not for it: the server decides when it ends.
  const ssh = spawn("/bin/sh", ["-c", 'exec ssh "$@"', "sh", ...words], {
    detached: true,
    stdio: ["pipe", "pipe", "pipe"],
  })
  const waiting = new Map<string, (status: string) => void>()
  let [said, rest, over, sequence] = ["", "", false, 0]
  let greet: (folder: string) => void = () => {}

  const finish = () => {
    over = true
    for (const answer of waiting.values()) answer("lost")
    waiting.clear()
  }
  const onLine = (line: string) => {
    const [first = "", second = "", third = ""] = line.split(" ")
    if (first === mark && second === "hello") return greet(third)
    if (first === mark) said = "no folder over there can be written: /dev/shm, TMPDIR, /tmp, HOME"
    waiting.get(first)?.(second)
    waiting.delete(first)
  }
  ssh.stdin.on("error", () => {})
  ssh.stdout.setEncoding("utf8").on("data", (text: string) => {
    const lines = (rest + text).split("\n")
    rest = (lines.pop() ?? "").slice(-longest)
    lines.forEach(onLine)
  })
  ssh.stderr.setEncoding("utf8").on("data", (text: string) => {
    said = (said + text).slice(-2_000)
  })
  const ended = new Promise<string>((resolve) => {
    ssh.once("error", ({ message }) => resolve(message))
    ssh.once("close", (code, signal) => {
      resolve(
        said.trim() ||
          (signal === null ? `its session has ended, and ssh with ${code}` : `ssh was ended by ${signal}`),
      )
    })
  })
  const greeting = new Promise<string>((resolve, reject) => {
    greet = resolve
    void ended.then((why) => reject(new Error(why)))
  })
  // The keeper may be gone though ssh is not.
  ssh.stdout.once("end", () => {
    finish()
    ssh.kill()
  })
  void ended.then(finish)

  ssh.stdin.write(script)
  return {
    greeting,
    ask: (verb, words = "", more) =>
      new Promise((resolve) => {
        if (over) return resolve("lost")
        const own = String(sequence++)
        waiting.set(own, resolve)
        ssh.stdin.write(`${verb} ${own} ${words}\n`)
        if (more !== undefined) ssh.stdin.write(more)
      }),
    close: () => void ssh.stdin.end(),
    kill: (why = "") => {
      said ||= why
      ssh.kill("SIGKILL")
    },
    isOver: () => over,
    ended,
  }
}
