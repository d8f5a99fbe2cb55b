/** `procwire doctor`, as a user runs it: on this machine, and where something is missing. */
import { execFile, spawnSync } from "node:child_process"
import { once } from "node:events"
import process from "node:process"
import { describe, expect, it } from "vitest"
import { command, name as runtime, spawner } from "../../testing/Runtime.ts"
import * as Program from "../testing/Program.ts"
import * as TestChild from "../testing/TestChild.ts"

const [program, ...main] = command

interface Ran {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
}

const run = (argv: ReadonlyArray<string>, env: Readonly<Record<string, string>> = {}) => {
  const [file = "", ...args] = argv
  return new Promise<Ran>((resolve) => {
    execFile(file, args, { encoding: "utf8", env: { ...process.env, ...env } }, (error, stdout, stderr) =>
      resolve({ code: error === null ? 0 : Number(error.code), stdout, stderr }),
    )
  })
}

const doctor = (...args: ReadonlyArray<string>) => run([program, ...main, "doctor", ...args])

interface Answer {
  readonly name: string
  readonly ok: boolean
  readonly why: string
  readonly remedy: string | null
}

const toAnswers = ({ stdout }: Pick<Ran, "stdout">): ReadonlyMap<string, Answer> => {
  const { checks } = JSON.parse(stdout) as { readonly checks: ReadonlyArray<Answer> }
  return new Map(checks.map((check) => [check.name, check]))
}

const canRun = (...argv: readonly [string, ...ReadonlyArray<string>]): boolean =>
  spawnSync(argv[0], argv.slice(1)).status === 0

/** The machine without something, as the command line of a program that takes it away; undefined if it cannot. */
const without = {
  terminals: ["bwrap", "--dev-bind", "/", "/", "--tmpfs", "/dev/pts"],
  namespaces: ["unshare", "-Ur", "sh", "-c", 'echo 0 >/proc/sys/user/max_user_namespaces; exec "$0" "$@"'],
} as const
const canTakeAway = {
  terminals: canRun(...without.terminals, "true"),
  namespaces: canRun(...without.namespaces, "true"),
}
for (const [what, can] of Object.entries(canTakeAway))
  if (!can) process.stdout.write(`not tested: a machine without ${what}: this one cannot take them away\n`)

