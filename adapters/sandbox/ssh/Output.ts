/**
 * What a process of the far side prints, as events. Before the process there is its starter, which says `ready` or
 * `refused`; what a login prints before that is dropped.
 *
 * While it is paused, what arrives is kept, which is at most a window of the channel.
 */
import { setImmediate } from "node:timers"
import type { OutputStream, SpawnEvents, Stdio } from "../../../core/spawn/Spawner.ts"

/** The output of one process. */
export interface Output {
  /** The words of the starter behind its mark. Rejects with what else was printed if the channel ends before. */
  readonly begun: Promise<ReadonlyArray<string>>
  readonly data: (stream: "out" | "err", bytes: Uint8Array) => void
  readonly end: () => void
  /** The channel is gone: nothing follows. `notice` is said in the output if that is still open. */
  readonly close: (notice: string | undefined) => void
  readonly pause: () => void
  readonly resume: () => void
  /** Delivers nothing more; what arrives is dropped. */
  readonly abandon: () => void
}

/** What was printed before `begun`, and is kept to explain a failure. */
const noiseBytes = 4_096

/** Looks for `MARK WORDS;`, and returns what follows. Latin-1, so that a character is a byte. */
const headOf = (mark: string) => {
  let text = ""
  let begin: (words: ReadonlyArray<string>) => void = () => {}
  let fail: (error: Error) => void = () => {}
  const begun = new Promise<ReadonlyArray<string>>((resolve, reject) => {
    begin = resolve
    fail = reject
  })
  // A start may have failed before it waits for this.
  begun.catch(() => {})
  return {
    begun,
    look: (bytes: Uint8Array) => {
      text += Buffer.from(bytes).toString("latin1")
      const at = text.indexOf(`${mark} `)
      const end = at < 0 ? -1 : text.indexOf(";", at)
      if (end >= 0) {
        begin(text.slice(at + mark.length + 1, end).split(" "))
        return Buffer.from(text.slice(end + 1), "latin1")
      }
      text = at < 0 ? text.slice(-noiseBytes) : text.slice(at)
      return undefined
    },
    fail: (notice: string | undefined, noise: string) => {
      const said = `${text}${noise}`.trim()
      fail(new Error(notice ?? `nothing was started${said === "" ? "" : `: ${said}`}`))
    },
  }
}

/** `taken` is told of bytes that are no longer in memory. */
export const make = (
  stdio: Stdio,
  mark: string,
  events: SpawnEvents,
  taken: (count: number) => void,
): Output => {
  const isPty = stdio.kind === "pty"
  const names = { out: isPty ? "pty" : "stdout", err: isPty ? "pty" : "stderr" } as const
  const open = new Set<OutputStream>(Object.values(names))
  const kept: Array<readonly [OutputStream, Uint8Array] | "end"> = []
  const head = headOf(mark)
  let [running, paused, noise] = [false, false, ""]

  const endAll = () => {
    for (const stream of open) events.end(stream)
    open.clear()
  }
  const deliver = (stream: OutputStream, bytes: Uint8Array) => {
    if (open.has(stream) && bytes.length > 0) events.output(stream, bytes)
    taken(bytes.length)
  }
  const take = (stream: OutputStream, bytes: Uint8Array) => {
    // A copy: the bytes belong to the connection.
    if ((paused || kept.length > 0) && open.size > 0) kept.push([stream, Uint8Array.from(bytes)])
    else deliver(stream, bytes)
  }
  const drain = () => {
    for (let next = kept[0]; next !== undefined && !(paused && open.size > 0); next = kept[0]) {
      kept.shift()
      if (next === "end") endAll()
      else deliver(...next)
    }
  }
  const end = () => {
    kept.push("end")
    drain()
  }
  const look = (bytes: Uint8Array) => {
    const rest = head.look(bytes)
    taken(bytes.length - (rest?.length ?? 0))
    if (rest === undefined) return
    running = true
    take(names.out, rest)
  }
  return {
    begun: head.begun,
    data: (stream, bytes) => {
      if (running) return take(names[stream], bytes)
      if (stream === "out") return look(bytes)
      noise = (noise + Buffer.from(bytes).toString()).slice(-noiseBytes)
      taken(bytes.length)
    },
    end,
    close: (notice) => {
      head.fail(notice, noise)
      if (notice !== undefined && open.size > 0)
        kept.push([names.err, Buffer.from(isPty ? `${notice}\r\n` : `${notice}\n`)])
      end()
    },
    pause: () => {
      paused = true
    },
    resume: () => {
      paused = false
      // As if it came just now: not while somebody resumes.
      setImmediate(drain)
    },
    abandon: () => {
      open.clear()
      drain()
    },
  }
}
