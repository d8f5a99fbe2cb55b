/**
 * The options of a server: THE table from which derive the flags of `procwire serve` and their help, the variables, the
 * keys of a configuration file, the options of `serve` in programs with their types and checks, and the tables of the
 * README.
 *
 * A row stands where a program has the option: the row `tls.certFile` has the flag `--tls-cert` and the variable
 * `PROCWIRE_TLS_CERT`. The bounds are those of `Limits.table`. The docstrings of the rows, which programs see, are
 * written by `npm run readme`, from their help.
 */
import * as Containment from "../process/contain/Containment.ts"
import * as Dialects from "../../../core/protocol/dialect/Dialects.ts"
import { scopes } from "../../../core/protocol/SessionScope.ts"
import * as Limits from "../../../core/protocol/Limits.ts"
import * as SessionRegistry from "../../../core/session/SessionRegistry.ts"
import { hostAndPort, type NumberOption, type Option } from "./Option.ts"

export { auth, listening, tls } from "./DoorOptions.ts"
export { joining } from "./JoinOptions.ts"
export { logs } from "./LogOptions.ts"
export { web } from "./WebOptions.ts"

const { detachedMillis, retentionMillis } = SessionRegistry.defaultOptions

const millis = { kind: "number", unit: "ms", shows: "N", least: 0 } as const

