/** The rows of the table of options for a host of a fleet; see `OptionTable`. */
import type { Option } from "./Option.ts"

/** What makes a server a host of a fleet. */
export const joining = {
  /**
   * Be a host of the fleet behind this router, ws://HOST:PORT or wss://HOST:PORT; once for each router. Without a
   * --listen nothing else can connect. The flag is `--join`.
   */
  join: {
    flag: "join",
    kind: "text",
    repeatable: true,
    shows: "URL",
    help:
      "be a host of the fleet behind this router, ws://HOST:PORT or wss://HOST:PORT; once for each router. Without a " +
      "--listen nothing else can connect",
  },
  /**
   * The token that the routers ask hosts for. The flag is `--join-token-file`.
   */
  joinTokenFile: {
    flag: "join-token-file",
    kind: "text",
    shows: "FILE",
    help: "the token that the routers ask hosts for",
  },
  /**
   * The authority, as PEM, of routers at wss://. Default: those of the system. The flag is `--join-ca`.
   */
  joinCaFile: {
    flag: "join-ca",
    kind: "text",
    shows: "FILE",
    default: "those of the system",
    help: "the authority, as PEM, of routers at wss://",
  },
  /**
   * What this host is called in the fleet, also after a restart. Default: the name of this machine. The flag is
   * `--host-id`.
   */
  hostId: {
    flag: "host-id",
    kind: "text",
    shows: "NAME",
    default: "the name of this machine",
    help: "what this host is called in the fleet, also after a restart",
  },
  /**
   * What a session may ask of its host, beside os, arch and host; may be repeated. The flag is `--host-label`.
   */
  hostLabel: {
    flag: "host-label",
    kind: "text",
    repeatable: true,
    shows: "K=V",
    help: "what a session may ask of its host, beside os, arch and host; may be repeated",
  },
  /**
   * How many sessions the fleet may start here. Default: the less of --max-sessions and --max-connections. The
   * flag is `--capacity`.
   */
  capacity: {
    flag: "capacity",
    kind: "number",
    unit: "count",
    shows: "N",
    least: 0,
    most: 1_000_000,
    default: "the less of --max-sessions and --max-connections",
    help: "how many sessions the fleet may start here",
  },
  /**
   * Where a host of a fleet keeps how often it has begun. Default: procwire in $XDG_STATE_HOME. The flag is
   * `--state-dir`.
   */
  stateDir: {
    flag: "state-dir",
    kind: "text",
    shows: "DIR",
    default: "procwire in $XDG_STATE_HOME",
    help: "where a host of a fleet keeps how often it has begun",
  },
} as const satisfies Record<string, Option>
