/** The messages of a client of SOCKS5 (RFC 1928): the method without authentication, and CONNECT. */
import * as Address from "../../../core/features/egress/Address.ts"

/** The meaning of the bytes so far. */
export type Read =
  | { readonly kind: "more" }
  /** A greeting; `usual` if the client can do without authentication. */
  | { readonly kind: "greeting"; readonly usual: boolean; readonly length: number }
  /** A wish to connect. The host is as the client gave it. */
  | { readonly kind: "connect"; readonly host: string; readonly port: number; readonly length: number }
  /** A fault, with the code of the reply. */
  | { readonly kind: "fault"; readonly code: number }

/** Codes of replies. */
export const code = {
  succeeded: 0,
  failure: 1,
  notAllowed: 2,
  unreachable: 4,
  refused: 5,
  noSuchCommand: 7,
  noSuchAddressType: 8,
} as const

const more = { kind: "more" } as const
const fault = (of: number): Read => ({ kind: "fault", code: of })

export const greeting = (bytes: Uint8Array): Read => {
  if (bytes.length > 0 && bytes[0] !== 5) return fault(code.failure)
  const length = 2 + (bytes[1] ?? 0)
  if (bytes.length < 2 || bytes.length < length) return more
  return { kind: "greeting", usual: bytes.subarray(2, length).includes(0), length }
}

export const request = (bytes: Uint8Array): Read => {
  const [version, command, reserved, type, first] = bytes
  if (version !== undefined && version !== 5) return fault(code.failure)
  if (command !== undefined && command !== 1) return fault(code.noSuchCommand)
  if (reserved !== undefined && reserved !== 0) return fault(code.failure)
  if (type !== undefined && ![1, 3, 4].includes(type)) return fault(code.noSuchAddressType)
  if (type === undefined || first === undefined) return more
  const size = type === 1 ? 4 : type === 4 ? 16 : first
  const begin = type === 3 ? 5 : 4
  const length = begin + size + 2
  if (bytes.length < length) return more
  const given = bytes.subarray(begin, begin + size)
  const port = (bytes[length - 2]! << 8) | bytes[length - 1]!
  return { kind: "connect", host: type === 3 ? nameOf(given) : addressOf(given), port, length }
}

/** The reply of a code, without an address. */
export const reply = (of: number): Uint8Array => Uint8Array.of(5, of, 0, 1, 0, 0, 0, 0, 0, 0)

const nameOf = (bytes: Uint8Array): string => new TextDecoder().decode(bytes)

const addressOf = (bytes: Uint8Array): string =>
  Address.toText({
    bits: bytes.length === 4 ? 32 : 128,
    value: bytes.reduce((sum, byte) => (sum << 8n) | BigInt(byte), 0n),
  })