describe("procwire doctor", () => {
  it("says of each thing whether it works, why, and what mends it, as a page and as JSON", async () => {
    const [page, json] = [await doctor(), await doctor("--json")]
    expect(page).toMatchObject({ code: 0, stderr: "" })
    expect(json).toMatchObject({ code: 0, stderr: "" })
    const answers = toAnswers(json)
    expect(answers.get("runtime")).toMatchObject({ ok: true, why: expect.stringContaining(runtime) })
    for (const { name, ok, remedy, why } of answers.values()) {
      expect(page.stdout).toMatch(new RegExp(`^(yes|no )  ${name} `, "m"))
      expect(why).not.toBe("")
      expect(remedy === null).toBe(ok)
    }
    for (const line of page.stdout.split("\n")) expect(line.length).toBeLessThanOrEqual(100)
    expect(page.stdout).not.toContain("\u001b")
  })

  it("says about pty what happens when a program is run with --tty", async () => {
    const ran = await run([program, ...main, "run", "--tty", "--", "test", "-t", "0"])
    expect(toAnswers(await doctor("--json")).get("pty")?.ok).toBe(ran.code === 0)
  })

  it("says where a holder of processes would run, how many do, and how to end what they have", async () => {
    const { call, folder, start } = Program.make()
    const keep = async () => toAnswers(await call("doctor", "--json")).get("keep")
    expect(await keep()).toMatchObject({
      ok: true,
      why: expect.stringMatching(/^a holder has .*; none runs now$/),
    })
    const { stdout } = start("serve", "--keep", `--listen=unix:${folder.at("s.sock")}`)
    await once(stdout ?? expect.unreachable(), "data")
    expect((await keep())?.why).toMatch(
      /; 1 runs now: `procwire ps --all-states` lists .* `procwire gc` ends them$/,
    )
  })

  it("agrees with `procwire spawners`", async () => {
    const answers = toAnswers(await doctor("--json"))
    const { stdout } = await run([program, ...main, "spawners", "--json"])
    const [bwrap] = (
      JSON.parse(stdout) as ReadonlyArray<{ name: string; ready: boolean; missing: string | null }>
    ).filter(({ name }) => name === "bwrap")
    expect(answers.get("bwrap")?.ok).toBe(bwrap?.ready)
    if (bwrap?.missing) expect(answers.get("bwrap")?.why).toBe(bwrap.missing)
  })

  it.runIf(canTakeAway.terminals)(
    "finds that PTYs do not work, and exits with 1 if they are required",
    async () => {
      const ran = await run([
        ...without.terminals,
        program,
        ...main,
        "doctor",
        "--json",
        "--require",
        "libc,pty",
      ])
      expect(ran).toMatchObject({ code: 1, stderr: "procwire: required, and does not work here: pty\n" })
      expect(JSON.parse(ran.stdout)).toMatchObject({ ok: false })
      expect(toAnswers(ran).get("pty")).toMatchObject({
        ok: false,
        remedy: expect.stringContaining("mount -t devpts"),
      })
    },
  )

  it.runIf(canTakeAway.namespaces)("names the setting that forbids user namespaces", async () => {
    const ran = await run([...without.namespaces, program, ...main, "doctor", "--json"])
    const answers = toAnswers(ran)
    for (const name of ["userns", "bwrap"])
      expect(answers.get(name)).toMatchObject({
        ok: false,
        remedy: expect.stringMatching(/^(sysctl -w user\.max_user_namespaces=28000|apt-get install .*)$/),
      })
    expect(answers.get("userns")?.remedy).toBe("sysctl -w user.max_user_namespaces=28000")
  })

  it("exits with 0 if what is required works, and with 2 for a name that does not exist", async () => {
    expect(await doctor("--require", "runtime,libc", "--require", "open-files")).toMatchObject({
      code: 0,
      stderr: "",
    })
    const ran = await doctor("--require", "pty,bwarp")
    expect(ran).toMatchObject({ code: 2, stdout: "" })
    expect(ran.stderr).toMatch(
      /^procwire: invalid value 'bwarp' for '--require': expected .*; did you mean 'bwrap'\?\n/,
    )
  })

  it("has colours on a terminal, and none with NO_COLOR", async () => {
    const onTerminal = (env: Readonly<Record<string, string>>) =>
      run([program, ...main, "run", "--tty", "--", program, ...main, "doctor"], { TERM: "xterm", ...env })
    expect((await onTerminal({ NO_COLOR: "" })).stdout).toContain("\u001b[32myes\u001b[m  runtime")
    expect((await onTerminal({ NO_COLOR: "1" })).stdout).toMatch(/^yes {2}runtime/)
  })

  it.runIf(runtime === "Deno")("says on Deno which permission is missing, and does not fail", async () => {
    const [file = ""] = main.slice(-1)
    // Deno's node:child_process grants a Deno that it starts all permissions.
    const args = ["run", "--quiet", "--no-prompt", file, "doctor", "--json", "--require", "libc"]
    const env = { HOME: process.env["HOME"] ?? "", PATH: process.env["PATH"] ?? "" }
    const child = await TestChild.run(spawner, { argv: [program, ...args], cwd: process.cwd(), env })
    expect(child.status()).toEqual({ kind: "exited", code: 1 })
    const answers = toAnswers({ stdout: child.text("stdout") })
    expect(answers.get("libc")).toMatchObject({ ok: false, why: expect.stringContaining("--allow-ffi") })
    expect(answers.get("userns")).toMatchObject({ ok: false, why: expect.stringContaining("--allow-") })
    expect(answers.get("runtime")).toMatchObject({ ok: true })
  })
})
