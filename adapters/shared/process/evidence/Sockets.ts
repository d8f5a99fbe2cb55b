/** TCP sockets that listen, as /proc of Linux lists them: for each network namespace by itself. */
import type { KernelFiles } from "../../host/KernelFiles.ts"

export interface Listening {
  readonly inode: string
  readonly host: string
  readonly port: number
}

const LISTEN = "0A"

/** The sockets in the network namespace of a process that listen on this port. */
export const on = (files: KernelFiles, pid: number, port: number): ReadonlyArray<Listening> => {
  const suffix = `:${port.toString(16).toUpperCase().padStart(4, "0")}`
  return ["tcp", "tcp6"].flatMap((table) =>
    files
      .read(`/proc/${pid}/net/${table}`)
      .split("\n")
      .flatMap((row) => {
        if (!row.includes(`${suffix} `)) return []
        const [, local = "", , state, , , , , , inode = ""] = row.trim().split(/\s+/)
        if (state !== LISTEN || !local.endsWith(suffix)) return []
        return [{ inode, port, host: toHost(local.slice(0, -suffix.length)) }]
      }),
  )
}

/** The address in the words of 32 bits that the kernel prints, each with its bytes swapped. */
const toHost = (hex: string): string => {
  const bytes = (hex.match(/.{8}/g) ?? []).flatMap((word) =>
    [3, 2, 1, 0].map((n) => Number.parseInt(word.slice(2 * n, 2 * n + 2), 16)),
  )
  if (bytes.length === 4) return bytes.join(".")
  const groups = Array.from({ length: 8 }, (_, n) => ((bytes[2 * n] ?? 0) << 8) | (bytes[2 * n + 1] ?? 0))
  if (groups.slice(0, 5).every((group) => group === 0) && groups[5] === 0xffff)
    return bytes.slice(12).join(".")
  return shortened(groups.map((group) => group.toString(16)).join(":"))
}

/** With the longest row of zeros left out. */
export const shortened = (host: string): string => {
  const rows = host.match(/(?:^|:)0(?::0)+(?=:|$)/g) ?? []
  const longest = rows.reduce((best, row) => (row.length > best.length ? row : best), "")
  if (longest === "") return host
  const at = host.indexOf(longest)
  const [before, after] = [host.slice(0, at), host.slice(at + longest.length)]
  return `${before}:${after === "" ? ":" : after}`.replace(/^:(?!:)/, "::")
}

/** True if a socket that is bound to `bound` can be reached as `asked`. */
export const reaches = (bound: string, asked: string | undefined): boolean => {
  if (asked === undefined) return true
  const names = asked === "localhost" ? ["127.0.0.1", "::1"] : [canonical(asked)]
  return names.some((name) => {
    if (bound === name || bound === "::") return true
    return bound === "0.0.0.0" && !name.includes(":")
  })
}

/** An address of IPv6 as `toHost` writes it. */
const canonical = (host: string): string => {
  if (!host.includes(":")) return host
  try {
    const { hostname } = new URL(`http://[${host}]/`)
    return hostname.slice(1, -1)
  } catch {
    return host
  }
}
