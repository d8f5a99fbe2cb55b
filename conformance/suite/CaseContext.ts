/**
 * What a case works with: fresh connections to the server under test, and the certainty that they are gone afterwards.
 *
 * Guarantee: after `finish` every connection is closed, every process that the case has started is killed, a server of its
 * own is dead, and a wait that the case has left behind fails nobody. On a server that the suite has not started, processes are terminated over the wire.
 */
import { randomUUID } from "node:crypto"
import { fail } from "./Check.ts"
import type { Dialect } from "./Dialect.ts"
import type { JsonObject } from "./Json.ts"
import type { Server, Target } from "./Target.ts"
import * as Transcript from "./Transcript.ts"
import * as WireInvariants from "./WireInvariants.ts"
import * as Inbox from "./wire/Inbox.ts"
import * as ProcessTree from "./wire/ProcessTree.ts"
import * as ServerProcess from "./wire/ServerProcess.ts"
import type { TransportKind } from "./wire/TransportKind.ts"
import * as Wire from "./wire/Wire.ts"

/**
 * Which server a case may share. `shared`: any one. `owned`: one that the suite has started, so that its environment is
 * known. `fresh`: started for this case alone, because the case signals it or watches it end.
 */
export type ServerNeed = "shared" | "owned" | "fresh"

/** The server and the wire that a case needs. */
export interface Setting {
  readonly dialect: Dialect
  readonly server: ServerNeed
  /** Arguments added to the command line of the server. */
  readonly args: ReadonlyArray<string>
}

export interface CaseContext {
  readonly transport: TransportKind
  /** The deadline of a single wait. */
  readonly timeoutMs: number
  /** The server of this case; over stdio that of the last connection. */
  readonly server: () => Promise<Server>
  /** The server process, for cases that need one of their own. */
  readonly process: () => Promise<ServerProcess.ServerProcess>
  /** Starts the server with further arguments, and instead of its WebSocket URL with `listen`; waits for nothing. */
  readonly launch: (args: ReadonlyArray<string>, listen?: string) => ServerProcess.ServerProcess
  /** A connection before the handshake. Over stdio each one has a server of its own. */
  readonly connect: (headers?: { readonly [name: string]: string }) => Promise<Wire.Wire>
  /** A connection after the handshake. */
  readonly open: (params?: JsonObject) => Promise<Wire.Wire>
  /** A figure for the report, for example how many rounds were seen. */
  readonly note: (text: string) => void
}

export interface RunningContext {
  readonly context: CaseContext
  readonly transcript: Transcript.Transcript
  readonly notes: ReadonlyArray<string>
  /** What is wrong with any message of any connection, if anything. */
  readonly fault: () => string | undefined
  /** What the servers of this case alone have written to their standard error. */
  readonly stderr: () => string
  readonly finish: () => void
}

const childPath = "/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin"

/** An inbox whose waits never fail once the case is over: there is nobody left to hear of it. */
const quiet = (inbox: Inbox.Inbox, over: () => boolean): Inbox.Inbox => ({
  ...inbox,
  wait: (what, ms, pick) =>
    new Promise((resolve, reject) => {
      inbox.wait(what, ms, pick).then(resolve, (error: unknown) => {
        if (!over()) reject(error)
      })
    }),
})

export const make = (item: Setting, target: Target, timeoutMs: number): RunningContext => {
  const token = randomUUID()
  const transcript = Transcript.make()
  const notes: Array<string> = []
  const wires: Array<Wire.Wire> = []
  const own: Array<{ readonly stop: () => void; readonly errors: () => string }> = []
  let current: Promise<Server> | undefined
  let over = false

  const launchServer = async (): Promise<Server> => {
    const needs = { args: item.args, token, timeoutMs }
    if (target.kind !== "stdio" && item.server !== "fresh") return target.shared(needs)
    const server = await target.fresh(needs)
    own.push({ stop: server.stop, errors: () => server.process?.errors() ?? "" })
    return server
  }
  const server = (): Promise<Server> => (current ??= launchServer())

  const connect: CaseContext["connect"] = async (headers) => {
    if (target.kind === "stdio" && wires.length > 0) current = undefined
    const inbox = quiet(Inbox.make(), () => over)
    const connection = wires.length + 1
    const channel = await (
      await server()
    ).connect(
      {
        message: (incoming) => {
          transcript.add(connection, "came", incoming.text)
          inbox.addMessage(incoming)
        },
        control: (kind, payload) => {
          transcript.add(connection, "info", `${kind} ${JSON.stringify(payload)}`)
          inbox.addControl(kind, payload)
        },
        end: (how) => {
          transcript.add(connection, "info", how)
          inbox.end(how)
        },
      },
      headers,
    )
    const childEnv = { PATH: childPath, [ServerProcess.marker]: token }
    const wire = Wire.make({ channel, inbox, transcript, connection, timeoutMs, childEnv })
    wires.push(wire)
    return wire
  }

  const context: CaseContext = {
    transport: target.kind,
    timeoutMs,
    server,
    process: async () => (await server()).process ?? fail("this case needs a server that the suite starts"),
    launch: (args, listen) => {
      const words = target
        .argv()
        .map((word) => (listen === undefined ? word : word.replace(/ws:\/\/\S*/, listen)))
      const started = ServerProcess.launch({ argv: [...words, ...args], env: {}, token })
      own.push({ stop: started.kill, errors: started.errors })
      return started
    },
    connect,
    open: async (params) => {
      const wire = await connect()
      await wire.handshake(params)
      return wire
    },
    note: (text) => notes.push(text),
  }

  return {
    context,
    transcript,
    notes,
    fault: () => {
      for (const wire of wires) {
        const fault = WireInvariants.fault(wire.inbox.messages, wire, item.dialect)
        if (fault !== undefined) return fault
      }
      return undefined
    },
    stderr: () =>
      own
        .map(({ errors }) => errors())
        .filter((text) => text !== "")
        .join("\n"),
    finish: () => {
      over = true
      for (const wire of wires) {
        if (target.kind !== "stdio" && item.server !== "fresh") {
          wire.terminateAll()
          wire.channel.close()
          setTimeout(wire.channel.drop, 500).unref()
        } else wire.channel.drop()
      }
      for (const started of own) started.stop()
      if (target.owned) ProcessTree.killAll(ProcessTree.marked(`${ServerProcess.marker}=${token}`))
    },
  }
}
