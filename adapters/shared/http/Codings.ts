/**
 * The content codings that this runtime decodes: gzip everywhere, and zstd on Node from 22.15 on.
 *
 * Of zstd on Bun and Deno `node:zlib` takes a body that was cut off for a whole one. Deno also drops all frames but
 * the first, and a wrong check sum ends the server with an uncaught error. So there it is not asked for, and left as
 * it is.
 *
 * As in the peer a body is decoded if the first `content-encoding` is the name of one coding as it is here, in lower
 * case and alone. Several gzips one behind the other are one body, and other bytes behind one are a fault: the peer
 * drops both.
 */
import process from "node:process"
import type { Transform } from "node:stream"
import { createGunzip } from "node:zlib"
import type { Header } from "../../../core/http/HttpClient.ts"

export type Decoder = () => Transform

const isNode = !("Bun" in globalThis) && !("Deno" in globalThis)

/** Absent on Node before 22.15, and from the types of Node 20. The first request asks for it, and no start. */
const zstd = (): Decoder | undefined => {
  if (!isNode) return undefined
  return (process.getBuiltinModule("node:zlib") as { readonly createZstdDecompress?: Decoder })
    .createZstdDecompress
}

/** The decoders by coding, the best one first. */
const decoders = (): ReadonlyMap<string, Decoder> => {
  const createZstdDecompress = zstd()
  return new Map([
    ...(createZstdDecompress === undefined ? [] : [["zstd", () => createZstdDecompress()] as const]),
    ["gzip", () => createGunzip()] as const,
  ])
}

/** The names of the codings, the best one first. */
export const names = (): ReadonlyArray<string> => [...decoders().keys()]

/** The decoder for the body behind these headers; undefined if it stays as it is. */
export const decoderFor = (headers: ReadonlyArray<Header>): Decoder | undefined =>
  decoders().get(headers.find(({ name }) => name === "content-encoding")?.value ?? "")

/** The headers that are true of a decoded body. */
export const ofDecoded = (headers: ReadonlyArray<Header>): ReadonlyArray<Header> =>
  headers.filter(({ name }) => name !== "content-encoding" && name !== "content-length")
