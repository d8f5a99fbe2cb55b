/** Operations on a process that need not be shown: signals, removal, and its log. */
import type { ClientProcess } from "../../../../core/client/ClientProcess.ts"
import * as LineStamps from "../../../../core/client/LineStamps.ts"
import type { Signal } from "../../../../core/protocol/Process.ts"
import type { Place } from "../model/Rows.ts"
import type { Link } from "./Link.ts"

export interface Sending {
  readonly id: string
  readonly verb: string
  /** Its signals, for people. */
  readonly how: string
  /** The signal; `end` is SIGTERM, and SIGKILL for the rest 5 seconds later. */
  readonly signal: Signal | "end" | "kill"
}

export const sendings: ReadonlyArray<Sending> = [
  { id: "interrupt", verb: "Interrupt", how: "SIGINT", signal: "interrupt" },
  { id: "end", verb: "End", how: "SIGTERM, 5 s later SIGKILL", signal: "end" },
  { id: "kill", verb: "Kill", how: "SIGKILL", signal: "kill" },
  { id: "hangup", verb: "Hang up", how: "SIGHUP", signal: "hangup" },
  { id: "quit", verb: "Quit", how: "SIGQUIT", signal: "quit" },
]

export const send = async (process: ClientProcess, { signal }: Sending): Promise<void> => {
  if (signal === "end") await process.end()
  else if (signal === "kill") await process.terminate()
  else await process.signal(signal)
}

/** True if this visitor may end and remove the processes of a session. */
export const mayControl = ({ can, lists }: Link, { session }: Pick<Place, "session">): boolean =>
  can("processControlAll") ||
  (lists.get()?.sessions.some((one) => one.own && one.session === session) ?? false)

/** Ends a process, if it runs, and forgets it. */
export const remove = (link: Link, place: Place): Promise<void> =>
  asWriter(link, place, (process) => process.end({ remove: true }))

/** Calls back with the process while this connection is its writer. */
export const asWriter = async (
  { client }: Link,
  { session, processId }: Place,
  act: (process: ClientProcess) => Promise<unknown>,
): Promise<void> => {
  const process = await client.attach({ session, processId }, Number.MAX_SAFE_INTEGER, {
    role: "writer",
    take: true,
  })
  try {
    await act(process)
  } finally {
    await process.detach().catch(() => {})
  }
}

/** The size of one request, in bytes. */
const part = 1024 * 1024

/**
 * Reads the files of the server, which keep it since the start; with `times` each line has its time in front. Rejects
 * with `ClientError` where there are none.
 */
export const readLog = async (
  process: Pick<ClientProcess, "history">,
  times: boolean,
): Promise<ReadonlyArray<Uint8Array>> => {
  const stamps = times ? LineStamps.make() : undefined
  const parts: Array<Uint8Array> = []
  for (let byte = 0; ;) {
    const found = await process.history({ from: { byte }, maxBytes: part, times })
    for (const [index, { stream, chunk }] of found.chunks.entries())
      parts.push(stamps?.add(stream, chunk, found.times?.[index] ?? 0) ?? chunk)
    if (found.eof || found.nextByte === byte) return parts
    byte = found.nextByte
  }
}
