/**
 * The content codings that this runtime decodes: gzip everywhere, and zstd where `node:zlib` has it (not on Node before
 * 22.15).
 *
 * As in the peer a body is decoded if the first `content-encoding` is the name of one coding as it is here, in lower case
 * and alone. Bytes behind a gzip are ignored, unless they are another gzip, which is decoded, too.
 */
import type { Transform } from "node:stream"
import * as Zlib from "node:zlib"
import type { Header } from "../../../core/http/HttpClient.ts"

/** Makes a decoder for one body. */
export type Decoder = () => Transform

/** Absent from the types of Node 20, too. */
const { createZstdDecompress } = Zlib as { readonly createZstdDecompress?: Decoder }

const decoders: ReadonlyMap<string, Decoder> = new Map([
  ...(createZstdDecompress === undefined ? [] : [["zstd", () => createZstdDecompress()] as const]),
  ["gzip", () => Zlib.createGunzip()] as const,
])

/** The names of the codings, the best one first. */
export const names: ReadonlyArray<string> = [...decoders.keys()]

/** The decoder for the body behind these headers; undefined if it stays as it is. */
export const decoderFor = (headers: ReadonlyArray<Header>): Decoder | undefined =>
  decoders.get(headers.find(({ name }) => name === "content-encoding")?.value ?? "")

/** The headers that are true of a decoded body. */
export const ofDecoded = (headers: ReadonlyArray<Header>): ReadonlyArray<Header> =>
  headers.filter(({ name }) => name !== "content-encoding" && name !== "content-length")
