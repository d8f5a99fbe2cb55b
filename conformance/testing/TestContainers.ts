/**
 * podman with an image for tests, which is made of what this machine has (busybox and perl), and with images and
 * containers of its own. Nothing is fetched, and nothing is left after `close`.
 *
 * podman is configured by files that the environment of this process names, so whoever calls `podman` gets it. A link
 * named `docker` leads to it, because it has the command line of docker.
 */
import { spawnSync } from "node:child_process"
import { cpSync, existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { delimiter, dirname, join } from "node:path"

/** A runner of containers here, or why there is none. */
export interface TestContainers {
  /** The name of the image. */
  readonly image: string
  /** Why no container runs here, and what helps. */
  readonly missing: { readonly what: string; readonly remedy: string } | undefined
  /** Runs podman; its output, or an error with what it says. */
  readonly podman: (...args: ReadonlyArray<string>) => string
  readonly close: () => void
}

const image = "localhost/procwire-test"

/** Configurations in the order of trial: podman as it is, and some that need no limits and no cgroups. */
const configurations = [
  "",
  `[containers]
default_ulimits = ["nofile=1024:1024", "nproc=4096:4096"]
netns = "none"
[engine]
runtime = "runc"
cgroup_manager = "cgroupfs"
`,
]

const attempt = (program: string, args: ReadonlyArray<string>) => {
  const { error, status, stderr, stdout } = spawnSync(program, args, { encoding: "utf8", timeout: 240_000 })
  return { ok: status === 0, stdout: stdout ?? "", stderr: (stderr ?? String(error)).trim() }
}

const find = (name: string): string | undefined =>
  [...(process.env["PATH"] ?? "").split(delimiter), "/usr/sbin", "/sbin"]
    .map((folder) => join(folder, name))
    .find((path) => existsSync(path))

/** busybox as the shell and its tools, and perl with its libraries. */
const makeRootfs = (rootfs: string, busybox: string): void => {
  const put = (file: string, place = file) => {
    mkdirSync(dirname(join(rootfs, place)), { recursive: true })
    cpSync(file, join(rootfs, place), { dereference: true, recursive: true })
  }
  put(busybox, "/bin/busybox")
  for (const name of attempt(busybox, ["--list"]).stdout.split("\n")) {
    if (name !== "" && name !== "busybox") symlinkSync("busybox", join(rootfs, "bin", name))
  }
  const perl = find("perl")
  const libraries = [busybox, ...(perl === undefined ? [] : [perl])].flatMap(
    (program) => attempt("ldd", [program]).stdout.match(/\/\S+/g) ?? [],
  )
  for (const library of new Set(libraries)) if (existsSync(library)) put(library)
  if (perl !== undefined) put(perl, "/usr/bin/perl")
  mkdirSync(join(rootfs, "usr/bin"), { recursive: true })
  for (const name of ["env", "sh"]) symlinkSync("/bin/busybox", join(rootfs, "usr/bin", name))
  mkdirSync(join(rootfs, "tmp"), { mode: 0o1777 })
  mkdirSync(join(rootfs, "etc"))
  writeFileSync(join(rootfs, "etc/passwd"), "root:x:0:0:root:/:/bin/sh\n")
}

/** Makes the image and finds out how containers run here. */
export const open = (): TestContainers => {
  const folder = mkdtempSync(join(tmpdir(), "procwire-containers-"))
  const { PATH: path } = process.env
  const program = find("podman")
  const podman = (...args: ReadonlyArray<string>): string => {
    const { ok, stderr, stdout } = attempt(program ?? "podman", args)
    if (!ok) throw new Error(`podman ${args.join(" ")}: ${stderr}`)
    return stdout.trim()
  }
  const close = () => {
    if (program !== undefined && existsSync(join(folder, "storage"))) {
      attempt(program, ["rm", "--all", "--force", "--time", "0"])
      // Of another user id, unless root runs this.
      if (process.getuid?.() !== 0) attempt(program, ["unshare", "rm", "-rf", join(folder, "storage")])
    }
    for (const name of ["CONTAINERS_CONF", "CONTAINERS_STORAGE_CONF"]) delete process.env[name]
    process.env["PATH"] = path
    rmSync(folder, { recursive: true, force: true })
  }
  const missing = prepare(folder, program)
  if (missing !== undefined) close()
  return { image, missing, podman, close: missing === undefined ? close : () => {} }
}

const prepare = (folder: string, program: string | undefined): TestContainers["missing"] => {
  const busybox = find("busybox")
  if (process.platform !== "linux") return { what: "containers need Linux", remedy: "none" }
  if (program === undefined) return { what: "podman is not installed", remedy: "apt-get install podman runc" }
  if (busybox === undefined)
    return { what: "busybox is not installed", remedy: "apt-get install busybox-static" }
  const file = (name: string, text: string): string => {
    writeFileSync(join(folder, name), text)
    return join(folder, name)
  }
  const [storage, run] = ["storage", "run"].map((name) => join(folder, name))
  process.env["CONTAINERS_STORAGE_CONF"] = file(
    "storage.conf",
    `[storage]\ndriver = "vfs"\ngraphroot = "${storage}"\nrunroot = "${run}"\n`,
  )
  mkdirSync(join(folder, "bin"))
  symlinkSync(program, join(folder, "bin/docker"))
  process.env["PATH"] = `${join(folder, "bin")}${delimiter}${process.env["PATH"] ?? ""}`
  makeRootfs(join(folder, "rootfs"), busybox)
  const archive = join(folder, "image.tar")
  attempt("tar", ["-C", join(folder, "rootfs"), "-cf", archive, "."])
  let why = ""
  for (const [index, text] of configurations.entries()) {
    process.env["CONTAINERS_CONF"] = file(`containers-${index}.conf`, text)
    const imported = attempt(program, ["import", "--quiet", archive, image])
    const tried = imported.ok ? attempt(program, ["run", "--rm", image, "true"]) : imported
    if (tried.ok) return undefined
    why = tried.stderr.split("\n").at(-1) ?? ""
  }
  return {
    what: `podman runs no container here: ${why}`,
    remedy: "run the tests as root or with user namespaces",
  }
}
