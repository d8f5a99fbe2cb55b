/** Tests SharedSockets.ts on the sockets of this process. */
import { once } from "node:events"
import { type AddressInfo, createServer } from "node:net"
import process from "node:process"
import { expect, it, onTestFinished } from "vitest"
import { platform } from "../../testing/Runtime.ts"
import type { Ffi } from "../process/posix/Ffi.ts"
import * as ForeignDescriptors from "../process/posix/ForeignDescriptors.ts"
import * as SharedSockets from "./SharedSockets.ts"

const EBADF = 9
const PIDFD_GETFD = 438

it.runIf(process.platform === "linux")(
  "copies a listening socket although others end meanwhile",
  async () => {
    const server = createServer().listen(0, "127.0.0.1")
    await once(server, "listening")
    onTestFinished(() => void server.close())
    const { port } = server.address() as AddressInfo
    // The first descriptor that is copied has been closed since it was found.
    const other = createServer().listen(0, "127.0.0.1")
    await once(other, "listening")
    onTestFinished(() => void other.close())
    const ffi = platform.openFfi()
    let copies = 0
    let gone = false
    const busy: Ffi = {
      bind: (name, parameters, result) => {
        const call = ffi.bind(name, parameters, result)
        if (name !== "syscall") return call
        return (...args) => {
          gone = args[0] === PIDFD_GETFD && (copies += 1) === 1
          return gone ? -1 : call(...args)
        }
      },
      errno: () => (gone ? EBADF : ffi.errno()),
    }
    const addresses = [port, (other.address() as AddressInfo).port].map((each) => ({
      host: "127.0.0.1",
      port: each,
    }))
    const found = SharedSockets.copy(() => busy, process.pid, addresses)
    // Deno's node:fs closes the descriptors alone that it has opened.
    const { close } = ForeignDescriptors.make(ffi)
    for (const fd of found) if (fd !== undefined) close(fd)
    expect(copies).toBeGreaterThan(1)
    expect(found.filter((fd) => fd !== undefined)).not.toEqual([])
  },
)
