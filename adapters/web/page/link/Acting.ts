/** What is done to a process that need not be shown: it is ended, or forgotten. */
import type { Signal } from "../../../../core/protocol/Process.ts"
import type { Place } from "../model/Rows.ts"
import type { Link } from "./Link.ts"

/** What a visitor can send to a process. */
export interface Sending {
  readonly id: string
  /** In the menu. */
  readonly says: string
  /** The signal; `end` is SIGTERM, and SIGKILL for what is left 5 seconds later. */
  readonly signal: Signal | "end" | "kill"
}

/** The menu. */
export const sendings: ReadonlyArray<Sending> = [
  { id: "interrupt", says: "Interrupt · SIGINT", signal: "interrupt" },
  { id: "end", says: "End · SIGTERM, 5 s later SIGKILL", signal: "end" },
  { id: "kill", says: "Kill · SIGKILL", signal: "kill" },
  { id: "hangup", says: "Hang up · SIGHUP", signal: "hangup" },
  { id: "quit", says: "Quit · SIGQUIT", signal: "quit" },
]

/** The part of a process that signals go through. */
interface Signalled {
  signal(name: Signal): Promise<void>
  end(): Promise<boolean>
  terminate(): Promise<boolean>
}

/** Sends it. */
export const send = async (process: Signalled, { signal }: Sending): Promise<void> => {
  if (signal === "end") await process.end()
  else if (signal === "kill") await process.terminate()
  else await process.signal(signal)
}

/** Ends a process, if it runs, and forgets it. */
export const remove = async ({ client }: Link, { session, processId }: Place): Promise<void> => {
  const process = await client.attach({ session, processId }, Number.MAX_SAFE_INTEGER, {
    role: "writer",
    take: true,
  })
  try {
    await process.end({ remove: true })
  } finally {
    await process.detach()
  }
}
