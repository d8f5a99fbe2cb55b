/**
 * The options of a server: THE table from which derive the flags of `procwire serve` and their help, the variables, the
 * keys of a configuration file, the options of `serve` in programs with their types and checks, and the tables of the
 * README.
 *
 * A row stands where a program has the option: the row `tls.certFile` has the flag `--tls-cert` and the variable
 * `PROCWIRE_TLS_CERT`. The bounds are those of `Limits.table`. `npm run readme` writes the types of the rows, with
 * their help as docstrings, into generated/OptionTypes.ts.
 */
import { scopes } from "../../../core/protocol/SessionScope.ts"
import * as Dialects from "../../../core/protocol/dialect/Dialects.ts"
import * as Limits from "../../../core/protocol/Limits.ts"
import { longestTimerMillis } from "../../../core/protocol/Timer.ts"
import * as SessionRegistry from "../../../core/session/SessionRegistry.ts"
import * as SignedToken from "../auth/SignedToken.ts"
import * as Containment from "../process/contain/Containment.ts"
import * as ListenAddress from "./ListenAddress.ts"
import * as Logging from "./Logging.ts"
import { hostAndPort, type NumberOption, type Option } from "./Option.ts"

const { detachedMillis, retentionMillis } = SessionRegistry.defaultOptions

const file = { kind: "text", shows: "FILE" } as const
const millis = { kind: "number", unit: "ms", shows: "N", least: 0 } as const

/** The addresses of a server. */
export const listening = {
  listen: {
    flag: "listen",
    kind: "text",
    repeatable: true,
    shows: "ADDRESS",
    default: ListenAddress.defaultAddress,
    help:
      "the addresses to listen on: stdio, ws://IP:PORT, tcp://IP:PORT, unix:PATH, or systemd and systemd:NAME for sockets that " +
      "systemd passes; may be repeated. Port 0 picks a free one; the bound addresses are the lines on stdout (on " +
      "stderr, with stdio among them)",
  },
} as const satisfies Record<string, Option>

/** The certificate of a server. */
export const tls = {
  certFile: {
    ...file,
    flag: "tls-cert",
    help: "a PEM certificate (chain): ws:// and tcp:// speak TLS and are printed as wss://, tls://",
  },
  keyFile: { ...file, flag: "tls-key", help: "its PEM key" },
  clientCaFile: { ...file, flag: "tls-client-ca", help: "clients need a certificate of this authority" },
} as const satisfies Record<string, Option>

/** The admission of clients over WebSocket. */
export const auth = {
  mode: {
    flag: "ws-auth",
    kind: "choice",
    of: ["capability-token", "signed-bearer-token"],
    shows: "MODE",
    help: 'what ws:// asks for as "Authorization: Bearer TOKEN": capability-token or signed-bearer-token',
  },
  tokenFile: {
    flag: "ws-token-file",
    kind: "text",
    repeatable: true,
    shows: "[NAME:SCOPES=]FILE",
    help:
      "for capability-token: a token; may be repeated, and SCOPES (observe, control) say what its clients may do with " +
      "the sessions of others; or",
  },
  tokenSha256: {
    flag: "ws-token-sha256",
    kind: "text",
    shows: "HEX",
    help: "the SHA-256 of the token",
  },
  sharedSecretFile: {
    ...file,
    flag: "ws-shared-secret-file",
    help: `for signed-bearer-token: the secret of the JWTs (HS256), at least ${SignedToken.minSecretBytes} bytes`,
  },
  issuer: {
    flag: "ws-issuer",
    kind: "text",
    shows: "TEXT",
    default: "anything",
    help: "the iss that a JWT must have",
  },
  audience: {
    flag: "ws-audience",
    kind: "text",
    shows: "TEXT",
    default: "anything",
    help: "the aud that a JWT must have, alone or among others",
  },
  maxClockSkewSeconds: {
    flag: "ws-max-clock-skew-seconds",
    kind: "number",
    unit: "s",
    shows: "N",
    least: 0,
    default: SignedToken.defaultSkewSeconds,
    help: "the most that clocks may differ",
  },
} as const satisfies Record<string, Option>

