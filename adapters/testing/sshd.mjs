// @ts-check
/**
 * A program for tests: the real sshd on a port of the loopback, for the user that runs it, with keys and configuration
 * of its own. Prints `127.0.0.1:PORT,config=FILE`: where it is, and a configuration for `ssh` that knows the keys.
 * Arguments are lines for its configuration, which come first. Ends with SIGTERM, or when its input does.
 */
import { execFileSync, spawn } from "node:child_process"
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { createServer } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import process from "node:process"

const folder = mkdtempSync(join(tmpdir(), "procwire-sshd-"))
const path = (/** @type {string} */ name) => join(folder, name)
for (const name of ["host", "user"])
  execFileSync("ssh-keygen", ["-q", "-t", "ed25519", "-N", "", "-C", "test", "-f", path(name)])
writeFileSync(path("authorized_keys"), readFileSync(path("user.pub")))
if (process.getuid?.() === 0 && !existsSync("/run/sshd")) mkdirSync("/run/sshd", { mode: 0o755 })

/** A free port. */
const freePort = () =>
  new Promise((/** @type {(port: number) => void} */ resolve) => {
    const server = createServer().listen(0, "127.0.0.1", () => {
      const address = server.address()
      server.close(() => resolve(typeof address === "object" && address !== null ? address.port : 0))
    })
  })

/** Another one may take the port meanwhile: then the server ends, and the next port is tried. */
const start = async () => {
  for (;;) {
    const port = await freePort()
    const config = {
      AuthorizedKeysFile: path("authorized_keys"),
      HostKey: path("host"),
      ListenAddress: `127.0.0.1:${port}`,
      MaxSessions: 1_000,
      PidFile: "none",
      // The files of the user's shell are not a matter of the test.
      SetEnv: `HOME=${folder}`,
      StrictModes: "no",
      UsePAM: "no",
    }
    const lines = Object.entries(config).map((pair) => pair.join(" "))
    writeFileSync(path("sshd_config"), `${[...process.argv.slice(2), ...lines].join("\n")}\n`)
    const server = spawn("/usr/sbin/sshd", ["-D", "-e", "-f", path("sshd_config")], {
      stdio: ["ignore", "ignore", "pipe"],
    })
    const said = await new Promise((/** @type {(said: string) => void} */ resolve) => {
      let text = ""
      server.stderr.setEncoding("utf8").on("data", (/** @type {string} */ part) => {
        text += part
        if (text.includes("Server listening")) resolve("")
      })
      server.once("close", () => resolve(text))
    })
    if (said === "") return { port, server }
    if (!said.includes("Address already in use")) throw new Error(said)
  }
}

const { port, server } = await start()
writeFileSync(path("known_hosts"), `procwire-test ${readFileSync(path("host.pub"), "utf8")}`)
const settings = {
  GlobalKnownHostsFile: "/dev/null",
  // On whatever port, as there may be a proxy in front.
  HostKeyAlias: "procwire-test",
  IdentitiesOnly: "yes",
  IdentityAgent: "none",
  IdentityFile: path("user"),
  StrictHostKeyChecking: "yes",
  User: execFileSync("id", ["-un"], { encoding: "utf8" }).trim(),
  UserKnownHostsFile: path("known_hosts"),
}
writeFileSync(
  path("ssh_config"),
  Object.entries(settings)
    .map((pair) => `${pair.join(" ")}\n`)
    .join(""),
)
process.stdout.write(`127.0.0.1:${port},config=${path("ssh_config")}\n`)
const end = () => {
  server.kill()
  rmSync(folder, { recursive: true, force: true })
  process.exit()
}
process.once("SIGTERM", end)
process.stdin.resume().once("end", end)
