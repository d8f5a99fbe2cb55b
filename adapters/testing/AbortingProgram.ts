/**
 * A program that starts a process with an AbortSignal on the server in its first argument: it prints `ready`, and
 * aborts on request. Its second argument is the argument of `sleep`.
 */
import * as Program from "../shared/Program.ts"
import { platform } from "./Runtime.ts"

const [url = "", seconds = ""] = process.argv.slice(2)
const client = await Program.make(platform).connect({ url }, { reconnect: false })
const controller = new AbortController()
await client.start({ argv: ["sleep", seconds], signal: controller.signal })
process.stdin.once("data", () => controller.abort())
process.stdout.write("ready\n")
