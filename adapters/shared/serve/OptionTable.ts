/**
 * The options of a server: THE table from which derive the flags of `procwire serve` and their help, the variables, the
 * keys of a configuration file, the options of `serve` in programs with their types and checks, and the tables of the
 * README.
 *
 * A row stands where a program has the option. Its name makes its flag: `keepDir` has `--keep-dir` and the variable
 * `PROCWIRE_KEEP_DIR`, unless the row names another one. The bounds are those of `Limits.table`. `npm run readme`
 * writes the types of the rows, with their help as docstrings, into generated/OptionTypes.ts.
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
import * as Option from "./Option.ts"

const { detachedMillis, retentionMillis } = SessionRegistry.defaultOptions

const { choice, file, millis, text, texts, toggle, whole } = Option

type Rows = Readonly<Record<string, Omit<Option.Option, "flag"> & { readonly flag?: string }>>

/** The rows with their flags: `prefix` begins those that are made from names. */
const table = <R extends Rows>(rows: R, prefix = "") =>
  Object.fromEntries(
    Object.entries(rows).map(([name, row]) => [name, { flag: prefix + kebabCased(name), ...row }]),
  ) as { readonly [Name in keyof R]: R[Name] & { readonly flag: string } }

const kebabCased = (name: string): string => name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)

/** The addresses of a server. */
export const listening = table({
  listen: texts(
    "ADDRESS",
    "the addresses to listen on: stdio, ws://IP:PORT, tcp://IP:PORT, unix:PATH, or systemd and systemd:NAME for sockets that " +
      "systemd passes; may be repeated. Port 0 picks a free one; the bound addresses are the lines on stdout (on " +
      "stderr, with stdio among them)",
    { default: ListenAddress.defaultAddress },
  ),
})

/** The certificate of a server. */
export const tls = table({
  certFile: file("a PEM certificate (chain): ws:// and tcp:// speak TLS and are printed as wss://, tls://", {
    flag: "tls-cert",
  }),
  keyFile: file("its PEM key", { flag: "tls-key" }),
  clientCaFile: file("clients need a certificate of this authority", { flag: "tls-client-ca" }),
})

/** The admission of clients over WebSocket. */
export const auth = table(
  {
    mode: choice(
      "MODE",
      ["capability-token", "signed-bearer-token"],
      'what ws:// asks for as "Authorization: Bearer TOKEN": capability-token or signed-bearer-token',
      { flag: "ws-auth" },
    ),
    tokenFile: texts(
      "[NAME:SCOPES=]FILE",
      "for capability-token: a token; may be repeated, and SCOPES (observe, control) say what its clients may do with " +
        "the sessions of others; or",
    ),
    tokenSha256: text("HEX", "the SHA-256 of the token"),
    sharedSecretFile: file(
      `for signed-bearer-token: the secret of the JWTs (HS256), at least ${SignedToken.minSecretBytes} bytes`,
    ),
    issuer: text("TEXT", "the iss that a JWT must have", { default: "anything" }),
    audience: text("TEXT", "the aud that a JWT must have, alone or among others", { default: "anything" }),
    maxClockSkewSeconds: whole("s", "the most that clocks may differ", {
      default: SignedToken.defaultSkewSeconds,
    }),
  },
  "ws-",
)

/** The page for browsers. */
export const web = table({
  web: toggle(
    "serve a page for browsers at the ws:// addresses, and print a one-time link to it; a token lets in, too",
  ),
  webHost: texts(
    "NAME",
    "a further name by which browsers reach the page, such as that of a proxy: NAME, NAME:PORT or " +
      "https://NAME[:PORT]; may be repeated",
    { default: "the address, and localhost for loopback" },
  ),
  webPrefix: text(
    "/PATH",
    "the path at which a proxy has put the page, whether it takes the prefix away or not",
    { default: "/" },
  ),
  webSessionMs: millis("the time that a browser stays logged in; a JWT that expires ends it earlier", {
    least: 1000,
    most: longestTimerMillis,
    default: 43_200_000,
  }),
})

/** The options of a host of a fleet. */
export const joining = table({
  join: texts(
    "URL",
    "be a host of the fleet behind this router, ws://HOST:PORT or wss://HOST:PORT; once for each router. Without a " +
      "--listen nothing else can connect",
  ),
  joinTokenFile: file("the token that the routers ask hosts for"),
  joinCaFile: file("the authority, as PEM, of routers at wss://", {
    flag: "join-ca",
    default: "those of the system",
  }),
  hostId: text("NAME", "the name of this host in the fleet, also after a restart", {
    default: "the name of this machine",
  }),
  hostLabel: texts(
    "K=V",
    "a label that a session may ask of its host, beside os, arch and host; may be repeated",
  ),
  capacity: whole("count", "the most sessions that the fleet may start here", {
    most: 1_000_000,
    default: "the less of --max-sessions and --max-connections",
  }),
  stateDir: text("DIR", "the folder in which a host of a fleet counts its starts", {
    default: "procwire in $XDG_STATE_HOME",
  }),
})