/** What a server does, and how it ends. */
export const behaviour = {
  /**
   * Listen on addresses that others can reach, though nothing above keeps them out. Default: false. The flag is
   * `--allow-unauthenticated`.
   */
  allowUnauthenticated: {
    flag: "allow-unauthenticated",
    kind: "switch",
    help: "listen on addresses that others can reach, though nothing above keeps them out",
  },
  /**
   * What clients speak: current, v0 (the first version of March 2026, command/exec), or auto: v0 where the first
   * call behind initialize is one of v0's. Default: current. The flag is `--dialect`.
   */
  dialect: {
    flag: "dialect",
    kind: "choice",
    of: Dialects.names,
    shows: "NAME",
    default: "current",
    help:
      "what clients speak: current, v0 (the first version of March 2026, command/exec), or auto: v0 where the first " +
      "call behind initialize is one of v0's",
  },
  /**
   * How long a session without a connection can be resumed. Default: 80000. The flag is `--detached-ttl-ms`.
   */
  detachedTtlMs: {
    ...millis,
    flag: "detached-ttl-ms",
    default: detachedMillis,
    help: "how long a session without a connection can be resumed",
  },
  /**
   * How long a closed process stays readable. Default: 30000. The flag is `--retention-ms`.
   */
  retentionMs: {
    ...millis,
    flag: "retention-ms",
    default: retentionMillis,
    help: "how long a closed process stays readable",
  },
  /**
   * How long a client may be silent, although it reads, before its connection ends: pings over WebSocket, the
   * system's keep-alive over TCP; 0 is for ever. Default: 90000. The flag is `--peer-timeout-ms`.
   */
  peerTimeoutMs: {
    ...millis,
    flag: "peer-timeout-ms",
    // The longest time that the timers of all runtimes take.
    most: 2_147_483_647,
    default: 90_000,
    help:
      "how long a client may be silent, although it reads, before its connection ends: pings over WebSocket, the " +
      "system's keep-alive over TCP; 0 is for ever",
  },
  /**
   * Whose processes a client may list: own (those of its own session) or all (with their arguments, of every
   * session). Default: own. The flag is `--list-sessions`.
   */
  listSessions: {
    flag: "list-sessions",
    kind: "choice",
    of: ["own", "all"],
    shows: "WHOSE",
    default: "own",
    help:
      "whose processes a client may list: own (those of its own session) or all (with their arguments, of every " +
      "session)",
  },
  /**
   * What every client may do with the sessions of others: own (nothing), observe (list and view their processes)
   * or control (write to, end, keep and remove them, too). Default: own; on a unix socket that only its user can
   * open, control. The flag is `--scope`.
   */
  scope: {
    flag: "scope",
    kind: "choice",
    of: scopes,
    shows: "SCOPE",
    default: "own; on a unix socket that only its user can open, control",
    help:
      "what every client may do with the sessions of others: own (nothing), observe (list and view their processes) or " +
      "control (write to, end, keep and remove them, too)",
  },
  /**
   * Append a line of JSON to FILE, or to stderr, for what clients do: processes, files, HTTP requests, and who
   * asked. While it cannot be written, nothing is started or changed. The flag is `--audit`.
   */
  audit: {
    flag: "audit",
    kind: "text",
    shows: "FILE|-",
    help:
      "append a line of JSON to FILE, or to stderr, for what clients do: processes, files, HTTP requests, and who " +
      "asked. While it cannot be written, nothing is started or changed",
  },
  /**
   * Go on without the lines that cannot be written, and count them. Default: false. The flag is
   * `--audit-best-effort`.
   */
  auditBestEffort: {
    flag: "audit-best-effort",
    kind: "switch",
    help: "go on without the lines that cannot be written, and count them",
  },
  /**
   * What keeps a process and its descendants together, so that they end with it: cgroup, subreaper, none (its
   * group only), or auto: the first of these that works; in a program that is not this command, auto is never
   * subreaper. Default: auto. The flag is `--contain`.
   */
  contain: {
    flag: "contain",
    kind: "choice",
    of: Containment.choices,
    shows: "NAME",
    default: "auto",
    help:
      "what keeps a process and its descendants together, so that they end with it: cgroup, subreaper, none (its " +
      "group only), or auto: the first of these that works; in a program that is not this command, auto is never " +
      "subreaper",
  },
  /**
   * Bubblewrap, for requests with a restricted sandbox. Default: bwrap in PATH. The flag is `--bwrap`.
   */
  bwrap: {
    flag: "bwrap",
    kind: "text",
    shows: "PATH",
    default: "bwrap in PATH",
    help: "bubblewrap, for requests with a restricted sandbox",
  },
  /**
   * Starts processes through NAME[:OPTIONS], of those that `procwire spawners` lists, or through the module
   * ./mine.mjs; may be repeated, the first one outermost. Default: this machine. The flag is `--spawner`.
   */
  spawner: {
    flag: "spawner",
    kind: "text",
    repeatable: true,
    shows: "NAME",
    default: "this machine",
    help:
      "starts processes through NAME[:OPTIONS], of those that `procwire spawners` lists, or through the module " +
      "./mine.mjs; may be repeated, the first one outermost",
  },
  /**
   * What requests reach at most, whatever they ask for, by PROFILE: read-only, workspace:DIR[,DIR…], no-network,
   * network, deny:PATH[,PATH…], or a JSON file; may be repeated. There is no network unless one says network.
   * Default: everything. The flag is `--confine`.
   */
  confine: {
    flag: "confine",
    kind: "text",
    repeatable: true,
    shows: "PROFILE",
    default: "everything",
    help:
      "what requests reach at most, whatever they ask for, by PROFILE: read-only, workspace:DIR[,DIR…], no-network, " +
      "network, deny:PATH[,PATH…], or a JSON file; may be repeated. There is no network unless one says network",
  },
  /**
   * Where histories of output are kept, in a folder of each server's own. Default: the folder for temporary files.
   * The flag is `--history-dir`.
   */
  historyDir: {
    flag: "history-dir",
    kind: "text",
    shows: "DIR",
    default: "the folder for temporary files",
    help: "where histories of output are kept, in a folder of each server's own",
  },
  /**
   * How long processes may take to end after SIGTERM when the server is asked to end; then they are killed; with 0
   * they are killed at once. Default: 0. The flag is `--grace-ms`.
   */
  graceMs: {
    ...millis,
    flag: "grace-ms",
    default: 0,
    help:
      "how long processes may take to end after SIGTERM when the server is asked to end; then they are killed; with 0 " +
      "they are killed at once",
  },
  /**
   * End when stdin closes, as it does when the parent dies; what comes there is dropped. Default: false. The flag
   * is `--exit-on-stdin-close`.
   */
  exitOnStdinClose: {
    flag: "exit-on-stdin-close",
    kind: "switch",
    help: "end when stdin closes, as it does when the parent dies; what comes there is dropped",
  },
  /**
   * Taken from command lines of Codex, and without effect: no managed proxy is launched here whose TCP could go
   * through this HTTP CONNECT proxy. The flag is `--tcp-upstream-proxy`.
   */
  tcpUpstreamProxy: {
    flag: "tcp-upstream-proxy",
    kind: "text",
    shows: "HOST:PORT",
    rule: hostAndPort,
    help:
      "taken from command lines of Codex, and without effect: no managed proxy is launched here whose TCP could go " +
      "through this HTTP CONNECT proxy",
  },
  /**
   * Taken from command lines of Codex, and without effect: no managed proxy is launched here that the TCP of a
   * sandbox could go through. Default: false. The flag is `--linux-sandbox-transparent-tcp`.
   */
  linuxSandboxTransparentTcp: {
    flag: "linux-sandbox-transparent-tcp",
    kind: "switch",
    help:
      "taken from command lines of Codex, and without effect: no managed proxy is launched here that the TCP of a " +
      "sandbox could go through",
  },
} as const satisfies Record<string, Option>

/** The bounds. */
export const limits = Object.fromEntries(
  Limits.names.map((name): [string, Option] => [
    name,
    { ...Limits.table[name], kind: "number", shows: "N" } satisfies NumberOption,
  ]),
) as { readonly [Name in Limits.Name]: NumberOption }
