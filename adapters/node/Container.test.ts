/**
 * `adapters/container/Containerfile`: built and run by podman, on a base image that is made of what this machine has
 * (Node, its libraries and busybox), so that nothing is fetched. Skipped where podman cannot run containers.
 */
import { execFile, execFileSync, spawn, spawnSync } from "node:child_process"
import { once } from "node:events"
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs"
import { type AddressInfo, createServer } from "node:net"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import process from "node:process"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import * as SearchPath from "../shared/host/SearchPath.ts"
import * as TestChild from "../shared/testing/TestChild.ts"

const root = fileURLToPath(new URL("../..", import.meta.url))
const scratch = mkdtempSync(join(tmpdir(), "procwire-container-"))

/** Images and containers of this test alone, without services of the host. */
const storage = [
  `--root=${join(scratch, "storage")}`,
  `--runroot=${join(scratch, "run")}`,
  "--storage-driver=vfs",
  "--cgroup-manager=cgroupfs",
  "--events-backend=file",
]
/** Limits that this process may set. */
const bounds = ["--ulimit", "nofile=1024:1024", "--ulimit", "nproc=1024:1024"]
/** No network beside the container's own. */
const runFlags = ["--network", "none", ...bounds]

const attempt = (program: string, args: ReadonlyArray<string>) =>
  spawnSync(program, args, { cwd: root, encoding: "utf8", maxBuffer: 1 << 26, timeout: 240_000 })

const freePort = async (): Promise<number> => {
  const server = createServer().listen(0, "127.0.0.1")
  await once(server, "listening")
  const { port } = server.address() as AddressInfo
  server.close()
  return port
}

const find = (program: string) => SearchPath.find(program, process.env["PATH"], existsSync)

/** A root file system: busybox as the shell and its tools, and Node with its libraries. */
const makeRootfs = (busybox: string): string => {
  const rootfs = join(scratch, "rootfs")
  const put = (file: string, place = file) => {
    mkdirSync(dirname(join(rootfs, place)), { recursive: true })
    cpSync(file, join(rootfs, place), { dereference: true })
  }
  put(busybox, "/bin/busybox")
  for (const name of ["sh", "id", "mkdir", "chown", "chmod", "ln", "sleep", "ps", "true"]) {
    symlinkSync("busybox", join(rootfs, "bin", name))
  }
  put(process.execPath, "/usr/bin/node")
  symlinkSync("/bin/busybox", join(rootfs, "usr/bin/env"))
  const libraries = attempt("ldd", [process.execPath, busybox]).stdout.match(/\/\S+/g) ?? []
  for (const library of libraries) if (existsSync(library)) put(library)
  mkdirSync(join(rootfs, "tmp"), { mode: 0o1777 })
  return rootfs
}

/** The command of podman that runs containers here, or why there is none. */
const findPodman = (): { readonly command: ReadonlyArray<string>; readonly missing?: string } => {
  const none = (missing: string) => ({ command: [], missing: `no container: ${missing}` })
  const [podman, busybox] = [find("podman"), find("busybox")]
  if (podman === undefined) return none("podman is not installed (Debian: apt-get install podman runc)")
  if (busybox === undefined) return none("busybox is not installed (Debian: apt-get install busybox-static)")
  const archive = join(scratch, "base.tar")
  execFileSync("tar", ["-C", makeRootfs(busybox), "-cf", archive, "."])
  const imported = attempt(podman, [...storage, "import", "--quiet", archive, "localhost/base"])
  if (imported.status !== 0) return none(imported.stderr.trim().split("\n").at(-1) ?? "")
  let why = ""
  for (const runtime of [[], ["--runtime", "runc"]]) {
    const command = [podman, ...runtime, ...storage]
    const tried = attempt(podman, [...command.slice(1), "run", "--rm", ...runFlags, "localhost/base", "true"])
    if (tried.status === 0) return { command }
    why = tried.stderr.trim().split("\n").at(-1) ?? ""
  }
  return none(why)
}

const { command, missing } =
  process.platform === "linux" ? findPodman() : { command: [], missing: "no Linux" }

const podman = async (...args: ReadonlyArray<string>): Promise<string> => {
  const [program = "", ...flags] = command
  const { stdout } = await promisify(execFile)(program, [...flags, ...args], {
    cwd: root,
    maxBuffer: 1 << 26,
  })
  return stdout.trim()
}

afterAll(() => {
  const [program = "", ...flags] = command
  if (program !== "") attempt(program, [...flags, "rm", "--all", "--force", "--time", "0"])
  rmSync(scratch, { recursive: true, force: true })
})

