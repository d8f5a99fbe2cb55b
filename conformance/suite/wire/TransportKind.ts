/**
 * The transports to a server, and those that can carry a case.
 */

/** The transports, in the order in which the suite uses them. */
export const transportKinds = ["stdio", "ws", "unix", "tcp"] as const

/** `stdio`, `unix` and `tcp` carry newline-delimited JSON; `ws` is WebSocket. */
export type TransportKind = (typeof transportKinds)[number]

/** The transports of a case: `any`; `lines`, all but WebSocket; `sockets`, all but stdio; or one alone. */
export type Carriers = "any" | "lines" | "sockets" | TransportKind

/** True if a case with these carriers runs over this transport. */
export const carries = (carriers: Carriers, kind: TransportKind): boolean =>
  carriers === "any" ||
  carriers === kind ||
  (carriers === "lines" && kind !== "ws") ||
  (carriers === "sockets" && kind !== "stdio")
