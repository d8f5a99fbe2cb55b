// @ts-check
// Commands and patches under the client's restricted sandbox modes.
import assert from "node:assert/strict"
import { existsSync, readFileSync, writeFileSync } from "node:fs"
import * as http from "node:http"
import { createServer } from "node:net"
import { once } from "node:events"
import { join } from "node:path"
import { patch } from "./files.mjs"
import { urlOf } from "../model.mjs"

/** @type {Record<string, import("./index.mjs").Scenario>} */
export const scenarios = {
  "sandbox-workspace-write": {
    confines: true,
    says: "In workspace-write a command writes in its folder and nowhere else, and has no network.",
    run: async (t) => {
      const outside = join(t.home, "outside")
      const listener = createServer((socket) => socket.end("reached\n")).listen(0, "127.0.0.1")
      await once(listener, "listening")
      const { port } = new URL(urlOf(listener))
      try {
        await t.begin({ sandbox: "workspace-write" })
        const inside = await t.exec("echo kept > inside && cat inside")
        assert.equal(inside.output, "kept\n")
        assert.equal(readFileSync(join(t.folder, "inside"), "utf8"), "kept\n")
        const refused = await t.exec(`echo leaked > '${outside}'`)
        assert.notEqual(refused.code, 0)
        assert.match(refused.output, /Read-only file system|Permission denied/)
        assert.equal(existsSync(outside), false)
        const asked = await t.exec(`cat < /dev/tcp/127.0.0.1/${port}`)
        assert.notEqual(asked.code, 0)
        assert.ok(!asked.output.includes("reached"), asked.output)
      } finally {
        listener.close()
      }
    },
  },

  "sandbox-read-only": {
    confines: true,
    says: "In read-only a command reads, and writes nothing; a terminal works there, too.",
    run: async (t) => {
      writeFileSync(join(t.folder, "file"), "readable\n")
      await t.begin({ sandbox: "read-only" })
      assert.equal((await t.exec("cat file")).output, "readable\n")
      const refused = await t.exec("echo changed > file")
      assert.notEqual(refused.code, 0)
      assert.equal(readFileSync(join(t.folder, "file"), "utf8"), "readable\n")
      const shell = await t.exec('read -r line; echo "got $line"; touch made; exit 3', {
        tty: true,
        yield_time_ms: 800,
      })
      assert.ok(shell.session > 0, shell.text)
      const last = await t.stdin(shell.session, "typed\n", { yield_time_ms: 10_000 })
      assert.match(last.output, /got typed\r\n/)
      assert.equal(last.code, 3)
      assert.equal(existsSync(join(t.folder, "made")), false)
    },
  },

  "sandbox-patch": {
    confines: true,
    says: "A patch in workspace-write changes files inside; one of a file outside is refused.",
    run: async (t) => {
      const outside = join(t.home, "outside")
      writeFileSync(join(t.folder, "file"), "one\n")
      writeFileSync(outside, "one\n")
      await t.begin({ sandbox: "workspace-write" })
      const text = await t.call(
        "apply_patch",
        patch("*** Update File: file", "@@", "-one", "+two", "*** Add File: deep/er/new", "+new"),
      )
      assert.match(text, /Success/)
      assert.equal(readFileSync(join(t.folder, "file"), "utf8"), "two\n")
      assert.equal(readFileSync(join(t.folder, "deep/er/new"), "utf8"), "new\n")
      const refused = await t.call("apply_patch", patch(`*** Update File: ${outside}`, "@@", "-one", "+two"))
      assert.ok(!refused.includes("Success"), refused)
      assert.equal(readFileSync(outside, "utf8"), "one\n")
    },
  },

  "sandbox-network-rules": {
    confines: true,
    ours: true,
    flags: ["--confine", "no-network", "--egress", "allow:127.0.0.1,ask:x.example.org"],
    says: `A server with rules for hosts: a command reaches those that are allowed, is denied the others in words, and
      ends; also with the client's own network proxy, whose domains hold beside the rules.`,
    run: async (t) => {
      const origin = http.createServer((_, response) => response.end("reached\n")).listen(0, "127.0.0.1")
      await once(origin, "listening")
      const { port } = new URL(urlOf(origin))
      const get = (/** @type {string} */ host) =>
        t.exec(`curl -sS --noproxy '' http://${host}/; echo "end $?"`)
      const settings = ["enabled=true", 'domains={"127.0.0.1"="allow"}', "allow_local_binding=true"]
      const own = settings.flatMap((one) => ["-c", `features.network_proxy.${one}`])
      try {
        for (const more of [[], own]) {
          const args = ["-c", "sandbox_workspace_write.network_access=true", ...more]
          await t.begin({ sandbox: "workspace-write", args })
          const active = await t.exec("echo ${CODEX_NETWORK_PROXY_ACTIVE:-none}")
          assert.equal(active.output, more === own ? "1\n" : "none\n")
          assert.equal((await get(`127.0.0.1:${port}`)).output, "reached\nend 0\n")
          for (const host of ["x.example.org", "y.example.org"]) {
            const { output } = await get(host)
            assert.match(output, new RegExp(`^${host}:80 is blocked: .*\\nend 0\\n$`))
          }
          if (more !== own) await t.done()
        }
      } finally {
        origin.close()
      }
    },
  },
}
