/**
 * Resolves the name of an attempt that is allowed, and dials an address that the gate has judged: the socket never
 * goes to a name. Names are resolved by the system, and only behind the decision about the name.
 */
import { lookup as systemLookup } from "node:dns"
import { connect, isIP, type Socket } from "node:net"
import type { Allowed, Attempt, Denied, Gate } from "../../../core/spawn/Egress.ts"

/** All addresses of a name. */
export type Lookup = (host: string) => Promise<ReadonlyArray<string>>

/** The end of an attempt to dial. */
export type Dialled =
  | { readonly kind: "connected"; readonly socket: Socket }
  | { readonly kind: "denied"; readonly decision: Denied }
  /** The code of the last error, such as ECONNREFUSED, and the addresses that were dialled. */
  | { readonly kind: "failed"; readonly code: string; readonly tried: ReadonlyArray<string> }

/** The longest time to dial one address, in milliseconds. */
export const dialMillis = 15_000

export const resolve: Lookup = (host) =>
  new Promise((done, fail) => {
    systemLookup(host, { all: true, verbatim: true }, (error, found) =>
      error === null ? done(found.map(({ address }) => address)) : fail(error),
    )
  })

/** Dials the first address that the gate lets pass and that answers. `ends` ends what has not connected yet. */
export const dial = async (
  gate: Gate,
  attempt: Attempt,
  allowed: Allowed,
  lookup: Lookup,
  ends: AbortSignal,
): Promise<Dialled> => {
  if (ends.aborted) return { kind: "failed", code: "ECONNABORTED", tried: [] }
  let addresses: ReadonlyArray<string>
  try {
    addresses = isIP(attempt.host) === 0 ? await lookup(attempt.host) : [attempt.host]
  } catch (error) {
    return { kind: "failed", code: codeOf(error), tried: [] }
  }
  let denied: Denied | undefined
  let code = "ENOTFOUND"
  const tried: Array<string> = []
  for (const address of new Set(addresses)) {
    if (ends.aborted) break
    const decision = gate.mayDial(attempt, address, allowed)
    if (!decision.allowed) {
      denied ??= decision
      continue
    }
    tried.push(address)
    const socket = await open(address, attempt.port, ends)
    if (typeof socket !== "string") return { kind: "connected", socket }
    code = socket
  }
  return denied !== undefined && tried.length === 0
    ? { kind: "denied", decision: denied }
    : { kind: "failed", code, tried }
}

/** A connected socket, or the code of the error. */
const open = (address: string, port: number, ends: AbortSignal): Promise<Socket | string> =>
  new Promise((done) => {
    // Not a name in any case: a runtime would resolve it once more.
    if (isIP(address) === 0) return done("EINVAL")
    const socket = connect({ host: address, port, allowHalfOpen: true, noDelay: true })
    const settle = (result: Socket | string) => {
      clearTimeout(timer)
      ends.removeEventListener("abort", end)
      socket.removeListener("connect", connected)
      socket.removeListener("error", failed)
      if (typeof result === "string") {
        socket.on("error", () => {})
        socket.destroy()
      }
      done(result)
    }
    const connected = () => settle(socket)
    const failed = (error: unknown) => settle(codeOf(error))
    const end = () => settle("ECONNABORTED")
    const timer = setTimeout(() => settle("ETIMEDOUT"), dialMillis)
    socket.on("connect", connected)
    socket.on("error", failed)
    ends.addEventListener("abort", end)
  })

const codeOf = (error: unknown): string =>
  String((Object(error) as { readonly code?: unknown }).code ?? "EIO")
