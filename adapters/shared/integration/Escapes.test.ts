/**
 * Ways out of `procwire serve --confine`, each tried on a confined server, where it must fail, and without the guard,
 * where it must succeed: so each test is seen to be able to fail.
 */
import { execFileSync } from "node:child_process"
import { existsSync } from "node:fs"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest"
import * as Confinement from "../../../core/protocol/Confinement.ts"
import * as Places from "../testing/EscapePlaces.ts"
import * as Escapes from "../testing/Escapes.ts"
import * as FileEscapes from "../testing/FileEscapes.ts"

const { canConfine, hasPerl, lacking, places, reset, toWrite, uri, wide } = Places

let confined: Places.Place
let free: Places.Place

beforeAll(async () => {
  if (canConfine) ({ confined, free } = await Places.open())
}, 120_000)
afterAll(Places.close)

/** The requests of an escape on the confined server, and the one without a guard. */
const requestsOf = (asks: string | undefined) =>
  asks === undefined
    ? { guarded: wide, unguarded: {} }
    : { guarded: [toWrite(asks)], unguarded: toWrite(asks) }

describe.runIf(canConfine)("a process on a confined server", { tags: ["bubblewrap"] }, () => {
  const attempt = async (
    { client, env }: Places.Place,
    { script, tty = false }: Escapes.Escape,
    more: object,
  ) => {
    reset()
    const argv = ["/bin/sh", "-c", script]
    const { exitCode, stdout, stderr } = await client.run({ argv, env, tty, cwd: "/", ...more })
    return { escaped: stdout.includes("escaped"), said: `${exitCode} ${stdout} ${stderr}` }
  }
  const attemptLeaky = ({ script }: Escapes.Escape) => {
    const argv = ["-c", 'exec 7</dev/null; exec /bin/sh -c "$1"', "sh", script]
    return { escaped: execFileSync("/bin/sh", argv).toString().includes("escaped") }
  }

  for (const escape of Escapes.all) {
    it(`does not get out: ${escape.name}`, async (context) => {
      const lacks = lacking(escape.needs)
      if (lacks !== undefined) return context.skip(lacks)
      const { guarded, unguarded } = requestsOf(escape.asks)
      const isLeaky = escape.freeOn === "leaky shell"
      const without = isLeaky ? attemptLeaky(escape) : await attempt(free, escape, unguarded)
      expect(without).toMatchObject({ escaped: true })
      for (const more of guarded)
        expect(await attempt(confined, escape, more)).toMatchObject({ escaped: false })
    })
  }

  // guards: confine-floor, confinement
  it("does what it may", async () => {
    for (const more of wide) {
      reset()
      const script = 'echo x >"$WORK/made" && cat "$WORK/made" "$OUTSIDE/file" && kill -0 $$ && echo done'
      const { env } = confined
      const { stdout } = await confined.client.run({ argv: ["/bin/sh", "-c", script], env, ...more })
      expect(stdout).toBe("x\ndone\n")
    }
  })
})

