/**
 * Addresses of IPv4 and IPv6 as numbers, networks of them, and the classes that are no part of the public internet: an
 * allowed name never leads there, unless a rule names the address.
 */

/** An address. One of IPv4 that is mapped into IPv6 (`::ffff:0:0/96`) is never held as that, but as itself. */
export interface Address {
  readonly bits: 32 | 128
  readonly value: bigint
}

/** The addresses that begin with the first `prefix` bits of one. */
export interface Network {
  readonly address: Address
  readonly prefix: number
}

/** The address of a text in the usual form of URLs, or in any form of RFC 4291; undefined if it is none. */
export const parse = (text: string): Address | undefined => {
  if (!text.includes(":")) return v4(text)
  const tail = /^(.*:)(\d+\.\d+\.\d+\.\d+)$/.exec(text)
  if (tail !== null) {
    const embedded = v4(tail[2]!)
    if (embedded === undefined) return undefined
    return parse(
      `${tail[1]}${(embedded.value >> 16n).toString(16)}:${(embedded.value & 0xffffn).toString(16)}`,
    )
  }
  const halves = text.split("::")
  if (halves.length > 2) return undefined
  const [head = [], rest = []] = halves.map((half) => (half === "" ? [] : half.split(":")))
  const missing = 8 - head.length - rest.length
  if (halves.length === 1 ? missing !== 0 : missing < 1) return undefined
  const groups = [...head, ...Array<string>(missing).fill("0"), ...rest]
  if (!groups.every((group) => /^[\da-f]{1,4}$/i.test(group))) return undefined
  const value = groups.reduce((sum, group) => (sum << 16n) | BigInt(`0x${group}`), 0n)
  return value >> 32n === 0xffffn ? { bits: 32, value: value & 0xffffffffn } : { bits: 128, value }
}

const v4 = (text: string): Address | undefined => {
  if (!/^(?:\d{1,3}\.){3}\d{1,3}$/.test(text)) return undefined
  const bytes = text.split(".")
  if (bytes.some((byte) => Number(byte) > 255 || String(Number(byte)) !== byte)) return undefined
  return { bits: 32, value: bytes.reduce((sum, byte) => (sum << 8n) | BigInt(byte), 0n) }
}

/** The usual text of an address, without brackets (RFC 5952). */
export const toText = ({ bits, value }: Address): string => {
  if (bits === 32) return [24n, 16n, 8n, 0n].map((shift) => (value >> shift) & 0xffn).join(".")
  const groups = Array.from({ length: 8 }, (_, at) =>
    ((value >> BigInt(112 - 16 * at)) & 0xffffn).toString(16),
  )
  const runs = [...groups.join(":").matchAll(/\b0(?::0)+\b/g)]
  const [run] = runs.sort((one, other) => other[0].length - one[0].length)
  if (run === undefined) return groups.join(":")
  const text = groups.join(":")
  return `${text.slice(0, run.index).replace(/:$/, "")}::${text.slice(run.index + run[0].length).replace(/^:/, "")}`
}

/** True if the network has the address. */
export const isIn = (address: Address, { address: first, prefix }: Network): boolean => {
  const shift = BigInt(first.bits - prefix)
  return address.bits === first.bits && address.value >> shift === first.value >> shift
}

/** The network of a text such as `10.0.0.0/8`; a failure is the end of a sentence. */
export const network = (text: string): Network | string => {
  const [first = "", digits = ""] = text.split("/")
  const address = parse(first)
  if (address === undefined || !/^\d{1,3}$/.test(digits)) return "is no network: ADDRESS/BITS"
  const prefix = Number(digits)
  if (prefix > address.bits) return `has more bits than ${address.bits}`
  const shift = BigInt(address.bits - prefix)
  const base = { ...address, value: (address.value >> shift) << shift }
  return base.value === address.value ? { address, prefix } : `begins at ${toText(base)}/${prefix}`
}

/** The address of IPv4 within one of NAT64 or 6to4. */
export const embedded = ({ bits, value }: Address): Address | undefined => {
  if (bits === 32) return undefined
  if (value >> 32n === 0x64_ff9b_0000_0000_0000_0000n) return { bits: 32, value: value & 0xffffffffn }
  if (value >> 112n === 0x2002n) return { bits: 32, value: (value >> 80n) & 0xffffffffn }
  return undefined
}

/** The kind of an address that is not public, in a word or two; undefined for a public one. */
export const special = (address: Address): string | undefined => {
  const found = classes.find(([, networks]) => networks.some((one) => isIn(address, one)))?.[0]
  if (found !== undefined || address.bits === 32) return found
  const inner = embedded(address)
  if (inner !== undefined) return special(inner)
  // Public addresses of IPv6 are these alone, so far (RFC 4291).
  return isIn(address, unicast) ? undefined : "reserved"
}

const of = (text: string): Network => network(text) as Network

const unicast = of("2000::/3")

const classes: ReadonlyArray<readonly [name: string, networks: ReadonlyArray<Network>]> = (
  [
    // Some of these are in a class below, too.
    ["metadata", "169.254.169.254/32 100.100.100.200/32 168.63.129.16/32 192.0.0.192/32 fd00:ec2::254/128"],
    ["unspecified", "0.0.0.0/8 ::/128"],
    ["loopback", "127.0.0.0/8 ::1/128"],
    ["private", "10.0.0.0/8 172.16.0.0/12 192.168.0.0/16 fc00::/7 fec0::/10"],
    ["shared (CGNAT)", "100.64.0.0/10"],
    ["link-local", "169.254.0.0/16 fe80::/10"],
    ["multicast", "224.0.0.0/4 ff00::/8"],
    [
      "reserved",
      "192.0.0.0/24 192.0.2.0/24 192.88.99.0/24 198.18.0.0/15 198.51.100.0/24 203.0.113.0/24 240.0.0.0/4 " +
        "2001::/23 2001:db8::/32 3fff::/20 64:ff9b:1::/48 100::/64",
    ],
  ] as const
).map(([name, texts]) => [name, texts.split(" ").map(of)] as const)