/** The processes that outlive their server. */
export const keeping = table({
  keep: toggle(
    "let sessions and processes outlive this server, be it killed, ended or replaced: a holder beside it owns them, " +
      "and the next server with the same --keep-dir takes them over",
  ),
  keepDir: text("DIR", "the folder by which servers find the holder; one server at a time uses it", {
    default: "procwire/keep in $XDG_STATE_HOME",
  }),
  keepTtlMs: millis("the time that a process waits for the next server, and its exit code behind its end", {
    default: 86_400_000,
  }),
})

/** The behaviour of a server, and its end. */
export const behaviour = table({
  allowUnauthenticated: toggle(
    "listen on addresses that others can reach, though nothing above keeps them out",
  ),
  dialect: choice(
    "NAME",
    Dialects.names,
    "the dialect of clients: current, v0 (the first version of March 2026, command/exec), or auto: v0 where the first " +
      "call behind initialize is one of v0's",
    { default: "current" },
  ),
  detachedTtlMs: millis("the time that a session without a connection can be resumed", {
    default: detachedMillis,
  }),
  retentionMs: millis("the time that a closed process stays readable", { default: retentionMillis }),
  peerTimeoutMs: millis(
    "the time that a client may be silent, although it reads, before its connection ends: pings over WebSocket, the " +
      "system's keep-alive over TCP; 0 is for ever",
    { most: longestTimerMillis, default: 90_000 },
  ),
  listSessions: choice(
    "WHOSE",
    ["own", "all"],
    "whose processes a client may list: own (those of its own session) or all (with their arguments, of every " +
      "session)",
    { default: "own" },
  ),
  scope: choice(
    "SCOPE",
    scopes,
    "the rights of every client with the sessions of others: own (nothing), observe (list and view their processes) or " +
      "control (write to, end, keep and remove them, too)",
    { default: "own; on a unix socket that only its user can open, control" },
  ),
  audit: text(
    "FILE|-",
    "append a line of JSON to FILE, or to stderr, for what clients do: processes, files, HTTP requests, and who " +
      "asked. While it cannot be written, nothing is started or changed",
  ),
  auditBestEffort: toggle("go on without the lines that cannot be written, and count them"),
  contain: choice(
    "NAME",
    Containment.choices,
    "the means that keeps a process and its descendants together, so that they end with it: cgroup, subreaper, none (its " +
      "group only), or auto: the first of these that works; in a program that is not this command, auto is never " +
      "subreaper",
    { default: "auto" },
  ),
  bwrap: text("PATH", "bubblewrap, for requests with a restricted sandbox", { default: "bwrap in PATH" }),
  spawner: texts(
    "NAME",
    "starts processes through NAME[:OPTIONS], of those that `procwire spawners` lists, or through the module " +
      "./mine.mjs; may be repeated, the first one outermost",
    { default: "this machine" },
  ),
  confine: texts(
    "PROFILE",
    "the most that requests reach, whatever they ask for, by PROFILE: read-only, workspace:DIR[,DIR…], no-network, " +
      "network, deny:PATH[,PATH…], or a JSON file; may be repeated. There is no network unless one says network",
    { default: "everything" },
  ),
  secrets: file(
    "secrets that every process has as variables, and no output, list or log: JSON such as " +
      '{"TOKEN": {"env": "MY_TOKEN"}}, each with value, env, file, or command as a list of words; with hosts, such as ' +
      '["api.github.com"], processes have a placeholder, and --egress lets these hosts alone have the value',
  ),
  egress: texts(
    "RULES",
    "the hosts that processes reach, with --confine without a network, by RULES: allow:HOST[:PORT][,…], " +
      "deny:HOST[:PORT][,…], ask[:HOST[:PORT]] the client, or a file ./FILE that is read again when it changes; HOST is " +
      "a name, *.NAME, **.NAME, an address or a network. Nothing allowed means nothing reachable; may be repeated",
    { default: "no network at all" },
  ),
  historyDir: text("DIR", "the folder for histories of output, in which each server has one of its own", {
    default: "the folder for temporary files",
  }),
  graceMs: millis(
    "the time that processes have to end after SIGTERM when the server is asked to end; then they are killed; with 0 " +
      "they are killed at once",
    { default: 0 },
  ),
  exitOnStdinClose: toggle(
    "end when stdin closes, as it does when the parent dies; what comes there is dropped",
  ),
  tcpUpstreamProxy: text(
    "HOST:PORT",
    "taken from command lines of Codex, and without effect: no managed proxy is launched here whose TCP could go " +
      "through this HTTP CONNECT proxy",
    { rule: Option.hostAndPort },
  ),
  linuxSandboxTransparentTcp: toggle(
    "taken from command lines of Codex, and without effect: no managed proxy is launched here that the TCP of a " +
      "sandbox could go through",
  ),
})

/** The form of logs. */
export const logs = table({
  logFormat: choice(
    "FORMAT",
    Logging.formatNames,
    `of the logs on stderr: ${Logging.formatNames.join(", ")}`,
    { default: "logfmt" },
  ),
  logLevel: choice("LEVEL", Logging.levelNames, Logging.levelNames.join(", "), {
    default: "the variable PROCWIRE_LOG, or warning",
  }),
})

/** The bounds. */
export const limits = Object.fromEntries(
  Limits.names.map((name): [string, Option.Option] => [
    name,
    { ...Limits.table[name], kind: "number", shows: "N" } satisfies Option.NumberOption,
  ]),
) as { readonly [Name in Limits.Name]: Option.NumberOption }
