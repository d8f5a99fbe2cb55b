/** A feature on the server: its capabilities there, its part in a process whose start asks for it, and its handlers. */
import type * as Effect from "effect/Effect"
import type * as Fiber from "effect/Fiber"
import type * as Scope from "effect/Scope"
import type { FileError } from "../files/FileError.ts"
import type { FilesService } from "../files/Files.ts"
import type { HttpClientService, HttpError } from "../http/HttpClient.ts"
import type { AroundSpawn, Extend } from "../process/Lifecycle.ts"
import type { Process } from "../process/Process.ts"
import type { StartError } from "../process/ProcessError.ts"
import type { Asked as Options, ProcessRegistry } from "../process/ProcessRegistry.ts"
import type { RpcError } from "../protocol/ErrorCode.ts"
import type { Json } from "../protocol/Json.ts"
import type { LimitError, Limits } from "../protocol/Limits.ts"
import type { InternalError, ParamsError, RequestError } from "../protocol/ParamsError.ts"
import type { StartParams } from "../protocol/Process.ts"
import type { ScopeError, SessionScope } from "../protocol/SessionScope.ts"
import type { Disconnected } from "../rpc/Connection.ts"
import type { RequestContext } from "../rpc/Router.ts"
import type { Attempt, Decision } from "../spawn/Egress.ts"
import type { HostInfo } from "../spawn/Host.ts"
import type { Capabilities, GivenSecret, SignalName, SpawnSpec } from "../spawn/Spawner.ts"
import type { Holder, Session, SessionError, SessionRegistry } from "../session/SessionRegistry.ts"
import type { Policy } from "./egress/Rules.ts"
import type { SandboxedFiles } from "./fs/SandboxedFiles.ts"
import type { Late } from "./Late.ts"
import type { Pictures } from "./screen/Pictures.ts"
import type * as Shape from "../protocol/shape/index.ts"
import type { Wire } from "./Wire.ts"
import type { Attachment } from "../process/Attachment.ts"
import type { Dialect, Event } from "../protocol/dialect/Dialect.ts"
import type { Outgoing } from "../transport/Transport.ts"

/** Writes at most one message through the sender, and a gap before it; returns true if it may have another. */
export type Source = () => boolean

/** Shares one connection between everything that a server sends unasked. */
export interface Sender {
  /** Gives the source turns until it returns false. A source that waits already is not added again. */
  readonly enqueue: (source: Source) => void
  /** Gives the source no more turns. */
  readonly remove: (source: Source) => void
  /** Writes a message, nothing once stopped; false if the peer does not keep up. For a source in its turn. */
  readonly write: (message: Outgoing) => boolean
}

/** The turns of one view. */
export interface Turns extends Sender {
  /** Calls `wake` after every change of the process until the returned function is called. */
  readonly subscribe: (process: Process, wake: () => void) => () => void
}

/** A process that the connection follows under an id of its own. */
export interface View {
  /** Its id on this connection. */
  readonly id: string
  /** The process. */
  readonly process: Process
  /**
   * Reads its events above a seq. `wake` is to be called when there is one that no change of the process brings, and
   * `hasRoom` is false while no output can be sent.
   */
  readonly read: (seq: number, wake: () => void, hasRoom: () => boolean) => Attachment
  /** Encodes its events. */
  readonly encode: (events: Dialect["events"]) => ReturnType<Dialect["events"]>
  /** Its turns; undefined if it has them as the session. */
  readonly turns: ((sender: Sender) => Turns) | undefined
}

/** A process of the session, or a view. */
export type Followed = Process | View

/** Holds back events of a process, and all behind them, until `Following.gate` is called. */
export interface Gate {
  /** True if the event passes, which it does at once. */
  readonly pass: (event: Event) => boolean
  /** True if an output of any length would pass. */
  readonly hasRoom: () => boolean
}

/** The events that one connection is sent. */
export interface Following {
  /** Sends the events of a process with a seq above `seq`, those to come as well, as the gate lets them pass. */
  readonly attach: (followed: Followed, seq: number, gate?: Gate) => void
  /** Looks for an event that this gate lets pass, from now on. Nothing if the process is not followed. */
  readonly gate: (followed: Followed, gate: Gate) => void
  /** The view of that id whose events it still sends, also after the id was removed everywhere else. */
  readonly find: (id: string) => Followed | undefined
  /** Sends nothing more of this one. */
  readonly leave: (followed: Followed) => void
}

/** The params of a start, as far as features look at them. */
export type Asked = Partial<StartParams>

/** Facts about a server, for one connection: they decide which features work. */
export interface Server {
  /** The host. */
  readonly host: HostInfo
  /** The capabilities of its spawner. */
  readonly spawner: Capabilities
  /** Its files: if there are any, and if it watches paths that do not exist. */
  readonly files: Pick<FilesService, "available" | "watches">
  /** True if requests may use the network. */
  readonly hasNetwork: boolean
  /** True if lists show every session to the client. */
  readonly listsAll: boolean
  /** The rights of the client with the sessions of others. */
  readonly scope: SessionScope
  /** Whether its rules for hosts are kept: every process has a proxy that asks them, and no other network. */
  readonly keepsEgress: boolean
  /** The secrets of the server, which every process has. */
  readonly secrets: ReadonlyArray<GivenSecret>
  /** Notes a connection that a process has asked for in the audit log; absent where nothing is audited. */
  readonly noteEgress?: ((processId: string, attempt: Attempt, decision: Decision) => void) | undefined
}

/** The meaning of a process id on a connection. */
export interface Target {
  /** The processes that it is one of. */
  readonly processes: ProcessRegistry
  /** Its id among them. */
  readonly id: string
  /** The view of a feature that has this id; absent for a process of the session. */
  readonly view?: View | undefined
}