/** The page for browsers. */
export const web = {
  web: {
    flag: "web",
    kind: "switch",
    help: "serve a page for browsers at the ws:// addresses, and print a one-time link to it; a token lets in, too",
  },
  webHost: {
    flag: "web-host",
    kind: "text",
    repeatable: true,
    shows: "NAME",
    default: "the address, and localhost for loopback",
    help:
      "a further name by which browsers reach the page, such as that of a proxy: NAME, NAME:PORT or " +
      "https://NAME[:PORT]; may be repeated",
  },
  webPrefix: {
    flag: "web-prefix",
    kind: "text",
    shows: "/PATH",
    default: "/",
    help: "the path at which a proxy has put the page, whether it takes the prefix away or not",
  },
  webSessionMs: {
    ...millis,
    flag: "web-session-ms",
    least: 1000,
    most: longestTimerMillis,
    default: 43_200_000,
    help: "the time that a browser stays logged in; a JWT that expires ends it earlier",
  },
} as const satisfies Record<string, Option>

/** The options of a host of a fleet. */
export const joining = {
  join: {
    flag: "join",
    kind: "text",
    repeatable: true,
    shows: "URL",
    help:
      "be a host of the fleet behind this router, ws://HOST:PORT or wss://HOST:PORT; once for each router. Without a " +
      "--listen nothing else can connect",
  },
  joinTokenFile: {
    ...file,
    flag: "join-token-file",
    help: "the token that the routers ask hosts for",
  },
  joinCaFile: {
    ...file,
    flag: "join-ca",
    default: "those of the system",
    help: "the authority, as PEM, of routers at wss://",
  },
  hostId: {
    flag: "host-id",
    kind: "text",
    shows: "NAME",
    default: "the name of this machine",
    help: "the name of this host in the fleet, also after a restart",
  },
  hostLabel: {
    flag: "host-label",
    kind: "text",
    repeatable: true,
    shows: "K=V",
    help: "a label that a session may ask of its host, beside os, arch and host; may be repeated",
  },
  capacity: {
    flag: "capacity",
    kind: "number",
    unit: "count",
    shows: "N",
    least: 0,
    most: 1_000_000,
    default: "the less of --max-sessions and --max-connections",
    help: "the most sessions that the fleet may start here",
  },
  stateDir: {
    flag: "state-dir",
    kind: "text",
    shows: "DIR",
    default: "procwire in $XDG_STATE_HOME",
    help: "the folder in which a host of a fleet counts its starts",
  },
} as const satisfies Record<string, Option>

/** The processes that outlive their server. */
export const keeping = {
  keep: {
    flag: "keep",
    kind: "switch",
    help:
      "let sessions and processes outlive this server, be it killed, ended or replaced: a holder beside it owns them, " +
      "and the next server with the same --keep-dir takes them over",
  },
  keepDir: {
    flag: "keep-dir",
    kind: "text",
    shows: "DIR",
    default: "procwire/keep in $XDG_STATE_HOME",
    help: "the folder by which servers find the holder; one server at a time uses it",
  },
  keepTtlMs: {
    ...millis,
    flag: "keep-ttl-ms",
    default: 86_400_000,
    help: "the time that a process waits for the next server, and its exit code behind its end",
  },
} as const satisfies Record<string, Option>

