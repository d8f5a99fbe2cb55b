/** cli/: `--host`, `procwire hosts`, and `ps` and `logs` over several hosts, one of them behind the real sshd. */
import { writeFileSync } from "node:fs"
import { createServer } from "node:net"
import { describe, expect, it, onTestFinished } from "vitest"
import { name as runtime, unboundCommand } from "../../testing/Runtime.ts"
import * as SshServer from "../../testing/SshServer.ts"
import * as Program from "../testing/Program.ts"

const ok = (stdout: string) => ({ code: 0, stdout, stderr: "" })

/** A server that takes connections and says nothing; its address. */
const mute = async (): Promise<string> => {
  const server = createServer(() => {})
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  onTestFinished(() => void server.close())
  const address = server.address()
  return `tcp://127.0.0.1:${typeof address === "object" && address !== null ? address.port : 0}`
}

const run = (name: string, script: string) => ["run", "-d", "--name", name, "--", "sh", "-c", script]

// Each of so many commands is a program that starts; what differs between runtimes is played elsewhere.
const onNode = runtime === "Node"

describe.runIf(onNode)("several hosts", () => {
  it("are shown side by side, and one that does not answer is a line", async () => {
    const [here, there] = [Program.make(), Program.make()]
    const url = (await there.call("up")).stdout.trim()
    await here.call("context", "add", "there", url)
    await here.call("context", "add", "mute", await mute())
    expect(await here.call(...run("web", "echo one; echo half >&2; printf two"))).toEqual(ok("web\n"))
    expect(await here.call("run", "--host", "there", ...run("web", "echo three").slice(1))).toEqual(
      ok("web\n"),
    )
    for (const host of ["own", "there"])
      expect(await here.call("wait", "--host", host, "web", "--for", "closed")).toEqual(ok("closed\n"))
    expect(await here.call("ps", "-aq", "--host", "there", "--host", "own")).toEqual(
      ok("there\tweb\nown\tweb\n"),
    )
    expect((await here.call("ps", "-a", "--host", "own", "--host", "there")).stdout).toMatch(
      /^HOST +NAME .*\nown +web +exited 0 .*\nthere +web +exited 0 .*\n$/,
    )
    const silent = "procwire: mute: it has not answered within 8 s\n"
    const listed = await here.call("ps", "-a", "--json", "--all-hosts", "--timeout", "8s")
    const hosts = listed.stdout
      .trim()
      .split("\n")
      .map((line) => (JSON.parse(line) as { host: string }).host)
    expect({ ...listed, stdout: hosts }).toEqual({ code: 1, stdout: ["own", "there"], stderr: silent })
    const { code, stderr, stdout } = await here.call("logs", "web", "--all-hosts", "--timeout", "8s")
    expect(stdout.trim().split("\n").sort()).toEqual(["own   | one", "own   | two", "there | three"])
    expect({ code, stderr }).toEqual({ code: 1, stderr: `${silent}own   | half\n` })
  })

  it("without the process are told by those who name them, and are no fault of all hosts", async () => {
    const [here, there] = [Program.make(), Program.make()]
    const url = (await there.call("up")).stdout.trim()
    await here.call("context", "add", "there", url)
    await there.call(...run("web", "echo three"))
    await there.call("wait", "web", "--for", "closed")
    expect(await here.call("logs", "web", "--all-hosts")).toEqual(ok("there | three\n"))
    expect(await here.call("logs", "web", "--host", "own", "--host", "there")).toEqual({
      code: 1,
      stdout: "there | three\n",
      stderr: "procwire: own: no process is called web\n",
    })
    expect((await here.call("logs", "wbe", "--all-hosts")).code).toBe(1)
  })

  it("are refused where they cannot be, with what was meant", async () => {
    const { call, folder } = Program.make({ PROCWIRE_SSH_CONFIG: "ssh_config" })
    writeFileSync(folder.at("ssh_config"), "Include more_*\nHost build *.example !x\n")
    const refusal = async (...args: ReadonlyArray<string>) => {
      const { code, stderr } = await call(...args)
      return [code, stderr.split("\n")[0]]
    }
    const unknown = "it is no context and no host of the configuration of ssh; did you mean 'build'?"
    expect(await refusal("ps", "--host", "biuld")).toEqual([
      2,
      `procwire: invalid value 'biuld' for '--host': ${unknown}`,
    ])
    expect(await refusal("kill", "--host", "own", "--server", "own", "x")).toEqual([
      2,
      "procwire: --server and --host exclude each other",
    ])
    expect(await refusal("ps", "--host", "own", "--all-hosts")).toEqual([
      2,
      "procwire: --all-hosts and --host exclude each other",
    ])
    expect(await refusal("ps", "--timeout", "1s")).toEqual([
      2,
      "procwire: --timeout needs several --host, or --all-hosts",
    ])
    expect(await call("hosts", "-q")).toEqual(ok("own\nbuild\n"))
    expect((await call("complete", "--", "ps", "--host", "bu")).stdout).toBe("words\nbuild\tssh://build\n")
  })
})

