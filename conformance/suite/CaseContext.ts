/**
 * The context of a case: connections to the server under test, which are gone when the case is over.
 *
 * Guarantee: after `finish` every connection is closed, every process that the case has started is killed, its own
 * servers are dead, and a wait that is still pending fails nothing. On a server that the suite has not started,
 * processes are terminated over the wire.
 */
import { randomUUID } from "node:crypto"
import * as CaseServers from "./CaseServers.ts"
import { fail } from "./Check.ts"
import type { Dialect } from "./Dialect.ts"
import type { JsonObject } from "./Json.ts"
import type { Server, Target } from "./Target.ts"
import * as Transcript from "./Transcript.ts"
import * as WireInvariants from "./WireInvariants.ts"
import type { ChannelEvents } from "./wire/Channel.ts"
import * as Inbox from "./wire/Inbox.ts"
import * as ServerProcess from "./wire/ServerProcess.ts"
import type { TransportKind } from "./wire/TransportKind.ts"
import * as Wire from "./wire/Wire.ts"

/** The server and the wire that a case needs. */
export interface Setting {
  /** The version of the wire that the case speaks. */
  readonly dialect: Dialect
  /** The server that the case may share with others. */
  readonly server: CaseServers.ServerNeed
  /** Arguments added to the command line of the server. */
  readonly args: ReadonlyArray<string>
}

/** The context of a case. */
export interface CaseContext {
  /** The transport of this run. */
  readonly transport: TransportKind
  /** The longest wait without a message, in milliseconds. */
  readonly timeoutMs: number
  /** The server of this case; over stdio that of the last connection. */
  readonly server: () => Promise<Server>
  /** The server process, for cases that need one of their own. */
  readonly process: () => Promise<ServerProcess.ServerProcess>
  /** Starts the server with further arguments, and instead of its WebSocket URL with `listen`; waits for nothing. */
  readonly launch: (args: ReadonlyArray<string>, listen?: string) => ServerProcess.ServerProcess
  /** The server that cases with these further arguments share: none of them may end it. Not over stdio. */
  readonly withArgs: (args: ReadonlyArray<string>) => Promise<Server>
  /** The result that the first case has made under this name: a start that several cases judge. */
  readonly once: <A>(name: string, make: () => Promise<A>) => Promise<A>
  /** A connection before the handshake. Over stdio each one has a server of its own. */
  readonly connect: (headers?: { readonly [name: string]: string }) => Promise<Wire.Wire>
  /** A connection after the handshake. */
  readonly open: (params?: JsonObject) => Promise<Wire.Wire>
  /** Adds a figure to the report, for example how many rounds were seen. */
  readonly note: (text: string) => void
}

/** The context of a case that runs, and its results. */
export interface RunningContext {
  /** The context of the case. */
  readonly context: CaseContext
  /** The messages in both directions. */
  readonly transcript: Transcript.Transcript
  /** The notes of the case. */
  readonly notes: ReadonlyArray<string>
  /** The first violation of the invariants of the wire in any message, if there was one. */
  readonly fault: () => string | undefined
  /** The standard error of the servers of this case alone. */
  readonly stderr: () => string
  /** Ends everything that the case has left behind. */
  readonly finish: () => void
}

const childPath = "/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin"

/** An inbox whose waits never fail once the case is over: nothing awaits them any more. */
const quiet = (inbox: Inbox.Inbox, over: () => boolean): Inbox.Inbox => ({
  ...inbox,
  wait: (what, ms, pick) =>
    new Promise((resolve, reject) => {
      inbox.wait(what, ms, pick).then(resolve, (error: unknown) => {
        if (!over()) reject(error)
      })
    }),
})

const recorded = (
  transcript: Transcript.Transcript,
  connection: number,
  inbox: Inbox.Inbox,
): ChannelEvents => ({
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
})

/** The time, in milliseconds, that a shared server has to answer the close of a connection. */
const closeMs = 500

/** Begins a case: nothing is started or connected before the case asks for it. */
export const make = (
  { args, dialect, server }: Setting,
  target: Target,
  timeoutMs: number,
  onEntry?: Transcript.OnEntry,
): RunningContext => {
  const token = randomUUID()
  const transcript = Transcript.make(onEntry)
  const notes: Array<string> = []
  const wires: Array<Wire.Wire> = []
  const servers = CaseServers.make(target, { args, server, token, timeoutMs })
  let over = false

  const connect: CaseContext["connect"] = async (headers) => {
    const inbox = quiet(Inbox.make(), () => over)
    const connection = wires.length + 1
    const { connect: dial } = await servers.forConnection()
    const channel = await dial(recorded(transcript, connection, inbox), headers)
    const childEnv = { PATH: childPath, [ServerProcess.marker]: token }
    const wire = Wire.make({ channel, inbox, transcript, connection, timeoutMs, childEnv })
    wires.push(wire)
    return wire
  }
  const context: CaseContext = {
    transport: target.kind,
    timeoutMs,
    server: servers.current,
    process: async () => {
      const { process } = await servers.current()
      return process ?? fail("this case needs a server that the suite starts")
    },
    launch: servers.launch,
    withArgs: servers.withArgs,
    once: servers.once,
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
        const fault = WireInvariants.fault(wire.inbox.messages, wire, dialect)
        if (fault !== undefined) return fault
      }
      return undefined
    },
    stderr: servers.stderr,
    finish: () => {
      over = true
      for (const { channel, terminateAll } of wires) {
        if (servers.shared) {
          terminateAll()
          channel.close()
          setTimeout(channel.drop, closeMs).unref()
        } else channel.drop()
      }
      servers.stop()
    },
  }
}
