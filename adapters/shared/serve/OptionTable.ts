/**
 * The options of a server: THE table from which derive the flags of `procwire serve` and their help, the variables, the
 * keys of a configuration file, the options of `serve` in programs with their types and checks, and the tables of the
 * README.
 *
 * A row stands where a program has the option: the row `tls.certFile` has the flag `--tls-cert` and the variable
 * `PROCWIRE_TLS_CERT`. The bounds are those of `Limits.table`. The docstrings of the rows, which programs see, are
 * written by `npm run readme`, from their help.
 */
import * as Dialects from "../../../core/protocol/dialect/Dialects.ts"
import * as Limits from "../../../core/protocol/Limits.ts"
import * as SessionRegistry from "../../../core/session/SessionRegistry.ts"
import * as SignedToken from "../auth/SignedToken.ts"
import * as ListenAddress from "./ListenAddress.ts"
import * as Logging from "./Logging.ts"
import type { NumberOption, Option } from "./Option.ts"

const { detachedMillis, retentionMillis } = SessionRegistry.defaultOptions

const millis = { kind: "number", unit: "ms", shows: "N", least: 0 } as const
const file = { kind: "text", shows: "FILE" } as const

/** Where a server listens. */
export const listening = {
  /**
   * Where to listen: stdio, ws://IP:PORT, tcp://IP:PORT or unix:PATH; may be repeated. Port 0 picks a free one;
   * the bound addresses are the lines on stdout (on stderr, with stdio among them). Default: ws://127.0.0.1:0. The
   * flag is `--listen`.
   */
  listen: {
    flag: "listen",
    kind: "text",
    repeatable: true,
    shows: "ADDRESS",
    default: ListenAddress.defaultAddress,
    help:
      "where to listen: stdio, ws://IP:PORT, tcp://IP:PORT or unix:PATH; may be repeated. Port 0 picks a free one; " +
      "the bound addresses are the lines on stdout (on stderr, with stdio among them)",
  },
} as const satisfies Record<string, Option>

/** The certificate of a server. */
export const tls = {
  /**
   * A PEM certificate (chain): ws:// and tcp:// speak TLS and are printed as wss://, tls://. The flag is
   * `--tls-cert`.
   */
  certFile: {
    ...file,
    flag: "tls-cert",
    help: "a PEM certificate (chain): ws:// and tcp:// speak TLS and are printed as wss://, tls://",
  },
  /**
   * Its PEM key. The flag is `--tls-key`.
   */
  keyFile: { ...file, flag: "tls-key", help: "its PEM key" },
  /**
   * Clients need a certificate of this authority. The flag is `--tls-client-ca`.
   */
  clientCaFile: { ...file, flag: "tls-client-ca", help: "clients need a certificate of this authority" },
} as const satisfies Record<string, Option>

/** Whom a server lets in over WebSocket. */
export const auth = {
  /**
   * What ws:// asks for as "Authorization: Bearer TOKEN": capability-token or signed-bearer-token. The flag is
   * `--ws-auth`.
   */
  mode: {
    flag: "ws-auth",
    kind: "choice",
    of: ["capability-token", "signed-bearer-token"],
    shows: "MODE",
    help: 'what ws:// asks for as "Authorization: Bearer TOKEN": capability-token or signed-bearer-token',
  },
  /**
   * For capability-token: the token, or. The flag is `--ws-token-file`.
   */
  tokenFile: { ...file, flag: "ws-token-file", help: "for capability-token: the token, or" },
  /**
   * The SHA-256 of the token. The flag is `--ws-token-sha256`.
   */
  tokenSha256: {
    flag: "ws-token-sha256",
    kind: "text",
    shows: "HEX",
    help: "the SHA-256 of the token",
  },
  /**
   * For signed-bearer-token: the secret of the JWTs (HS256), at least 32 bytes. The flag is
   * `--ws-shared-secret-file`.
   */
  sharedSecretFile: {
    ...file,
    flag: "ws-shared-secret-file",
    help: `for signed-bearer-token: the secret of the JWTs (HS256), at least ${SignedToken.minSecretBytes} bytes`,
  },
  /**
   * What the iss of a JWT must be. Default: anything. The flag is `--ws-issuer`.
   */
  issuer: {
    flag: "ws-issuer",
    kind: "text",
    shows: "TEXT",
    default: "anything",
    help: "what the iss of a JWT must be",
  },
  /**
   * What the aud of a JWT must be or contain. Default: anything. The flag is `--ws-audience`.
   */
  audience: {
    flag: "ws-audience",
    kind: "text",
    shows: "TEXT",
    default: "anything",
    help: "what the aud of a JWT must be or contain",
  },
  /**
   * How far clocks may differ. Default: 30. The flag is `--ws-max-clock-skew-seconds`.
   */
  maxClockSkewSeconds: {
    flag: "ws-max-clock-skew-seconds",
    kind: "number",
    unit: "s",
    shows: "N",
    least: 0,
    default: SignedToken.defaultSkewSeconds,
    help: "how far clocks may differ",
  },
} as const satisfies Record<string, Option>

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
} as const satisfies Record<string, Option>

/** What logs look like. */
export const logs = {
  /**
   * Of the logs on stderr: logfmt, json, pretty. Default: logfmt. The flag is `--log-format`.
   */
  logFormat: {
    flag: "log-format",
    kind: "choice",
    of: Logging.formatNames,
    shows: "FORMAT",
    default: "logfmt",
    help: `of the logs on stderr: ${Logging.formatNames.join(", ")}`,
  },
  /**
   * Trace, debug, info, warning, error, none. Default: the variable PROCWIRE_LOG, or warning. The flag is
   * `--log-level`.
   */
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
