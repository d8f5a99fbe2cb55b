// @ts-check
// The programs that some tests want beside Node and npm, by the tags that these tests have. A test that wants one is
// skipped where it is not there. `npm run test:all` installs them from Debian where it may.
import { spawnSync } from "node:child_process"
import { existsSync, mkdirSync, readdirSync, writeFileSync } from "node:fs"
import { delimiter, join } from "node:path"

/**
 * @typedef {object} Program
 * @property {readonly string[]} packages of Debian
 * @property {() => boolean} isHere
 */

/** @param {string} name */
const inPath = (name) =>
  (process.env["PATH"] ?? "")
    .split(delimiter)
    .some((folder) => folder !== "" && existsSync(join(folder, name)))

/** @param {string} name @param {readonly string[]} [packages] @returns {Program} */
const program = (name, packages = [name]) => ({ packages, isHere: () => inPath(name) })

/** @param {string} module @param {string} name @returns {Program} */
const python = (module, name) => ({
  packages: [name],
  isHere: () => spawnSync("python3", ["-c", `import ${module}`], { stdio: "ignore" }).status === 0,
})

const postgres = "/usr/lib/postgresql"

/** By the tag of the tests. @type {Readonly<Record<string, Program>>} */
export const programs = {
  bubblewrap: program("bwrap", ["bubblewrap"]),
  curl: program("curl"),
  git: program("git"),
  java: program("javac", ["default-jdk-headless"]),
  wget: program("wget"),
  busybox: program("busybox", ["busybox-static"]),
  chromium: program("chromium"),
  htop: program("htop"),
  less: program("less"),
  "nats-server": program("nats-server"),
  podman: program("podman", ["podman", "runc"]),
  postgresql: {
    packages: ["postgresql"],
    isHere: () =>
      existsSync(postgres) &&
      readdirSync(postgres).some((line) => existsSync(join(postgres, line, "bin/postgres"))),
  },
  python3: program("python3"),
  "python3-pip": python("pip", "python3-pip"),
  "python3-websockets": python("websockets", "python3-websockets"),
  ssh: program("ssh", ["openssh-client"]),
  sshd: { packages: ["openssh-server"], isHere: () => existsSync("/usr/sbin/sshd") },
  systemd: program("systemd-socket-activate", ["systemd"]),
  tmux: program("tmux"),
  vim: program("vim"),
}

export const tags = Object.keys(programs).map((name) => ({ name, description: `wants ${name}` }))

export const missing = () =>
  Object.entries(programs).flatMap(([name, { isHere }]) => (isHere() ? [] : [name]))

/** True if Debian has installed it, which may be for another Python than that of the path. @param {string} name */
const isInstalled = (name) =>
  spawnSync("dpkg-query", ["-W", "-f", "${db:Status-Status}", name], { encoding: "utf8" }).stdout ===
  "installed"

/** Installs what is missing, one package after the other, where there is an apt-get that may. */
export const install = () => {
  if (process.getuid?.() !== 0 || !inPath("apt-get")) return
  const lacking = missing().flatMap((name) => programs[name]?.packages ?? [])
  const wanted = lacking.filter((name) => !isInstalled(name))
  if (wanted.length === 0) return
  process.stderr.write(`procwire: installing ${wanted.join(" ")}\n`)
  // The tests start a PostgreSQL of their own: the package is to make no cluster.
  const settings = "/etc/postgresql-common"
  if (wanted.includes("postgresql") && !existsSync(`${settings}/createcluster.conf`)) {
    mkdirSync(settings, { recursive: true })
    writeFileSync(`${settings}/createcluster.conf`, "create_main_cluster = false\n")
  }
  const env = { ...process.env, DEBIAN_FRONTEND: "noninteractive" }
  /** @param {readonly string[]} words */
  const apt = (...words) =>
    spawnSync("apt-get", words, { env, stdio: ["ignore", "ignore", "ignore"] }).status === 0
  apt("update")
  for (const name of wanted)
    if (!apt("install", "-y", "--no-install-recommends", name))
      process.stderr.write(`procwire: apt-get could not install ${name}\n`)
}
