/** The rows of the method table. */
import type * as Shape from "./shape/index.ts"

/** A group of methods, in the words of the error texts of the handshake. */
export type Family = "exec" | "filesystem" | "http" | "environment info" | "environment status"

/** A request of the client. `P` and `R` are its decoded params and result, `PI` and `RI` those on the wire. */
export interface RequestMethod<P, PI, R, RI> {
  /** Decodes the params. */
  readonly params: Shape.Shape<P, PI>
  /** Encodes the result. */
  readonly result: Shape.Shape<R, RI>
  /** The group whose error text applies before the handshake; a method without a family needs no handshake. */
  readonly family?: Family
  /** True if a running request counts against `--concurrent-requests`; others never wait for a slot. */
  readonly slotted: boolean
  /**
   * True if a request whose answer was lost may be sent again, because it is idempotent. Absent means no.
   */
  readonly repeatable?: Repeatable<PI>
  /**
   * True if `request/cancel` ends a request that has no answer yet. Only for waits and looks: nothing may be left half
   * done. Absent means no.
   */
  readonly cancellable?: true
  /** Encodes the result to JSON text, where `JSON.stringify` of what the shape writes would be too slow. */
  readonly toText?: (result: R) => string
  /** One line for lists of methods. */
  readonly says: string
}

/** The idempotent requests of a method: all of them, those with a param, or those where it is not false. */
export type Repeatable<PI> = "always" | { readonly given: keyof PI } | { readonly unlessFalse: keyof PI }

/** Types a row by its shapes. */
export const request = <P, PI, R, RI>(row: RequestMethod<P, PI, R, RI>) => row