/** The image of this clone. */
beforeAll(async () => {
  if (missing !== undefined) return
  const how = ["--quiet", "--format", "docker", "--isolation", "chroot", "--layers=false"]
  const what = ["--build-arg", "BASE=localhost/base", "-f", "adapters/container/Containerfile"]
  await podman("build", ...how, ...what, "-t", "localhost/procwire", ".")
})

describe("the container image", () => {
  it("is healthy, runs commands as a user without rights, and gives them time to end", async (test) => {
    test.skip(missing !== undefined, missing)

    const out = join(scratch, "out")
    mkdirSync(out)
    execFileSync("chmod", ["0777", out])
    writeFileSync(join(scratch, "token"), "a token\n")
    const mounts = ["-v", `${scratch}/token:/run/secrets/procwire-token:ro`, "-v", `${out}:/out`]
    const container = await podman("run", "-d", ...runFlags, ...mounts, "localhost/procwire")
    const isHealthy = async () =>
      podman("healthcheck", "run", container).then(
        () => true,
        () => false,
      )
    while (!(await isHealthy()));

    const server = ["--server", "ws://127.0.0.1:7000"]
    const client = ["exec", "-e", "PROCWIRE_TOKEN=a token", container, "procwire", "run", ...server, "--"]
    expect(await podman(...client, "sh", "-c", "id -u; echo $HOME")).toBe("1000\n/workspace")
    await expect(podman("exec", container, "procwire", "run", ...server, "--", "id")).rejects.toThrow("401")
    // An orphan is reaped by the first process, which is the server.
    await podman(...client, "sh", "-c", "(sleep 0.01 & exec sleep 0.02) & exec true")
    const zombies = async () =>
      (await podman("exec", container, "ps", "-o", "pid,stat,comm")).match(/ Z/g)?.length ?? 0
    while ((await zombies()) > 0);

    const trap = "trap 'echo ended >/out/end; exit' TERM; echo up >/out/up; while :; do sleep 0.1; done"
    const running = podman(...client, "sh", "-c", trap).catch(() => "")
    await TestChild.until(() => existsSync(join(out, "up")), "the command runs")
    const pid = await podman("inspect", container, "--format", "{{.State.Pid}}")
    await podman("stop", container)
    await running
    expect(readFileSync(join(out, "end"), "utf8")).toBe("ended\n")
    expect(await podman("inspect", container, "--format", "{{.State.ExitCode}} {{.State.Running}}")).toBe(
      "0 false",
    )
    expect(existsSync(`/proc/${pid}`)).toBe(false)
  })

  it("is a host of a fleet by the command of its README", async (test) => {
    test.skip(missing !== undefined, missing)
    const token = join(scratch, "hosts.token")
    writeFileSync(token, "for hosts\n")
    const port = await freePort()
    const [server, url] = [join(root, "dist/procwire.cjs"), `ws://127.0.0.1:${port}`]
    const router = [server, "router", "--directory", "memory:", "--listen", url, "--host-token-file", token]
    const running = spawn(process.execPath, router, { stdio: "ignore" })
    try {
      const readme = readFileSync(join(root, "adapters/shared/fleet/README.md"), "utf8")
      const [, line = ""] = /^podman (run .*\\\n.*)$/m.exec(readme) ?? []
      const own: Readonly<Record<string, string>> = {
        IMAGE: "localhost/procwire",
        "./hosts.token:/hosts.token:ro": `${token}:/hosts.token:ro`,
        "wss://r1.internal:7100": url,
      }
      const [run = "", ...words] = line.split(/[\s\\]+/).map((word) => own[word] ?? word)
      expect(words).toEqual(expect.arrayContaining(Object.values(own)))
      // The network is that of this machine, where the router is.
      const host = await podman(run, ...bounds, "--network=host", ...words)
      const isUp = async () => {
        const answer = await fetch(`http://127.0.0.1:${port}/healthz`)
        return ((await answer.json()) as { hosts: number }).hosts === 1
      }
      const deadline = Date.now() + 60_000
      while (!(await isUp().catch(() => false))) expect(Date.now()).toBeLessThan(deadline)
      const client = [server, "run", "--server", url, "--", "sh", "-c", "id -u; echo $HOME"]
      const { stdout } = await promisify(execFile)(process.execPath, client)
      expect(stdout).toBe("1000\n/workspace\n")
      await podman("stop", host)
      expect(await podman("inspect", host, "--format", "{{.State.ExitCode}}")).toBe("0")
    } finally {
      running.kill("SIGKILL")
    }
  })
})
