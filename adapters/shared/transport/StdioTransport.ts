/**
 * The server's side over fd 0 and fd 1. Nothing but the wire leaves on stdout.
 *
 * It never blocks the process. On Deno `process.stdout` blocks when the reader of a pipe stops, so on Node and Deno
 * pipes and sockets are opened as a `net.Socket`. On Bun it is the other way round: a `net.Socket` cannot use fd 0 and
 * fd 1 without blocking, `process.stdin` and `process.stdout` can. Files, terminals and devices go through
 * `process.stdin` and `process.stdout` everywhere.
 */
import * as net from "node:net"
import process from "node:process"
import type { Readable, Writable } from "node:stream"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"
import { cutter } from "../../../core/protocol/CutText.ts"
import * as ErrorText from "../../../core/protocol/ErrorText.ts"
import { MemoryPool } from "../../../core/protocol/MemoryPool.ts"
import { Listener, type Terms } from "../../../core/transport/Listener.ts"
import { type Transport, TransportError } from "../../../core/transport/Transport.ts"
import * as AcceptLoop from "./AcceptLoop.ts"
import * as LineTransport from "./LineTransport.ts"
import * as PipeReader from "./PipeReader.ts"

/** As error texts of the peer implementation name it. */
export const label = ErrorText.labelOf("stdio")

/** Takes over fd 0 and fd 1 until the scope closes. May be made once per process. */
export const make = (
  terms: Terms & Pick<LineTransport.Options, "halfOpen" | "before"> = {},
  input?: () => Readable,
): Effect.Effect<Transport, TransportError, Scope.Scope> =>
  Effect.try({
    try: () => ({
      label,
      peer: { transport: "stdio" },
      input: (input ?? openInput)(),
      output: openOutput(),
      cut: cutter(new MemoryPool()),
      ...terms,
    }),
    catch: (cause) => new TransportError({ reason: "Open", message: "cannot open stdin and stdout", cause }),
  }).pipe(Effect.flatMap(LineTransport.make))

/** Serves the one connection that stdin and stdout are; `run` ends with it. */
export const layer = (terms: Terms): Layer.Layer<Listener> => layerOf(make(terms))

/** The same of a transport. */
export const layerOf = (transport: ReturnType<typeof make>): Layer.Layer<Listener> =>
  Layer.succeed(Listener, {
    address: "stdio",
    stop: Effect.void,
    run: (serve) => AcceptLoop.serveOne(transport, serve),
  })

/** The same with the default limits. */
export const layerStdio: Layer.Layer<Listener> = layer({})

/** Opens fd 0. */
export const openInput = (): Readable => (PipeReader.isPossible(0) ? PipeReader.open(0) : process.stdin)

const openOutput = (): Writable =>
  PipeReader.isPossible(1) ? new net.Socket({ fd: 1, readable: false, writable: true }) : process.stdout
