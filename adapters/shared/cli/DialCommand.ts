/** `procwire dial`: stdin and stdout as a connection to the server of one's own, which is what `ssh://HOST` runs there. */
import { connect } from "node:net"
import process from "node:process"
import * as Effect from "effect/Effect"
import type { Platform } from "../Platform.ts"
import * as Flags from "./Flags.ts"
import * as OwnServer from "./server/OwnServer.ts"
import { Unable } from "./server/Unable.ts"
import { help, type Spec } from "./table/Spec.ts"

const command = "procwire dial"

export const spec: Spec = {
  name: "dial",
  summary: "Connect stdin and stdout to your own server, which is started if it does not run",
  usage: "",
  flags: {},
  text: "A server at ssh://HOST is reached by this command on that host.",
  examples: ["ssh build-host procwire dial", 'procwire ps --server-cmd "ssh build-host procwire dial"'],
}

/** Copies both ways until either side ends. */
export const dial = (platform: Platform, args: ReadonlyArray<string>) =>
  Effect.gen(function* () {
    yield* Flags.parse(command, args, help)
    const { url } = yield* OwnServer.ensure(platform, process.env)
    yield* copy(url.slice("unix:".length))
  })

const copy = (path: string): Effect.Effect<void, Unable> =>
  Effect.async((resume) => {
    const socket = connect({ path })
    const end = () => resume(Effect.void)
    socket.on("error", ({ message }) => resume(new Unable({ message: `the connection broke: ${message}` })))
    socket.on("close", end)
    process.stdin.pipe(socket)
    socket.pipe(process.stdout)
    return Effect.sync(() => socket.destroy())
  })
