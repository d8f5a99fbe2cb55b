/**
 * A process as a display-only terminal of ACP v2: its events become `terminal_update` and `terminal_output_chunk`, and
 * its last output is kept for clients that come later.
 *
 * Updates are sent one after the other, in the order of the output: while one is sent no more events are taken, so that
 * a slow ACP client slows the process down and nothing piles up here. The output of both streams is one sequence of
 * bytes, as in a terminal.
 */
import type {
  SessionUpdate,
  TerminalOutputChunk,
  TerminalUpdate,
} from "@agentclientprotocol/sdk/experimental/v2"
import type { ClientProcess } from "../../../core/client/ClientProcess.ts"
import type { Exited, ProcessEvent } from "../../../core/client/ProcessEvent.ts"
import { toError } from "../../../core/client/EventFeed.ts"
import { concat, toBase64 } from "../../../core/protocol/Bytes.ts"
import * as Signals from "../../../core/protocol/Signals.ts"

/** The two kinds of session updates that are sent. */
export type DisplayUpdate =
  | (TerminalUpdate & { readonly sessionUpdate: "terminal_update" })
  | (TerminalOutputChunk & { readonly sessionUpdate: "terminal_output_chunk" })

/** The facts of the terminal, and the receiver of its updates. */
export interface DisplayOptions {
  /** Its id, unique in the ACP session and never used again. */
  readonly terminalId: string
  /** The command, for people. */
  readonly command?: string
  /** Its directory: an absolute path on the host of the process. */
  readonly cwd?: string
  /** The size of the PTY, in characters. */
  readonly size?: { readonly cols: number; readonly rows: number }
  /**
   * The bound on the output for {@link DisplayTerminal.snapshot}, in bytes. A snapshot without the begin says so in the
   * `_meta` of its output: `procwire/truncated`. Default: 1 MiB.
   */
  readonly keepBytes?: number
  /** The operating system of the host, for the names of signals. Default: `linux`. */
  readonly platform?: "linux" | "macos"
  /** Sends an update, as with `notify("session/update", { sessionId, update })` of an `AgentContext`. */
  readonly send: (update: DisplayUpdate & SessionUpdate) => void | Promise<void>
}

/** A terminal that is shown. */
export interface DisplayTerminal {
  /** Its anchor in a tool call: `content` of a `tool_call_update`. */
  readonly content: { readonly type: "terminal"; readonly terminalId: string }
  /** All that is known now, as one update: for a session that is resumed with its replay. */
  readonly snapshot: () => DisplayUpdate & SessionUpdate
  /**
   * Resolves when the end has been sent. Rejects with what `send` has thrown, or with the error that has ended the
   * events; without a known end the terminal gets an exit with neither code nor signal.
   */
  readonly done: Promise<void>
}

/** Shows a process from its first event on; other consumers of its events are not disturbed. */
export const display = (process: ClientProcess, options: DisplayOptions): DisplayTerminal => {
  const { command, cwd, keepBytes = 1024 * 1024, platform = "linux", send, size, terminalId } = options
  const output = kept(keepBytes)
  let exitStatus: TerminalUpdate["exitStatus"]
  const about = {
    sessionUpdate: "terminal_update" as const,
    terminalId,
    ...(command === undefined ? {} : { command }),
    ...(cwd === undefined ? {} : { cwd }),
    ...(size === undefined ? {} : { size }),
  }

  const take = async (event: ProcessEvent): Promise<void> => {
    if (event.kind === "output") {
      output.add(event.bytes)
      await send({ sessionUpdate: "terminal_output_chunk", terminalId, data: toBase64(event.bytes) })
    } else if (event.kind === "exited") exitStatus = statusOf(event, platform)
    else if (event.kind === "gap") output.missed()
    else if (event.kind === "failed") throw toError(event)
  }

  const follow = async (): Promise<void> => {
    await send(about)
    try {
      for await (const event of process) await take(event)
    } finally {
      exitStatus ??= {}
      await send({ sessionUpdate: "terminal_update", terminalId, exitStatus })
    }
  }

  const done = follow()
  done.catch(() => undefined)
  return {
    content: { type: "terminal", terminalId },
    snapshot: () => ({
      ...about,
      output: output.snapshot(),
      ...(exitStatus === undefined ? {} : { exitStatus }),
    }),
    done,
  }
}

/** The signal by its name, if the server knows it, and else the exit code of a shell. */
const statusOf = ({ exitCode, signal }: Exited, platform: "linux" | "macos") =>
  signal === undefined ? { exitCode } : { signal: Signals.toPosix(signal, platform) }

/** The last bytes of an output. */
const kept = (most: number) => {
  let chunks: Array<Uint8Array> = []
  let size = 0
  let truncated = false
  return {
    add: (bytes: Uint8Array): void => {
      chunks.push(bytes)
      size += bytes.length
      if (size < 2 * most) return
      const all = concat(chunks)
      chunks = [all.slice(all.length - most)]
      size = most
      truncated = true
    },
    /** The begin of the output has been dropped. */
    missed: (): void => {
      chunks = []
      size = 0
      truncated = true
    },
    snapshot: () => {
      const all = concat(chunks)
      const cut = all.length > most
      const data = toBase64(cut ? all.slice(all.length - most) : all)
      return truncated || cut ? { data, _meta: { "procwire/truncated": true } } : { data }
    },
  }
}
