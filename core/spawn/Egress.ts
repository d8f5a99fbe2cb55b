/**
 * The gate between one child without a network of its own and the hosts that it may reach. A spawner with the
 * capability `egress` gives the child a proxy (HTTP and SOCKS5 on one port of the child's own loopback), and asks the
 * gate of its spec for each connection that the child wants. The gate has the policy; the proxy has the sockets.
 *
 * A proxy asks in this order, and never dials without all of it:
 * 1. `decide`, with the name as the child gave it and normalised, before anything is resolved: a name that is not
 *    allowed never reaches a resolver.
 * 2. It resolves the name, and asks `mayDial` for each address. It dials that address, not the name.
 * 3. `told`, once for each attempt, with the decision that held in the end.
 */

/** The way in which the child has asked, in the words of the peer. */
export type EgressProtocol = "http" | "https_connect" | "socks5_tcp"

/** One connection that a child wants. */
export interface Attempt {
  /** The way in which it has asked: a request in absolute form or an upgrade of one, CONNECT, or SOCKS5. */
  readonly protocol: EgressProtocol
  /** A name in lower case without a dot at its end, or an address without brackets: the canonical form of it. */
  readonly host: string
  /** From 1 to 65535. */
  readonly port: number
  /** The method of a request of HTTP that is not CONNECT, such as `GET`. */
  readonly method?: string | undefined
}

/**
 * The reason of a denial. The first three are words of the peer: a rule denies, no rule allows, or the address is
 * private, local or otherwise special and no rule names it. The others: the request has no host that could be judged,
 * or its parts name different hosts (Host, or the server name of TLS).
 */
export type DenialReason = "denied" | "not_allowed" | "not_allowed_local" | "malformed" | "host_mismatch"

/** The attempt goes on. */
export interface Allowed {
  /** Tells it from a denial. */
  readonly allowed: true
  /** The rule that allows it, as it was written. */
  readonly rule: string
}

/** The attempt ends. */
export interface Denied {
  /** Tells it from the leave to go on. */
  readonly allowed: false
  /** The reason, as a word. */
  readonly reason: DenialReason
  /** The rule that denies it, as it was written; undefined if none does and none allows it either. */
  readonly rule?: string | undefined
  /** One sentence for the reader of the denied program: the target, the rule, and the remedy. */
  readonly message: string
}

/** The answer of a gate. */
export type Decision = Allowed | Denied

/**
 * A secret that only some hosts get: the child has a placeholder, and the proxy puts the value into the headers of
 * requests that the gate has allowed.
 */
export interface Injection {
  /** The name of the secret, which is that of its route: `/_secret/NAME/`. */
  readonly name: string
  /** The text that the child has. It is worth nothing elsewhere. */
  readonly placeholder: string
  /** The value: printable ASCII. Never in a text for anybody. */
  readonly value: string
  /** The header, with the value, of a request by the route that has no placeholder in that header. */
  readonly header: readonly [name: string, value: string]
  /** The host of the route, which is reached by TLS; undefined without one that is named exactly. */
  readonly base?: { readonly host: string; readonly port: number } | undefined
  /** The variable for the URL of the route. */
  readonly variable?: string | undefined
  /** True: the value may go to a public address without TLS. */
  readonly http: boolean
  /** True if the value may go to this host, which is in its canonical form. */
  readonly mayGoTo: (host: string, port: number) => boolean
}

/** The policy of one child. Its functions never throw; `decide` never rejects. */
export interface Gate {
  /** The secrets that its hosts get, each name once; absent without any. */
  readonly injections?: ReadonlyArray<Injection> | undefined
  /**
   * Judges an attempt by its name, before the name is resolved. It may take as long as a client is asked; the proxy
   * reads no further meanwhile.
   */
  readonly decide: (attempt: Attempt) => Promise<Decision>
  /**
   * Judges an address that the name of an allowed attempt has, right before it is dialled. `address` is an address of
   * IPv4 or IPv6 without brackets and zone; `decision` is the answer of `decide`.
   */
  readonly mayDial: (attempt: Attempt, address: string, decision: Allowed) => Decision
  /** Notes the end of the judgement of an attempt: for events, logs and counters. */
  readonly told: (attempt: Attempt, decision: Decision) => void
}

/** The place of the proxy of a child: by it a later server opens the proxy again. It has no value of a secret. */
export interface Outlet {
  /** The network namespace of the child, as the kernel names it. */
  readonly network: string
  /** The port on 127.0.0.1 in that namespace. */
  readonly port: number
  /** The placeholders that the child has, by the names of their secrets. */
  readonly placeholders: Readonly<Record<string, string>>
}
