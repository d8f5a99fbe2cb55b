/** The start of the command on Node: stdin is a socket, which the program goes on with. */
import * as fs from "node:fs"
import process from "node:process"
import type { Readable } from "node:stream"
import * as PipeReader from "../transport/PipeReader.ts"
import * as Early from "./Early.ts"
import * as Usual from "./Usual.ts"

/** Loads the program with `load`, perhaps behind the answer to `initialize`; `program` is its hash. */
export const begin = (program: string, load: (early: Early.Early | undefined) => void): void => {
  let stdin: Readable | undefined
  const open = () => (stdin ??= PipeReader.open(0))
  if (!PipeReader.isPossible(0)) return load(undefined)
  Early.begin(
    {
      ...Usual.make(),
      program,
      name: `node-${process.version}`,
      uuid: () =>
        Early.attempt(() => fs.readFileSync("/proc/sys/kernel/random/uuid", "latin1").trim()) ??
        crypto.randomUUID(),
      input: () => next(open()),
    },
    (early) => load(early && { ...early, ...(stdin && { stdin }) }),
  )
}

/** The next bytes, after which the stream pauses. */
const next = (stdin: Readable): Promise<Uint8Array | undefined> =>
  new Promise((resolve) => {
    const end = (chunk?: Uint8Array) => {
      stdin.off("data", data).off("end", ended).off("error", ended).pause()
      resolve(chunk)
    }
    // The socket reads into the same memory again.
    const data = (chunk: Uint8Array) => end(Uint8Array.from(chunk))
    const ended = () => end()
    stdin.on("data", data).on("end", ended).on("error", ended).resume()
  })
