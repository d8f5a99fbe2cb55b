/**
 * The words for what has become of a host and of a session. They are a closed list: decisions by them read no text.
 *
 * A host that missed its lease is `lost`: its sessions are kept, a resume waits, nothing is started there. If it stays
 * silent it is `gone`, and its sessions have ended. An end that was reported is final.
 */

/** The state of a host: it renews its lease, it has missed it, or it was silent for so long that it counts as dead. */
export type HostState = "up" | "lost" | "gone"

/** The ends of a session by the words of its owners. */
export const ownEndings = ["closed", "start failed", "released"] as const

/**
 * `closed`: it has come to its end on its host. `start failed`: it could not be started there. `released`: somebody
 * gave it up, though its host may still have it.
 */
export type OwnEnding = (typeof ownEndings)[number]

export const endings = [
  ...ownEndings,
  "host restarted",
  "host gone",
  "host forgot it",
  "never started",
] as const

/**
 * The end of a session. Beside the words of its owners: its host has a new epoch; its host was silent for too long; its
 * host lists its sessions, and this one no more; the claim was not confirmed in time.
 */
export type Ending = (typeof endings)[number]

/** The state of a session: a host was found, the host has confirmed it, or it is over. */
export type SessionState = "claimed" | "running" | "ended"

/** The text for people about a session. */
export type Words = "starting" | "running" | "lost" | `ended: ${Ending}`

/** The words for a session whose host is in that state. */
export const words = (
  session: { readonly state: SessionState; readonly ending?: Ending | undefined },
  host: HostState,
): Words => {
  if (session.state === "ended") return `ended: ${session.ending ?? "closed"}`
  if (host !== "up") return "lost"
  return session.state === "claimed" ? "starting" : "running"
}
