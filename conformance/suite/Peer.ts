/**
 * The releases of the peer, Codex, that there are cases for. A server is judged by the newest one unless it says that
 * it follows another: what changed between two of them has a case for each.
 */

/** Oldest first. */
export const peers = ["0.169", "0.171"] as const

/** A release of the peer. */
export type Peer = (typeof peers)[number]

/** The release that a server is judged by if it names none. */
export const newest: Peer = "0.171"
