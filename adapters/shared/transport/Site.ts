/**
 * Pages for browsers beside the WebSockets of a listener. A site answers its own paths, and says whom it admits to a
 * WebSocket there; all other requests are left to `UpgradeAdmission`.
 */
import type { IncomingMessage, ServerResponse } from "node:http"
import type { Admission } from "./UpgradeAdmission.ts"

/** The address of a listener. */
export interface Place {
  /** A literal address: `127.0.0.1`, `::1`, `0.0.0.0`. */
  readonly host: string
  /** Its TCP port. */
  readonly port: number
  /** True where it speaks TLS. */
  readonly secure: boolean
}

/** A site at one listener. */
export interface SiteAt {
  /** Answers a request that is no upgrade. False, and nothing has happened, where its path is not the site's. */
  readonly respond: (request: IncomingMessage, response: ServerResponse) => boolean
  /** Admits an upgrade; undefined where its path is not the site's. */
  readonly admit: (request: IncomingMessage) => Promise<Admission> | undefined
}

/** A site, which may be at several listeners. */
export type Site = (place: Place) => SiteAt
