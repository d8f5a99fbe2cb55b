/** The types of the rows of `OptionTable`, written by `npm run readme`. */

/** The options of the table that are in no group. */
export interface GeneralOptions {
  /**
   * The addresses to listen on: stdio, ws://IP:PORT, tcp://IP:PORT, unix:PATH, or systemd and systemd:NAME for
   * sockets that systemd passes; may be repeated. Port 0 picks a free one; the bound addresses are the lines on
   * stdout (on stderr, with stdio among them). Default: ws://127.0.0.1:0. The flag is `--listen`.
   */
  readonly listen?: string | ReadonlyArray<string> | undefined
  /**
   * Serve a page for browsers at the ws:// addresses, and print a one-time link to it; a token lets in, too.
   * Default: false. The flag is `--web`.
   */
  readonly web?: boolean | undefined
  /**
   * A further name by which browsers reach the page, such as that of a proxy: NAME, NAME:PORT or
   * https://NAME[:PORT]; may be repeated. Default: the address, and localhost for loopback. The flag is
   * `--web-host`.
   */
  readonly webHost?: string | ReadonlyArray<string> | undefined
  /**
   * The path at which a proxy has put the page, whether it takes the prefix away or not. Default: /. The flag is
   * `--web-prefix`.
   */
  readonly webPrefix?: string | undefined
  /**
   * The time that a browser stays logged in; a JWT that expires ends it earlier. Default: 43200000. The flag is
   * `--web-session-ms`.
   */
  readonly webSessionMs?: number | undefined
  /**
   * Be a host of the fleet behind this router, ws://HOST:PORT or wss://HOST:PORT; once for each router. Without a
   * --listen nothing else can connect. The flag is `--join`.
   */
  readonly join?: string | ReadonlyArray<string> | undefined
  /**
   * The token that the routers ask hosts for. The flag is `--join-token-file`.
   */
  readonly joinTokenFile?: string | undefined
  /**
   * The authority, as PEM, of routers at wss://. Default: those of the system. The flag is `--join-ca`.
   */
  readonly joinCaFile?: string | undefined
  /**
   * The name of this host in the fleet, also after a restart. Default: the name of this machine. The flag is
   * `--host-id`.
   */
  readonly hostId?: string | undefined
  /**
   * A label that a session may ask of its host, beside os, arch and host; may be repeated. The flag is
   * `--host-label`.
   */
  readonly hostLabel?: string | ReadonlyArray<string> | undefined
  /**
   * The most sessions that the fleet may start here. Default: the less of --max-sessions and --max-connections.
   * The flag is `--capacity`.
   */
  readonly capacity?: number | undefined
  /**
   * The folder in which a host of a fleet counts its starts. Default: procwire in $XDG_STATE_HOME. The flag is
   * `--state-dir`.
   */
  readonly stateDir?: string | undefined
  /**
   * Let sessions and processes outlive this server, be it killed, ended or replaced: a holder beside it owns them,
   * and the next server with the same --keep-dir takes them over. Default: false. The flag is `--keep`.
   */
  readonly keep?: boolean | undefined
  /**
   * The folder by which servers find the holder; one server at a time uses it. Default: procwire/keep in
   * $XDG_STATE_HOME. The flag is `--keep-dir`.
   */
  readonly keepDir?: string | undefined
  /**
   * The time that a process waits for the next server, and its exit code behind its end. Default: 86400000. The
   * flag is `--keep-ttl-ms`.
   */
  readonly keepTtlMs?: number | undefined
  /**
   * Listen on addresses that others can reach, though nothing above keeps them out. Default: false. The flag is
   * `--allow-unauthenticated`.
   */
  readonly allowUnauthenticated?: boolean | undefined
  /**
   * The dialect of clients: current, v0 (the first version of March 2026, command/exec), or auto: v0 where the
   * first call behind initialize is one of v0's. Default: current. The flag is `--dialect`.
   */
  readonly dialect?: "current" | "v0" | "auto" | undefined
  /**
   * The time that a session without a connection can be resumed. Default: 80000. The flag is `--detached-ttl-ms`.
   */
  readonly detachedTtlMs?: number | undefined
  /**
   * The time that a closed process stays readable. Default: 30000. The flag is `--retention-ms`.
   */
  readonly retentionMs?: number | undefined
  /**
   * The time that a client may be silent, although it reads, before its connection ends: pings over WebSocket, the
   * system's keep-alive over TCP; 0 is for ever. Default: 90000. The flag is `--peer-timeout-ms`.
   */
  readonly peerTimeoutMs?: number | undefined
  /**
   * Whose processes a client may list: own (those of its own session) or all (with their arguments, of every
   * session). Default: own. The flag is `--list-sessions`.
   */
  readonly listSessions?: "own" | "all" | undefined
  /**
   * The rights of every client with the sessions of others: own (nothing), observe (list and view their processes)
   * or control (write to, end, keep and remove them, too). Default: own; on a unix socket that only its user can
   * open, control. The flag is `--scope`.
   */
  readonly scope?: "own" | "observe" | "control" | undefined
  /**
   * Append a line of JSON to FILE, or to stderr, for what clients do: processes, files, HTTP requests, and who
   * asked. While it cannot be written, nothing is started or changed. The flag is `--audit`.
   */
  readonly audit?: string | undefined
  /**
   * Go on without the lines that cannot be written, and count them. Default: false. The flag is
   * `--audit-best-effort`.
   */
  readonly auditBestEffort?: boolean | undefined
  /**
   * The means that keeps a process and its descendants together, so that they end with it: cgroup, subreaper, none
   * (its group only), or auto: the first of these that works; in a program that is not this command, auto is never
   * subreaper. Default: auto. The flag is `--contain`.
   */
  readonly contain?: "auto" | "cgroup" | "subreaper" | "none" | undefined
  /**
   * Bubblewrap, for requests with a restricted sandbox. Default: bwrap in PATH. The flag is `--bwrap`.
   */
  readonly bwrap?: string | undefined
  /**
   * Starts processes through NAME[:OPTIONS], of those that `procwire spawners` lists, or through the module
   * ./mine.mjs; may be repeated, the first one outermost. Default: this machine. The flag is `--spawner`.
   */
  readonly spawner?: string | ReadonlyArray<string> | undefined
  /**
   * The most that requests reach, whatever they ask for, by PROFILE: read-only, workspace:DIR[,DIR…], no-network,
   * network, deny:PATH[,PATH…], or a JSON file; may be repeated. There is no network unless one says network.
   * Default: everything. The flag is `--confine`.
   */
  readonly confine?: string | ReadonlyArray<string> | undefined
  /**
   * Secrets that every process has as variables, and no output, list or log: JSON such as {"TOKEN": {"env":
   * "MY_TOKEN"}}, each with value, env, file, or command as a list of words; with hosts, such as
   * ["api.github.com"], processes have a placeholder, and --egress lets these hosts alone have the value. The flag
   * is `--secrets`.
   */
  readonly secrets?: string | undefined
  /**
   * The hosts that processes reach, with --confine without a network, by RULES: allow:HOST[:PORT][,…],
   * deny:HOST[:PORT][,…], ask[:HOST[:PORT]] the client, or a file ./FILE that is read again when it changes; HOST
   * is a name, *.NAME, **.NAME, an address or a network. Nothing allowed means nothing reachable; may be repeated.
   * Default: no network at all. The flag is `--egress`.
   */
  readonly egress?: string | ReadonlyArray<string> | undefined
  /**
   * The folder for histories of output, in which each server has one of its own. Default: the folder for temporary
   * files. The flag is `--history-dir`.
   */
  readonly historyDir?: string | undefined
  /**
   * The time that processes have to end after SIGTERM when the server is asked to end; then they are killed; with
   * 0 they are killed at once. Default: 0. The flag is `--grace-ms`.
   */
  readonly graceMs?: number | undefined
  /**
   * End when stdin closes, as it does when the parent dies; what comes there is dropped. Default: false. The flag
   * is `--exit-on-stdin-close`.
   */
  readonly exitOnStdinClose?: boolean | undefined
  /**
   * Taken from command lines of Codex, and without effect: no managed proxy is launched here whose TCP could go
   * through this HTTP CONNECT proxy. The flag is `--tcp-upstream-proxy`.
   */
  readonly tcpUpstreamProxy?: string | undefined
  /**
   * Taken from command lines of Codex, and without effect: no managed proxy is launched here that the TCP of a
   * sandbox could go through. Default: false. The flag is `--linux-sandbox-transparent-tcp`.
   */
  readonly linuxSandboxTransparentTcp?: boolean | undefined
  /**
   * Of the logs on stderr: logfmt, json, pretty. Default: logfmt. The flag is `--log-format`.
   */
  readonly logFormat?: "logfmt" | "json" | "pretty" | undefined
  /**
   * Trace, debug, info, warning, error, none. Default: the variable PROCWIRE_LOG, or warning. The flag is
   * `--log-level`.
   */
  readonly logLevel?: "trace" | "debug" | "info" | "warning" | "error" | "none" | undefined
}

