/** The servers that a client trusts, and its own certificate. Free of the types of a runtime. */

/** The servers that a client trusts, and its own certificate. All in PEM. */
export interface ClientTls {
  /** Trusted instead of the authorities of the system. */
  readonly ca?: string | Uint8Array
  /** Shown to a server that asks for one; needs `key`. */
  readonly cert?: string | Uint8Array
  /** The private key of `cert`. */
  readonly key?: string | Uint8Array
}