/** The connection whose requests are handled. */
export interface Connection {
  readonly server: Server
  /** The session that the connection has, for a request that the gate has let pass. */
  readonly session: () => Session
  readonly sessions: SessionRegistry
  /** The connection, as its session knows it. */
  readonly holder: Holder
  readonly sender: Sender
  /** The events that it is sent. */
  readonly following: Following
  readonly limits: Limits
  readonly files: FilesService
  /** The file calls of the server, by the sandbox of a request. */
  readonly sandboxed: SandboxedFiles
  readonly client: HttpClientService
  /** The scope of the connection. */
  readonly scope: Scope.Scope
  /** Runs an effect that is interrupted with the connection. */
  readonly fork: (effect: Effect.Effect<void>) => Fiber.Fiber<void>
  /** Sends a message at once. */
  readonly write: (text: string) => void
  /** Sends a request to the client, and waits for its answer. */
  readonly call: (method: string, params: unknown) => Effect.Effect<Json, RpcError | Disconnected>
  /** Sends a message in turn with the output of processes, when the peer takes it. */
  readonly send: (make: () => string | Uint8Array) => Effect.Effect<void>
  /** The process of an id, for a client that looks. */
  readonly at: (processId: string) => Target
  /** The same for a client that writes to it; `ending` for one that ends it, which its owner always may. */
  readonly writing: (processId: string, ending?: "ending") => Effect.Effect<Target, RequestError>
  /** The gate of a process that is about to be followed, with a credit of so many bytes; undefined without one. */
  readonly gate: (followed: Followed, credit: number | undefined) => Gate | undefined
  readonly audit: {
    /** Stands around a spawn; undefined where nothing is audited. */
    readonly start: (spec: SpawnSpec) => AroundSpawn | undefined
    /** Notes a signal of the client. */
    readonly signal: (processId: string, signal: SignalName) => void
  }
}

/** The part of a feature in one connection. */
export interface Part {
  /**
   * Called before a request on a process is answered, with its id: the view that has the id, if one has. Undefined as
   * long as there is none.
   */
  readonly view?: ((processId: string) => Target | undefined) | undefined
  /** The refusal of a request that writes to a process; `ending` if it ends that. */
  readonly refusal?: (processId: string, target: Target, ending?: "ending") => RequestError | undefined
  /** The gate of a process that is about to be followed, with the credit of the request; undefined for none. */
  readonly gate?: (followed: Followed, credit: number | undefined) => Gate | undefined
  /** The answer to the `initialize` that has opened or resumed the session is sent. */
  readonly opened?: () => void
  /** The connection has left its session. */
  readonly close?: () => void
}

/** The failures of handlers. */
export type Failure =
  | FileError
  | HttpError
  | InternalError
  | LimitError
  | ParamsError
  | RequestError
  | ScopeError
  | SessionError
  | StartError

/** A handler for each of these requests. */
export type Handlers<Requests> = {
  readonly [M in keyof Requests]: Requests[M] extends {
    readonly params: Shape.Shape<infer P, infer _PI>
    readonly result: Shape.Shape<infer A, infer _RI>
  }
    ? (params: P, context: RequestContext) => Effect.Effect<A, Failure>
    : never
}

/** The handlers of its requests, for one connection: of a wire that has requests. */
type Handling<W extends Wire> = W extends { readonly requests: infer R }
  ?
      | {
          readonly handlers: (connection: Connection) => Handlers<R>
          readonly part?: undefined
        }
      | {
          readonly handlers?: undefined
          /** Its part in a connection, with the handlers. */
          readonly part: (connection: Connection) => Part & { readonly handlers: Handlers<R> }
        }
  : {
      readonly handlers?: undefined
      /** Its part in a connection. */
      readonly part?: ((connection: Connection) => Part) | undefined
    }

/** A server that has not served anybody yet. */
export interface Beginning {
  readonly sessions: SessionRegistry
  /** Starts a process as `process/start` does behind its checks, with the parts of the features that its params ask for. */
  readonly start: (
    session: Session,
    params: StartParams,
    spec: SpawnSpec,
  ) => Effect.Effect<Process, StartError>
}

/** The things that the features of one server share. */
export interface Shared {
  readonly limits: Limits
  /** The pictures that terminals show. */
  readonly pictures: Pictures
  /** The rules for the hosts that processes reach, and the counter of connections; undefined without rules. */
  readonly egress?:
    | {
        readonly policy: Policy
        readonly count: (decision: Decision) => void
        /** A fresh UUID from a cryptographic source. */
        readonly next: Effect.Effect<string>
      }
    | undefined
}

/** A feature with a state of the server: made once, in the scope of the server. */
export type Stateful<W extends Wire> = (shared: Shared) => Effect.Effect<Feature<W>, never, Scope.Scope>

/** A feature on the server. */
export type Feature<W extends Wire> = Handling<W> & {
  /** Its code, if it has handlers or a part in a process that need not be there before a client asks for them. */
  readonly code?: Late<unknown>
  /** Its capabilities: true if it works here. */
  readonly announces: (server: Server) => { readonly [K in keyof W["capabilities"]]: boolean }
  /** The fault of these params, as an error or the text of one; undefined if it can do what they ask for. */
  readonly fault?: (params: Asked, server: Server) => Failure | string | undefined
  /** The options of the processes of a session that these params ask for. */
  readonly options?: (params: Asked, server: Server) => Options
  /** Its part in a process; undefined if these params do not ask for it. */
  readonly extend?: (params: Asked, server: Server) => Extend | undefined
  /** Runs before the first connection. */
  readonly begin?: (beginning: Beginning) => Effect.Effect<void>
}
