/** `shared/confine` with the bubblewrap of this machine: the spawner suite on confined children, and what they see. */
import { execFileSync } from "node:child_process"
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { constants, tmpdir } from "node:os"
import { join } from "node:path"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { afterAll, describe, expect, it, test } from "vitest"
import type { Access, Confinement } from "../../core/protocol/Confinement.ts"
import * as Spawner from "../../core/spawn/Spawner.ts"
import * as SpawnerSuite from "../../conformance/spawner/SpawnerSuite.ts"
import * as Bubblewrap from "../shared/confine/Bubblewrap.ts"
import * as TestChild from "../shared/testing/TestChild.ts"
import { spawner as inner } from "../testing/Runtime.ts"

const spawner = Bubblewrap.make(inner)
const folder = mkdtempSync(join(tmpdir(), "procwire-test-"))
afterAll(() => rmSync(folder, { recursive: true }))

const writable: Confinement = { places: [{ path: "/", access: "write" }], network: false }

const confine = (places: Readonly<Record<string, Access>>, network = false): Confinement => ({
  places: Object.entries(places).map(([path, access]) => ({ path, access })),
  network,
})

/** The cases that a confined child cannot pass, and why. */
const differences = {
  "spawner/output/closed-early-by-the-child": "bubblewrap holds the streams of the child",
  "spawner/stdin/closed-by-the-child": "bubblewrap holds the streams of the child",
  "spawner/exit/code-and-signal": "bubblewrap reports a death by signal n as code 128 + n",
  "spawner/exit/code-and-signal-on-a-pty": "bubblewrap reports a death by signal n as code 128 + n",
  "spawner/program/large-environment-and-many-arguments": "bubblewrap takes 9000 words",
  "spawner/pty/leads-the-foreground": "the session has no number among the child's own processes",
  "spawner/group/leads-a-session": "the session has no number among the child's own processes",
}

/** The output of a script, stdout and stderr. */
const sh = async (script: string, confinement: Confinement, more: Partial<TestChild.Options> = {}) => {
  const child = await TestChild.run(spawner, { argv: ["/bin/sh", "-c", script], confinement, ...more })
  return child.text("stdout") + child.text("stderr")
}

test("where bubblewrap is missing nothing is confined, and nothing that has to be runs", async () => {
  const program = join(folder, "nothing")
  expect(Bubblewrap.make(inner, { program }).capabilities.confine).toBe(false)
  const always = Bubblewrap.make(inner, { program, confinement: writable })
  await expect(TestChild.run(always, { argv: ["true"] })).rejects.toThrow(`${program} was not found`)
})

test("where bubblewrap cannot work a start says why, and nothing runs", async () => {
  const program = join(folder, "broken")
  writeFileSync(program, "#!/bin/sh\necho 'bwrap: no namespaces' >&2\nexit 1\n", { mode: 0o755 })
  const broken = Bubblewrap.make(inner, { program })
  const mark = join(folder, "ran")
  await expect(
    TestChild.run(broken, { argv: ["/usr/bin/touch", mark], confinement: writable }),
  ).rejects.toThrow("restricted `sandbox` permissions need bubblewrap: bwrap: no namespaces")
  expect(existsSync(mark)).toBe(false)
})

test("a spawner that confines by itself gets the confinement, no wider than the floor", async () => {
  const got: Array<Spawner.SpawnSpec> = []
  const own: Spawner.SpawnerService = {
    capabilities: { ...inner.capabilities, confine: true },
    spawn: (spec, events) => {
      got.push(spec)
      return inner.spawn(spec, events)
    },
  }
  expect(Bubblewrap.make(own)).toBe(own)
  const floored = Bubblewrap.make(own, { confinement: confine({ "/": "read" }) })
  await TestChild.run(floored, { argv: ["true"], confinement: confine({ "/": "write" }, true) })
  expect(got[0]?.argv).toEqual(["true"])
  expect(got[0]?.confinement).toEqual(confine({ "/": "read" }))
})