/** The behaviour of a server, and its end. */
export const behaviour = {
  allowUnauthenticated: {
    flag: "allow-unauthenticated",
    kind: "switch",
    help: "listen on addresses that others can reach, though nothing above keeps them out",
  },
  dialect: {
    flag: "dialect",
    kind: "choice",
    of: Dialects.names,
    shows: "NAME",
    default: "current",
    help:
      "the dialect of clients: current, v0 (the first version of March 2026, command/exec), or auto: v0 where the first " +
      "call behind initialize is one of v0's",
  },
  detachedTtlMs: {
    ...millis,
    flag: "detached-ttl-ms",
    default: detachedMillis,
    help: "the time that a session without a connection can be resumed",
  },
  retentionMs: {
    ...millis,
    flag: "retention-ms",
    default: retentionMillis,
    help: "the time that a closed process stays readable",
  },
  peerTimeoutMs: {
    ...millis,
    flag: "peer-timeout-ms",
    most: longestTimerMillis,
    default: 90_000,
    help:
      "the time that a client may be silent, although it reads, before its connection ends: pings over WebSocket, the " +
      "system's keep-alive over TCP; 0 is for ever",
  },
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
  scope: {
    flag: "scope",
    kind: "choice",
    of: scopes,
    shows: "SCOPE",
    default: "own; on a unix socket that only its user can open, control",
    help:
      "the rights of every client with the sessions of others: own (nothing), observe (list and view their processes) or " +
      "control (write to, end, keep and remove them, too)",
  },
  audit: {
    flag: "audit",
    kind: "text",
    shows: "FILE|-",
    help:
      "append a line of JSON to FILE, or to stderr, for what clients do: processes, files, HTTP requests, and who " +
      "asked. While it cannot be written, nothing is started or changed",
  },
  auditBestEffort: {
    flag: "audit-best-effort",
    kind: "switch",
    help: "go on without the lines that cannot be written, and count them",
  },
  contain: {
    flag: "contain",
    kind: "choice",
    of: Containment.choices,
    shows: "NAME",
    default: "auto",
    help:
      "the means that keeps a process and its descendants together, so that they end with it: cgroup, subreaper, none (its " +
      "group only), or auto: the first of these that works; in a program that is not this command, auto is never " +
      "subreaper",
  },
  bwrap: {
    flag: "bwrap",
    kind: "text",
    shows: "PATH",
    default: "bwrap in PATH",
    help: "bubblewrap, for requests with a restricted sandbox",
  },
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
  confine: {
    flag: "confine",
    kind: "text",
    repeatable: true,
    shows: "PROFILE",
    default: "everything",
    help:
      "the most that requests reach, whatever they ask for, by PROFILE: read-only, workspace:DIR[,DIR…], no-network, " +
      "network, deny:PATH[,PATH…], or a JSON file; may be repeated. There is no network unless one says network",
  },
  secrets: {
    ...file,
    flag: "secrets",
    help:
      "secrets that every process has as variables, and no output, list or log: JSON such as " +
      '{"TOKEN": {"env": "MY_TOKEN"}}, each with value, env, file, or command as a list of words; with hosts, such as ' +
      '["api.github.com"], processes have a placeholder, and --egress lets these hosts alone have the value',
  },
  egress: {
    flag: "egress",
    kind: "text",
    repeatable: true,
    shows: "RULES",
    default: "no network at all",
    help:
      "the hosts that processes reach, with --confine without a network, by RULES: allow:HOST[:PORT][,…], " +
      "deny:HOST[:PORT][,…], ask[:HOST[:PORT]] the client, or a file ./FILE that is read again when it changes; HOST is a name, *.NAME, **.NAME, an " +
      "address or a network. Nothing allowed means nothing reachable; may be repeated",
  },
  historyDir: {
    flag: "history-dir",
    kind: "text",
    shows: "DIR",
    default: "the folder for temporary files",
    help: "the folder for histories of output, in which each server has one of its own",
  },
  graceMs: {
    ...millis,
    flag: "grace-ms",
    default: 0,
    help:
      "the time that processes have to end after SIGTERM when the server is asked to end; then they are killed; with 0 " +
      "they are killed at once",
  },
  exitOnStdinClose: {
    flag: "exit-on-stdin-close",
    kind: "switch",
    help: "end when stdin closes, as it does when the parent dies; what comes there is dropped",
  },
  tcpUpstreamProxy: {
    flag: "tcp-upstream-proxy",
    kind: "text",
    shows: "HOST:PORT",
    rule: hostAndPort,
    help:
      "taken from command lines of Codex, and without effect: no managed proxy is launched here whose TCP could go " +
      "through this HTTP CONNECT proxy",
  },
  linuxSandboxTransparentTcp: {
    flag: "linux-sandbox-transparent-tcp",
    kind: "switch",
    help:
      "taken from command lines of Codex, and without effect: no managed proxy is launched here that the TCP of a " +
      "sandbox could go through",
  },
} as const satisfies Record<string, Option>

/** The form of logs. */
export const logs = {
  logFormat: {
    flag: "log-format",
    kind: "choice",
    of: Logging.formatNames,
    shows: "FORMAT",
    default: "logfmt",
    help: `of the logs on stderr: ${Logging.formatNames.join(", ")}`,
  },
  logLevel: {
    flag: "log-level",
    kind: "choice",
    of: Logging.levelNames,
    shows: "LEVEL",
    default: "the variable PROCWIRE_LOG, or warning",
    help: Logging.levelNames.join(", "),
  },
} as const satisfies Record<string, Option>

/** The bounds. */
export const limits = Object.fromEntries(
  Limits.names.map((name): [string, Option] => [
    name,
    { ...Limits.table[name], kind: "number", shows: "N" } satisfies NumberOption,
  ]),
) as { readonly [Name in Limits.Name]: NumberOption }
