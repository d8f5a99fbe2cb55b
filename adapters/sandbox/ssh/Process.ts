/** Starts a process on the far side: the spec is stored by the keeper, then a channel of its own runs the starter. */
import { constants } from "node:os"
import type { PlainChild } from "../../../core/spawn/PlainSpawner.ts"
import * as SpawnError from "../../../core/spawn/SpawnError.ts"
import type { ExitStatus, SpawnEvents, SpawnSpec } from "../../../core/spawn/Spawner.ts"
import * as SignalNumber from "../../shared/process/SignalNumber.ts"
import type { Channel } from "./Channel.ts"
import * as FarScripts from "./FarScripts.ts"
import type { Link } from "./Link.ts"
import * as Output from "./Output.ts"
import * as StartScript from "./StartScript.ts"

const refusals: { readonly [errno: string]: () => SpawnError.SpawnError } = {
  2: SpawnError.notFound,
  7: SpawnError.argumentsTooLong,
  13: SpawnError.permissionDenied,
  20: SpawnError.notADirectory,
  36: () =>
    new SpawnError.SpawnError({ reason: "InvalidArgument", message: "Filename too long (os error 36)" }),
}

/**
 * Starts it. Rejects with a `SpawnError`; nothing is left of it then. Answers nothing if the connection was lost before
 * anything could be started.
 */
export const start = async (
  link: Link,
  spec: SpawnSpec,
  events: SpawnEvents,
): Promise<PlainChild | undefined> => {
  const { stdio } = spec
  const id = link.nextId()
  const lost = `the connection to ${link.name} was lost`
  let channel: Channel | undefined
  let [told, asked] = [false, false]
  const exit = (status: ExitStatus) => {
    if (!told) events.exit(status)
    told = true
  }
  const output = Output.make(stdio, link.mark, events, (count) => channel?.taken(count))
  const stored = link.ask("store", ...StartScript.make(id, spec))
  try {
    const opened = link.open({
      data: output.data,
      end: output.end,
      exit,
      closed: (isLost) => {
        if (!asked) return
        output.close(isLost ? `procwire: ${lost}` : undefined)
        exit({ kind: "signaled", signal: constants.signals.SIGKILL })
      },
    })
    channel = await opened.catch(noSession(link))
    if (!(await stored)) throw failed(`${link.folder} cannot be written there`)
    if (stdio.kind === "pty") await channel.request("pty-req", "", ...sizeOf(stdio.size), modes)
    asked = true
    await channel.request("exec", FarScripts.startCommand(link.folder, id))
    if (stdio.kind === "pipe" && !stdio.stdin) channel.end()
    const [word, ...words] = await output.begun
    if (word === "ready") return childOf(link, id, words, channel, output)
    throw refusals[words[0] ?? ""]?.() ?? failed("nothing was started")
  } catch (error) {
    channel?.close()
    void link.ask("end", [id])
    if (!link.isLost()) throw error
    if (asked) throw failed(lost)
    return undefined
  }
}

const failed = (message: string) => new SpawnError.SpawnError({ reason: "Unknown", message })

const noSession = (link: Link) => (cause: unknown) => {
  const message = `${link.name} opens no more sessions: raise MaxSessions in its sshd_config`
  throw new SpawnError.SpawnError({ reason: "ResourceLimit", message, cause })
}

/** Of the terminal: none is set, so it has those of a new one. */
const modes = "\0"

const sizeOf = ({ columns, rows }: { readonly columns: number; readonly rows: number }) =>
  [columns, rows, 0, 0] as const

const childOf = (
  link: Link,
  id: number,
  [pid = "", begun = ""]: ReadonlyArray<string>,
  channel: Channel,
  output: Output.Output,
): PlainChild => {
  const signal = (name: string) => link.ask("signal", [pid, begun, name.slice("SIG".length)])
  return {
    write: channel.write,
    endStdin: channel.end,
    signal: (name) => {
      const number = SignalNumber.of(name)
      if (number !== undefined) return signal(Object.hasOwn(constants.signals, name) ? name : `SIG${number}`)
      throw Object.assign(new Error(`there is no signal ${name}`), { code: "ERR_UNKNOWN_SIGNAL" })
    },
    kill: () => signal("SIGKILL"),
    lingering: () => link.ask("lingers", [pid, begun]),
    resize: (size) => channel.tell("window-change", ...sizeOf(size)),
    pause: output.pause,
    resume: output.resume,
    abandonOutput: output.abandon,
    close: () => {
      channel.close()
      return link.ask("end", [id])
    },
  }
}
