// @ts-check
// The inside of the load of the stress `egress`: the proxy in a process of its own, as a server has it, that takes
// connections on a port of the loopback and prints it. It ends with its stdin.
import { createServer } from "node:net"
import { allowing } from "./proxies.mjs"

const [, , target = "", most = "1024"] = process.argv
const { proxy } = await allowing([`allow:${target}`], { mostConnections: Number(most) })
const server = createServer({ allowHalfOpen: true }, proxy.accept).listen(0, "127.0.0.1", 4096, () => {
  const address = server.address()
  if (address !== null && typeof address === "object") process.stdout.write(`${address.port}\n`)
})
process.stdin.on("end", () => process.exit()).resume()
