/** What a row of the method table is. */
import type * as Schema from "effect/Schema"

/** The word that the handshake's error texts use for a group of methods. */
export type Family = "exec" | "filesystem" | "http" | "environment info" | "environment status"

/** A request of the client. */
export interface RequestMethod<P, PI, R, RI> {
  readonly params: Schema.Schema<P, PI>
  readonly result: Schema.Schema<R, RI>
  /** How many fields params have in the form of an array, if not all: later additions go by name only. */
  readonly positional?: number
  /** Which handshake text applies; without a family the method needs no handshake. */
  readonly family?: Family
  /** Whether a running request counts against `--concurrent-requests`; others never wait. */
  readonly slotted: boolean
  /**
   * Whether a request whose answer was lost may be sent again: a second time changes nothing that the first
   * has not. Absent means no.
   */
  readonly repeatable?: (params: PI) => boolean
  /** Encodes the result where `JSON.stringify` of the schema's encoding would be too slow. */
  readonly toText?: (result: R) => string
  /** One line for lists of methods. */
  readonly says: string
}

/** Types a row by its schemas. */
export const request = <P, PI, R, RI>(row: RequestMethod<P, PI, R, RI>) => row

/** For what can be asked any number of times. */
export const always = () => true
