/**
 * The answer to `initialize` of a server on stdio, from one start to the next: the program keeps it, `Early` gives it
 * at the next start, and the program compares that one with its own before it handles another request.
 *
 * An answer that is no longer true ends the server before it serves anything: a client must not use a capability that
 * is not there. From then on starts of that key ask the program.
 */
import { readFileSync } from "node:fs"
import { dirname } from "node:path"
import process from "node:process"
import * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import type { Listener, Terms } from "../../../core/transport/Listener.ts"
import type { Outgoing, Transport } from "../../../core/transport/Transport.ts"
import * as Folders from "../host/Folders.ts"
import * as WorkingDirectory from "../host/WorkingDirectory.ts"
import * as StdioTransport from "../transport/StdioTransport.ts"
import { type Answered, attempt, type Early, type Kept, parse, type Parts, partsOf } from "./Early.ts"

/** The most answers in the file: for other flags, variables and users. The oldest one goes. */
const most = 8

/** A server that has been up for this time writes its answer, one that ends earlier at its end, in milliseconds. */
const writtenAfterMillis = 1000

/** Serves the connection of stdin and stdout behind its start. */
export const layer = (terms: Terms, early: Early): Layer.Layer<Listener> =>
  StdioTransport.layerOf(
    Effect.gen(function* () {
      const { first, stdin } = early
      const { bytes, answered } = first === undefined ? {} : yield* Effect.promise(() => first)
      const open = () => stdin ?? StdioTransport.openInput()
      const transport = yield* StdioTransport.make({ ...terms, ...(bytes && { before: bytes }) }, open)
      return around(transport, early, answered)
    }),
  )

/** A transport whose first message is an answer: it is kept for the next start, or compared with what has left. */
const around = (transport: Transport, early: Early, answered: Answered | undefined): Transport => {
  const first = (message: Outgoing): boolean => {
    const text = typeof message === "string" ? message : new TextDecoder().decode(message)
    write = transport.write
    if (answered === undefined) {
      if (early.keeps === true) keepSoon(early, text)
      return write(message)
    }
    if (answered.message !== text) return changed(early)
    const {
      message: { length },
      sent,
    } = answered
    // The transport ends the message with a newline of its own.
    return sent > length ? true : write(text.slice(sent))
  }
  let write = first
  return { ...transport, write: (message) => write(message) }
}

const changed = (early: Early): never => {
  keep(early, undefined)
  process.stderr.write(
    "procwire: this host has changed since the last start of this server, whose answer to initialize was given once " +
      "more and is no longer true; start it again\n",
  )
  process.exit(1)
}

const keepSoon = (early: Early, text: string): void => {
  const write = () => keep(early, partsOf(text, WorkingDirectory.current()))
  process.once("exit", write)
  setTimeout(() => {
    process.off("exit", write)
    write()
  }, writtenAfterMillis).unref()
}

/** Puts an answer into the file, in place of none for this key; in vain if the user may not write it. */
const keep = ({ key, file }: Early, parts: Parts | undefined): void => {
  try {
    const kept = readKept(file)
    if (parts !== undefined && kept.some((one) => one.key === key)) return
    const all: ReadonlyArray<Kept> = [{ key, parts }, ...kept.filter((one) => one.key !== key)]
    Folders.make(dirname(file), 0o700)
    Folders.replaceFile(file, Buffer.from(JSON.stringify(all.slice(0, most))))
  } catch {
    // The next start asks the program.
  }
}

const readKept = (file: string): ReadonlyArray<Kept> => parse(attempt(() => readFileSync(file, "utf8")))