/** The options `tls` of the table. */
export interface TlsFileOptions {
  /**
   * A PEM certificate (chain): ws:// and tcp:// speak TLS and are printed as wss://, tls://. The flag is
   * `--tls-cert`.
   */
  readonly certFile?: string | undefined
  /**
   * Its PEM key. The flag is `--tls-key`.
   */
  readonly keyFile?: string | undefined
  /**
   * Clients need a certificate of this authority. The flag is `--tls-client-ca`.
   */
  readonly clientCaFile?: string | undefined
}

/** The options `auth` of the table. */
export interface AuthFileOptions {
  /**
   * What ws:// asks for as "Authorization: Bearer TOKEN": capability-token or signed-bearer-token. The flag is
   * `--ws-auth`.
   */
  readonly mode?: "capability-token" | "signed-bearer-token" | undefined
  /**
   * For capability-token: a token; may be repeated, and SCOPES (observe, control) say what its clients may do with
   * the sessions of others; or. The flag is `--ws-token-file`.
   */
  readonly tokenFile?: string | ReadonlyArray<string> | undefined
  /**
   * The SHA-256 of the token. The flag is `--ws-token-sha256`.
   */
  readonly tokenSha256?: string | undefined
  /**
   * For signed-bearer-token: the secret of the JWTs (HS256), at least 32 bytes. The flag is
   * `--ws-shared-secret-file`.
   */
  readonly sharedSecretFile?: string | undefined
  /**
   * The iss that a JWT must have. Default: anything. The flag is `--ws-issuer`.
   */
  readonly issuer?: string | undefined
  /**
   * The aud that a JWT must have, alone or among others. Default: anything. The flag is `--ws-audience`.
   */
  readonly audience?: string | undefined
  /**
   * The most that clocks may differ. Default: 30. The flag is `--ws-max-clock-skew-seconds`.
   */
  readonly maxClockSkewSeconds?: number | undefined
}
