/** The error of `connect` to a server that ends at once, or takes no more connections. */
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, describe, expect, it } from "vitest"
import { platform } from "../../testing/Runtime.ts"
import * as Program from "../Program.ts"

const { connect, serve } = Program.make(platform)
const folder = mkdtempSync(join(tmpdir(), "procwire-connect-"))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const sh = (script: string, stderr: "ignore" | (() => void) = () => {}) =>
  connect({ command: "sh", args: ["-c", script], stderr })

describe("a command that ends instead of serving", () => {
  it.each([
    ["exit 3", "the command has exited with code 3"],
    ["echo oops >&2; exit 3", "the command has exited with code 3: oops"],
    ["echo no key >&2; exit 0", "the command has exited with code 0: no key"],
    ["echo one >&2; echo two >&2; exit 255", "the command has exited with code 255: \none\ntwo"],
    ["echo oops >&2; kill -9 $$", "SIGKILL has ended the command: oops"],
    ["seq 1 20 >&2; exit 1", "the command has exited with code 1: \n11\n12\n13\n14\n15\n16\n17\n18\n19\n20"],
    ["read line; sleep 60 >/dev/null & echo oops >&2; exit 4", "the command has exited with code 4: oops"],
  ])("is told with its code and the end of its stderr: %s", async (script, why) => {
    await expect(sh(script)).rejects.toMatchObject({
      reason: "Disconnected",
      message: `exec-server transport disconnected: ${why}`,
    })
  })

  it("has no words where stderr is ignored", async () => {
    await expect(sh("echo oops >&2; exit 3", "ignore")).rejects.toThrow(/exited with code 3$/)
  })
})

describe("a connection over the limit", () => {
  it.each(["ws://127.0.0.1:0", `unix:${join(folder, "s")}`, "tcp://127.0.0.1:0"])(
    "is refused with the words of the server: %s",
    async (listen) => {
      const server = await serve({ listen, limits: { connections: 1 } })
      const url = server.addresses[0] ?? ""
      const first = await connect({ url })
      await expect(connect({ url })).rejects.toThrow(/too many connections: limit is 1/)
      await expect(connect({ url })).rejects.not.toThrow(/no WebSocket is there/)
      await first.close()
      await server.close()
    },
  )
})