describe.runIf(spawner.capabilities.confine)("under bubblewrap", { tags: ["bubblewrap"] }, () => {
  SpawnerSuite.suite(
    "every child confined",
    Layer.succeed(Spawner.Spawner, Bubblewrap.make(inner, { confinement: writable })),
    {
      except: ["spawner/output/no-byte-lost-*", "spawner/load/**", ...Object.keys(differences)],
      known: {
        "spawner/group/signal-ends": "bubblewrap reports a death by signal n as code 128 + n",
        "spawner/exit/real-time-signal": "bubblewrap reports a death by signal n as code 128 + n",
        "spawner/errors/program-of-no-format": "execvp, which env calls, gives the file to a shell",
      },
    },
  )

  it("shows only the places it was given, however links lead out of them", async () => {
    const [inside, outside] = [join(folder, "in"), join(folder, "out")]
    for (const each of [inside, outside]) mkdirSync(each)
    writeFileSync(join(outside, "secret"), "secret")
    symlinkSync("../out/secret", join(inside, "link"))
    symlinkSync(inside, join(folder, "alias"))
    const system = { "/bin": "read", "/lib": "read", "/lib64": "read", "/usr": "read" } as const
    const script = `cd ${folder}; ls; cat in/link out/secret; touch in/made; mkdir /made; ls alias`
    const text = await sh(script, confine({ ...system, [join(folder, "alias")]: "write" }))
    expect(text).not.toContain("secret\n")
    expect(text.match(/No such file|Read-only/g)).toHaveLength(3)
    expect(readdirSync(inside).sort()).toEqual(["link", "made"])
  })

  it("hides what has no access, and shows what is named again below it", async () => {
    const base = join(folder, "none")
    mkdirSync(join(base, "deep", "open"), { recursive: true })
    writeFileSync(join(base, "secret"), "secret")
    const places = { "/": "read", [base]: "none", [join(base, "deep", "open")]: "write" } as const
    const text = await sh(
      `cat ${base}/secret; ls ${base}; touch ${base}/x; touch ${base}/deep/open/x`,
      confine(places),
    )
    expect(text.match(/denied|Read-only|No such/g)).toHaveLength(3)
    expect(existsSync(join(base, "deep", "open", "x"))).toBe(true)
  })

  it("guards a name that does not exist yet, also from a second child, and leaves nothing behind", async () => {
    const base = join(folder, "project")
    mkdirSync(base)
    const confinement = confine({ "/": "read", [base]: "write", [join(base, ".git")]: "read" })
    const both = [1, 2].map((n) =>
      sh(`sleep 0.${n}; mkdir ${base}/.git; touch ${base}/.git/config`, confinement),
    )
    for (const text of await Promise.all(both)) expect(text).toContain("Read-only file system")
    await expect.poll(() => readdirSync(base)).toEqual([])
  })

  it("keeps a guarded name in its place, so that no folder above it is moved away with it", async () => {
    const base = join(folder, "moving")
    mkdirSync(join(base, "deep", "keys"), { recursive: true })
    writeFileSync(join(base, "deep", "keys", "secret"), "secret")
    const places = { "/": "read", [base]: "write", [join(base, "deep", "keys")]: "none" } as const
    const script = `mv ${base}/deep ${base}/moved; cat ${base}/deep/keys/secret ${base}/moved/keys/secret`
    const text = await sh(script, confine(places))
    expect(text).toContain("busy")
    expect(text).not.toMatch(/^secret$/m)
    expect(existsSync(join(base, "deep", "keys"))).toBe(true)
  })

  it("keeps to a floor under what is asked for, also where a link in a writable folder leads out of it", async () => {
    const [work, beside] = [join(folder, "floor"), join(folder, "beside")]
    for (const each of [work, beside]) mkdirSync(each)
    symlinkSync(beside, join(work, "link"))
    const floor = confine({ "/": "read", [work]: "write" })
    const floored = Bubblewrap.make(inner, { confinement: floor })
    const script = `touch ${beside}/a ${work}/link/b; touch ${work}/c && echo wrote`
    for (const [asked, wrote] of [
      [undefined, true],
      [confine({ "/": "write" }, true), true],
      [confine({ "/": "read", [join(work, "link")]: "write" }, true), false],
      [confine({ "/": "read", [work]: "write", [beside]: "write", [join(work, "x")]: "none" }), true],
    ] as const) {
      const child = await TestChild.run(floored, {
        argv: ["/bin/sh", "-c", script],
        ...(asked && { confinement: asked }),
      })
      expect(child.text("stdout")).toBe(wrote ? "wrote\n" : "")
      expect(child.text("stderr").match(/Read-only/g)?.length).toBe(wrote ? 2 : 3)
    }
    expect(readdirSync(beside)).toEqual([])
  })

  it("leaves no way to the machine through /proc, /dev and /sys", async () => {
    const script = [
      // Opened for writing, and nothing is written.
      "(: >>/proc/sys/kernel/core_pattern)",
      "(: >>/proc/sys/vm/swappiness)",
      "(: >>/sys/kernel/mm/transparent_hugepage/enabled)",
      "ls /dev/vda /dev/sda /dev/mem",
      `kill -0 ${process.pid}`,
      "grep -h CapEff /proc/self/status",
      "ls /proc/self/fd | wc -l",
    ].join("; ")
    const text = await sh(script, confine({ "/": "read" }))
    expect(text).toContain("CapEff:\t0000000000000000\n4\n")
    expect(text.match(/cannot create|cannot access|No such process/g)?.length).toBe(7)
  })

  const python = existsSync("/usr/bin/python3")
  it.runIf(python)(
    "has no sockets without a network, and unix sockets with one",
    { tags: ["python3"] },
    async () => {
      const probe = (family: string) =>
        `python3 -c 'import socket as s; s.socket(s.${family}, s.SOCK_DGRAM); print("open")' 2>&1 | tail -1`
      const every = ["AF_INET", "AF_UNIX", "AF_NETLINK", "AF_VSOCK"].map(probe).join("; ")
      const refused = "PermissionError: [Errno 1] Operation not permitted\n"
      expect(await sh(every, confine({ "/": "read" }))).toBe(refused.repeat(4))
      expect(await sh(every, confine({ "/": "read" }, true))).toBe(`${"open\n".repeat(3)}${refused}`)
      const pair = `python3 -c 'import socket as s; s.socketpair(); print("pair")'`
      expect(await sh(pair, confine({ "/": "read" }))).toBe("pair\n")
    },
  )

  it("takes no orders from the environment of the child before it is confined", async () => {
    const mark = join(folder, "loaded")
    const library = join(folder, "evil.so")
    writeFileSync(
      join(folder, "evil.c"),
      `#include <fcntl.h>\n__attribute__((constructor)) void f(void) { open("${mark}", 64, 420); }\n`,
    )
    try {
      execFileSync("cc", ["-shared", "-fPIC", "-o", library, join(folder, "evil.c")], { stdio: "ignore" })
    } catch {
      return // without a compiler there is no such library
    }
    const env = { PATH: "/usr/bin:/bin", LD_PRELOAD: library, ENV: library }
    expect(await sh("echo $LD_PRELOAD", confine({ "/": "read" }), { env })).toBe(`${library}\n`)
    expect(existsSync(mark)).toBe(false)
  })

  it("keeps a signal until the child is inside, however early it comes", async () => {
    const confinement = confine({ "/": "read" })
    for (const signal of ["SIGTERM", "SIGHUP", "SIGUSR1"] as const) {
      const child = await TestChild.start(spawner, { argv: ["/bin/sleep", "300"], confinement })
      await Effect.runPromise(child.handle.signal(signal))
      expect(await child.exit).toEqual({ kind: "exited", code: 128 + constants.signals[signal] })
      await child.close()
    }
  })

  it("gives a signal of the group to the child alone, and Ctrl-C on a PTY", async () => {
    for (const pty of [false, true]) {
      const script = "trap 'echo caught; exit 5' INT; echo ready; while :; do sleep 0.05; done"
      const child = await TestChild.start(spawner, {
        argv: ["/bin/sh", "-c", script],
        pty,
        confinement: confine({ "/": "read" }),
      })
      await expect.poll(() => child.text(pty ? "pty" : "stdout")).toContain("ready")
      if (pty) await Effect.runPromise(child.handle.write(new TextEncoder().encode("\x03")))
      else await Effect.runPromise(child.handle.signal("SIGINT"))
      // Its last output may come after its exit.
      await child.closed
      expect(child.status()).toEqual({ kind: "exited", code: 5 })
      expect(child.text(pty ? "pty" : "stdout")).toContain("caught")
    }
  })
})