describe.runIf(onNode && SshServer.lack === undefined)(
  "a host of the configuration of ssh",
  { tags: ["sshd"] },
  () => {
    it("is one of the hosts, with what it can do, and takes every command", async () => {
      const [here, there] = [Program.make({ PROCWIRE_SSH_CONFIG: "ssh_config" }), Program.make()]
      there.folder.sh("mkdir bin")
      const words = unboundCommand.map((word) => `'${word}'`).join(" ")
      writeFileSync(there.folder.at("bin/procwire"), `#!/bin/sh\nexec ${words} "$@"\n`, { mode: 0o755 })
      const remote = {
        PATH: `${there.folder.at("bin")}:/usr/bin:/bin`,
        XDG_RUNTIME_DIR: there.folder.at("run"),
      }
      const variables = Object.entries(remote).map((pair) => pair.join("="))
      const sshd = await SshServer.start(`SetEnv ${variables.join(" ")} HOME=${there.folder.path}`)
      onTestFinished(sshd.close)
      const [, port = ""] = /:(\d+),/.exec(sshd.address) ?? []
      writeFileSync(
        here.folder.at("ssh_config"),
        `Host far\n  HostName 127.0.0.1\n  Port ${port}\nHost *\nInclude ${sshd.config}\n` +
          "Host nowhere\n  HostName 127.0.0.1\n  Port 1\n",
      )
      const { stdout } = await here.call("hosts", "--json")
      const found = stdout
        .trim()
        .split("\n")
        .map((line) => JSON.parse(line) as Record<string, unknown>)
      expect(found).toMatchObject([
        { host: "own", reachable: false, state: "not running" },
        { host: "far", reachable: true, os: "linux", pty: true, runtime: expect.any(String) as string },
        { host: "nowhere", reachable: false, error: expect.stringContaining("Connection refused") as string },
      ])
      expect(found[1]?.["sandbox"]).toBeTypeOf("boolean")
      expect((await here.call("hosts", "nowhere")).code).toBe(1)
      expect((await here.call("run", "--host", "far", "--", "sh", "-c", "echo $HOME")).stdout).toBe(
        `${there.folder.path}\n`,
      )
      await here.call("run", "--host", "far", ...run("web", "exec sleep 600").slice(1))
      expect(await here.call("ps", "-q", "--host", "far")).toEqual(ok("web\n"))
      expect(await here.call("kill", "--host", "far", "web")).toEqual(ok(""))
      expect(await here.call("wait", "--host", "far", "web")).toEqual(ok("143\n"))
      here.folder.sh("head -c 3000001 /dev/urandom >a; mkdir -p d/e; cp a d/e")
      expect(await here.call("cp", "a", "far:~/copied")).toEqual(ok(""))
      expect(await here.call("cp", "d", "far:~")).toEqual(ok(""))
      expect(await here.call("cp", "far:~/d", "back")).toEqual(ok(""))
      here.folder.sh(
        `cmp a '${there.folder.at("copied")}'; diff -r d '${there.folder.at("d")}'; diff -r d back`,
      )
    })
  },
)
