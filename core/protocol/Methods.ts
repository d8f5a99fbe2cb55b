/**
 * THE table: every method of the wire, once.
 *
 * The router's decoding, the types of handlers and client calls, the `current` dialect and the method list of the
 * documentation derive from it.
 */
import * as Shape from "./shape/index.ts"
import * as Features from "../features/Wires.ts"
import * as Message from "./Message.ts"
import * as Environment from "./Environment.ts"
import * as List from "./List.ts"
import { request, type RequestMethod } from "./Method.ts"
import * as Process from "./Process.ts"
import * as Session from "./Session.ts"

export type { Family, RequestMethod } from "./Method.ts"

/** Client to server, answered. */
export const requests = {
  initialize: request({
    params: Session.InitializeParams,
    result: Session.InitializeResult,
    toText: JSON.stringify,
    slotted: false,
    says:
      "opens a session, or resumes one (with what was missed: capability sessionReplay; also one that another " +
      "connection has: capability sessionTakeover)",
  }),
  "environment/info": request({
    params: Environment.NoParams,
    result: Environment.EnvironmentInfo,
    family: "environment info",
    slotted: false,
    repeatable: "always",
    says: "shell, directories, platform and capabilities of the host",
  }),
  "environment/status": request({
    params: Environment.NoParams,
    result: Environment.EnvironmentStatus,
    family: "environment status",
    slotted: false,
    repeatable: "always",
    says: "liveness",
  }),
  "process/start": request({
    params: Process.StartParams,
    result: Process.StartResult,
    family: "exec",
    slotted: true,
    says: "starts a process with pipes or a PTY",
  }),
  "process/read": request({
    params: Process.ReadParams,
    result: Process.ReadResult,
    toText: Message.readResultText,
    family: "exec",
    slotted: true,
    repeatable: "always",
    cancellable: true,
    says: "retained output after a seq; waits for more (long poll)",
  }),
  "process/write": request({
    params: Process.WriteParams,
    result: Process.WriteResult,
    family: "exec",
    slotted: true,
    repeatable: { given: "writeId" },
    says: "writes to stdin or the PTY, once per writeId",
  }),
  "process/signal": request({
    params: Process.SignalParams,
    result: Shape.nothing("SignalResponse"),
    family: "exec",
    slotted: false,
    says:
      "interrupts the process group (SIGINT); with the capability processSignals also SIGTERM, SIGHUP, SIGQUIT, with " +
      "processDeadlines any signal",
  }),
  "process/terminate": request({
    params: Process.TerminateParams,
    result: Process.TerminateResult,
    family: "exec",
    slotted: false,
    repeatable: "always",
    says: "kills the process group (SIGKILL); with the capability processDeadlines also after a signal and a grace",
  }),
  ...Features.requests,
  "process/resize": request({
    params: Process.ResizeParams,
    result: Shape.nothing("ResizeResponse"),
    family: "exec",
    slotted: false,
    repeatable: "always",
    says: "sets the size of the PTY (beyond the peer; capability processResize)",
  }),
  "process/closeStdin": request({
    params: Process.CloseStdinParams,
    result: Shape.nothing("CloseStdinResponse"),
    family: "exec",
    slotted: true,
    repeatable: "always",
    says: "ends a piped stdin (beyond the peer; capability processCloseStdin)",
  }),
  "process/list": request({
    params: List.ListParams,
    result: List.ListResult,
    toText: JSON.stringify,
    family: "exec",
    slotted: false,
    repeatable: "always",
    says: "lists processes, in pages (beyond the peer; capability processList)",
  }),
  "process/changes": request({
    params: List.ChangesParams,
    result: List.ChangesResult,
    toText: JSON.stringify,
    family: "exec",
    slotted: true,
    repeatable: "always",
    cancellable: true,
    says:
      "starts, restarts, exits and removals of processes, in order; waits for more (long poll; beyond the peer; " +
      "capability processChanges)",
  }),
  "session/list": request({
    params: List.SessionsParams,
    result: List.SessionsResult,
    toText: JSON.stringify,
    family: "exec",
    slotted: false,
    repeatable: "always",
    says: "lists sessions by their numbers, in pages (beyond the peer; capability processList)",
  }),
  "session/end": request({
    params: Environment.NoParams,
    result: Shape.nothing("SessionEndResponse"),
    family: "exec",
    slotted: false,
    says:
      "ends the session at once, and kills its processes; the connection can do nothing more " +
      "(beyond the peer; capability sessionEnd)",
  }),
}

/** Client to server, not answered. */
export const clientNotifications = {
  initialized: { says: "the client is ready for requests" },
  "request/cancel": {
    params: Message.CancelParams,
    says: "the client no longer waits for the answer to a request (capability requestCancel)",
  },
}

/** Server to client, not answered. */
export const serverNotifications = {
  "process/output": { params: Process.OutputParams, says: "one chunk of output" },
  ...Features.notifications,
  "process/exited": { params: Process.ExitedParams, says: "the process ended" },
  "process/closed": { params: Process.ClosedParams, says: "no output follows" },
  "session/taken": {
    params: Session.TakenParams,
    says: "another connection has taken the session over; this one ends",
  },
  ...Features.notices,
}

/** The rows of the requests. */
export type Requests = typeof requests
/** The name of a request. */
export type RequestName = keyof Requests
/** The decoded params of a request. */
export type ParamsOf<M extends RequestName> = Shape.Type<Requests[M]["params"]>
/** The result of a request, not encoded yet. */
export type ResultOf<M extends RequestName> = Shape.Type<Requests[M]["result"]>
/** The name of a notification of the client. */
export type ClientNotificationName = keyof typeof clientNotifications
/** The name of a notification of the server. */
export type ServerNotificationName = keyof typeof serverNotifications

/** True for the name of a request that `request/cancel` can end. */
export const isCancellable = (method: string): boolean => {
  if (!Object.hasOwn(requests, method)) return false
  const {
    cancellable,
  }: Pick<RequestMethod<never, never, never, never>, "cancellable"> = requests[method as RequestName]
  return cancellable === true
}

/** True for the name of a client notification in the table. */
export const isClientNotification = (method: string): method is ClientNotificationName =>
  Object.hasOwn(clientNotifications, method)

/** True for the name of a server notification in the table. */
export const isServerNotification = (method: string): method is ServerNotificationName =>
  Object.hasOwn(serverNotifications, method)