describe.runIf(canConfine)("a client of a confined server", { tags: ["bubblewrap"] }, () => {
  const attempt = ({ client, env }: Places.Place, escape: FileEscapes.FileEscape, more: object) => {
    reset()
    const expand = (text: string) => text.replaceAll(/\$([A-Z]+)/g, (_, name: string) => env[name] ?? "")
    const paths = Object.entries(escape.paths).map(([name, path]) => [name, uri(expand(path))])
    const params = { ...Object.fromEntries(paths), ...escape.params, ...more }
    return client.call(escape.method, params as never).then(
      () => ({ escaped: true, said: "" }),
      (error: Error) => ({ escaped: false, said: error.message }),
    )
  }

  for (const escape of FileEscapes.all) {
    it(`does not get out by ${escape.method}: ${escape.name}`, async () => {
      const { guarded, unguarded } = requestsOf(escape.asks)
      expect(await attempt(free, escape, unguarded)).toMatchObject({ escaped: true })
      for (const more of guarded) {
        const tried = await attempt(confined, escape, more)
        expect(tried).toMatchObject({ escaped: false })
        // Refused by the kernel, and not because nothing works here.
        expect(tried.said).toMatch(/Read-only|Permission denied|No such file|Cross-device/)
      }
    })
  }

  // guards: confinement
  it("reads and writes what it may", async () => {
    const { fs } = confined.client
    await fs.writeFile(join(places.WORK, "made"), "by a client")
    expect(new TextDecoder().decode(await fs.readFile(join(places.WORK, "made")))).toBe("by a client")
  })

  // guards: confinement
  it("puts nothing where tools take commands from", async () => {
    reset()
    const { call, fs } = free.client
    const work = join(places.WORK, "inside")
    const paths = (from: string, to: string) => ({
      sourcePath: uri(join(work, from)),
      destinationPath: uri(join(work, to)),
      ...toWrite("inside"),
    })
    await fs.mkdir(join(work, "a"))
    await call("fs/rename", paths("a", "b"))
    for (const name of Confinement.guardedNames) {
      const refusals = [
        call("fs/rename", { ...paths("b", name), overwrite: true }),
        call("fs/rename", paths("b", name)),
        call("fs/rename", paths(name, "away")),
        call("fs/createSymlink", { path: uri(join(work, name, "hooks")), target: "/", ...toWrite("inside") }),
        call("fs/setMode", { path: uri(join(work, name)), mode: 0o777, ...toWrite("inside") }),
      ].map((refused) =>
        refused.then(
          () => "done",
          ({ message }: Error) => message.replace(/ \(os error .*/, ""),
        ),
      )
      expect(await Promise.all(refusals)).toEqual([
        "Resource busy",
        "File exists",
        "Resource busy",
        "Read-only file system",
        "Read-only file system",
      ])
    }
  })

  // guards: confinement
  it("does not get out by http/request", async () => {
    const origin = createServer((_, response) => void response.end("reached"))
    await new Promise<void>((resolve) => origin.listen(0, "127.0.0.1", resolve))
    onTestFinished(() => void origin.close())
    const url = `http://127.0.0.1:${(origin.address() as AddressInfo).port}/`
    expect(await free.client.http.request({ url })).toMatchObject({ status: 200 })
    const refused = "confined without a network (--confine)"
    await expect(confined.client.http.request({ url })).rejects.toThrow(refused)
  })

  it("does not learn by fs/watchMissing what is hidden", async () => {
    const params = { watchId: 1, missing: [uri(join(places.SECRET, "other"))] } as never
    expect(await free.client.call("fs/watchMissing", params)).toEqual({ watching: true })
    expect(await confined.client.call("fs/watchMissing", params)).toEqual({ watching: false })
  })
})

describe.runIf(canConfine && hasPerl)("a link that changes all the time", { tags: ["bubblewrap"] }, () => {
  /** Makes WORK/swap a link into the workspace and a link out of it in turns, until it is killed. */
  const swapping = `$| = 1; print "swapping\\n"; for (;;) { for my $to ("$ENV{WORK}/inside", $ENV{OUTSIDE}) {
  symlink($to, "$ENV{WORK}/next"); rename("$ENV{WORK}/next", "$ENV{WORK}/swap") } }`

  /** True if anything was written outside by `use`, which is repeated. */
  const escapes = async (place: Places.Place, rounds: number, use: () => Promise<unknown>) => {
    reset()
    const hasEscaped = () => existsSync(join(places.OUTSIDE, "raced"))
    const swapper = await place.client.start({ argv: ["perl", "-e", swapping], env: place.env })
    for await (const line of swapper.text()) if (line.includes("swapping")) break
    for (let round = 0; round < rounds && !hasEscaped(); round++) await use()
    await swapper.terminate()
    return hasEscaped()
  }
  const write =
    ({ client }: Places.Place, more: object) =>
    () => {
      const params = { path: uri(join(places.WORK, "swap", "raced")), dataBase64: "eA==", ...more }
      return client.call("fs/writeFile", params as never).catch(() => {})
    }
  const start =
    ({ client, env }: Places.Place, more: object) =>
    () =>
      client.run({ argv: ["/bin/sh", "-c", 'echo x >"$WORK/swap/raced"'], env, cwd: "/", ...more })

  it("leads no fs/writeFile out", async () => {
    expect(await escapes(free, 300, write(free, {}))).toBe(true)
    expect(await escapes(confined, 300, write(confined, {}))).toBe(false)
    // Each finds another folder behind the link, for which a server of its own is started.
    expect(await escapes(confined, 6, write(confined, toWrite("swap")))).toBe(false)
  })

  // guards: confine-floor
  it("leads no process out whose place it is", async () => {
    expect(await escapes(free, 300, start(free, toWrite("swap")))).toBe(true)
    expect(await escapes(confined, 40, start(confined, toWrite("swap")))).toBe(false)
  })
})
