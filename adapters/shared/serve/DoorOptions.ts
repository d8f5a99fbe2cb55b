/** The rows of the table of options for where a server listens and whom it lets in; see `OptionTable`. */
import * as SignedToken from "../auth/SignedToken.ts"
import * as ListenAddress from "./ListenAddress.ts"
import type { Option } from "./Option.ts"

const file = { kind: "text", shows: "FILE" } as const

/** Where a server listens. */
export const listening = {
  /**
   * Where to listen: stdio, ws://IP:PORT, tcp://IP:PORT, unix:PATH, or systemd and systemd:NAME for sockets that
   * systemd passes; may be repeated. Port 0 picks a free one; the bound addresses are the lines on stdout (on
   * stderr, with stdio among them). Default: ws://127.0.0.1:0. The flag is `--listen`.
   */
  listen: {
    flag: "listen",
    kind: "text",
    repeatable: true,
    shows: "ADDRESS",
    default: ListenAddress.defaultAddress,
    help:
      "where to listen: stdio, ws://IP:PORT, tcp://IP:PORT, unix:PATH, or systemd and systemd:NAME for sockets that " +
      "systemd passes; may be repeated. Port 0 picks a free one; the bound addresses are the lines on stdout (on " +
      "stderr, with stdio among them)",
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
   * For capability-token: a token; may be repeated, and SCOPES (observe, control) say what its clients may do with
   * the sessions of others; or. The flag is `--ws-token-file`.
   */
  tokenFile: {
    flag: "ws-token-file",
    kind: "text",
    repeatable: true,
    shows: "[NAME:SCOPES=]FILE",
    help:
      "for capability-token: a token; may be repeated, and SCOPES (observe, control) say what its clients may do with " +
      "the sessions of others; or",
  },
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
