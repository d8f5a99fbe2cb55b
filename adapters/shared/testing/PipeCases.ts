/** What every spawner of local children on pipes has to do, as tests with real processes. */
import { mkdtempSync, realpathSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as Effect from "effect/Effect"
import { describe, expect, test } from "vitest"
import type * as Spawner from "../../../core/spawn/Spawner.ts"
import * as Proc from "./Proc.ts"
import * as TestChild from "./TestChild.ts"

const sh = (script: string, ...args: ReadonlyArray<string>) => ["/bin/sh", "-c", script, ...args] as const

export const suite = (name: string, spawner: Spawner.SpawnerService): void => {
  const run = (options: TestChild.Options) => TestChild.run(spawner, options)
  const start = (options: TestChild.Options) => TestChild.start(spawner, options)
  const failure = (options: TestChild.Options) => TestChild.failure(spawner, options)

  describe(`${name}: output and exit`, () => {
    test("stdout and stderr arrive apart and byte for byte", async () => {
      const child = await run({ argv: sh("printf '\\000\\377\\n\\303'; printf err >&2; exit 3") })
      expect(child.bytes("stdout")).toEqual(Buffer.from([0, 255, 10, 0xc3]))
      expect(child.text("stderr")).toBe("err")
      expect(child.status()).toEqual({ kind: "exited", code: 3 })
      expect([...child.ended].sort()).toEqual(["stderr", "stdout"])
      expect(child.log.filter((entry) => entry === "exit")).toHaveLength(1)
    })

    test("exit codes are exact and signals are told by number", async () => {
      const ends = ["exit 0", "exit 255", "exit 300", "kill -SEGV $$", "kill -KILL $$", "kill -TERM $$"]
      const children = await Promise.all(ends.map((end) => run({ argv: sh(end) })))
      expect(children.map((child) => child.status())).toEqual([
        { kind: "exited", code: 0 },
        { kind: "exited", code: 255 },
        { kind: "exited", code: 44 },
        { kind: "signaled", signal: 11 },
        { kind: "signaled", signal: 9 },
        { kind: "signaled", signal: 15 },
      ])
    })

    test("nothing is lost of 64 KiB when the child exits at once", async () => {
      const lost = await TestChild.times(500, 8, async () => {
        const child = await run({ argv: sh("head -c 65536 /dev/zero; head -c 1000 /dev/zero >&2") })
        return child.bytes("stdout").length !== 65_536 || child.bytes("stderr").length !== 1_000
      })
      expect(lost).toBe(0)
    })

    test("8 MiB of two children at once do not mix", async () => {
      const counts = await Promise.all(
        ["a", "b"].map(async (letter) => {
          let right = 0
          const wanted = letter.charCodeAt(0)
          const onOutput = (_: string, bytes: Uint8Array) => {
            for (const byte of bytes) if (byte === wanted) right++
          }
          await run({ argv: sh(`head -c 8388608 /dev/zero | tr '\\0' ${letter}`), onOutput })
          return right
        }),
      )
      expect(counts).toEqual([8_388_608, 8_388_608])
    })

    test("a descendant that holds the output delays its end, not the exit", async () => {
      const child = await start({ argv: sh("(sleep 0.5; echo late) & echo early; exit 3") })
      expect(await child.exit).toEqual({ kind: "exited", code: 3 })
      expect(child.ended).toEqual([])
      expect(await Effect.runPromise(child.handle.lingering)).toBe(true)
      await child.closed
      expect(child.text("stdout")).toBe("early\nlate\n")
      await TestChild.until(() => !Effect.runSync(child.handle.lingering), "the group is gone")
      await child.close()
    })

    test("pause stops the child, resume delivers every byte", async () => {
      const total = 8 * 1024 * 1024
      let count = 0
      const child = await start({
        argv: ["head", "-c", String(total), "/dev/zero"],
        onOutput: (_, bytes) => (count += bytes.length),
      })
      child.handle.pause?.()
      await TestChild.sleep(100)
      const paused = count
      await TestChild.sleep(300)
      expect(count).toBe(paused)
      expect(paused).toBeLessThanOrEqual(65_536)
      expect(child.status()).toBeUndefined()
      child.handle.resume?.()
      await child.closed
      expect(count).toBe(total)
      await child.close()
    })
  })

  describe(`${name}: stdin`, () => {
    test("stdin is /dev/null unless asked for, and then a write is refused", async () => {
      const child = await start({ argv: ["cat"] })
      const error = await Effect.runPromise(Effect.flip(child.handle.write(Buffer.from("x"))))
      expect(error.reason).toBe("NotOpen")
      await child.closed
      expect(child.status()).toEqual({ kind: "exited", code: 0 })
      await child.close()
    })

    test("writes arrive in order and endStdin is the end of the file", async () => {
      const child = await start({ argv: ["cat"], stdin: true })
      const chunks = Array.from({ length: 100 }, (_, i) => Buffer.alloc(5_000, i))
      await Effect.runPromise(
        Effect.forEach(chunks, (chunk) => child.handle.write(chunk), { concurrency: "unbounded" }),
      )
      await Effect.runPromise(child.handle.write(new Uint8Array(0)))
      await Effect.runPromise(child.handle.endStdin)
      await child.closed
      expect(child.bytes("stdout").equals(Buffer.concat(chunks))).toBe(true)
      await child.close()
    })

    test("a write waits while the child does not read", async () => {
      const child = await start({ argv: ["sleep", "60"], stdin: true })
      let written = 0
      const fill = Effect.forEach(Array.from({ length: 64 }), () =>
        Effect.map(child.handle.write(Buffer.alloc(65_536)), () => (written += 1)),
      )
      const done = Effect.runPromise(fill)
      await TestChild.sleep(300)
      expect(written).toBeLessThan(8)
      await Effect.runPromise(child.handle.signal("SIGKILL"))
      await expect(done).rejects.toThrow()
      await child.close()
    })

    test("a child that has closed its stdin makes writes fail, and nothing else", async () => {
      const child = await start({ argv: sh("exec <&-; echo closed; sleep 60"), stdin: true })
      await TestChild.until(() => child.text("stdout") !== "", "stdin is closed")
      const write = child.handle.write(Buffer.from("x"))
      const error = await Effect.runPromise(Effect.flip(Effect.zipRight(write, write)))
      expect(error.reason).toBe("Closed")
      await child.close()
    })
  })

  describe(`${name}: the child's surroundings`, () => {
    test("directory, environment and argv[0] are what the spec says", async () => {
      const cwd = realpathSync(mkdtempSync(join(tmpdir(), "spawn ")))
      const argv = ["/bin/sh", "-c", 'pwd; tr "\\0" "\\n" </proc/$$/cmdline | head -1; env'] as const
      const child = await run({ argv, arg0: "zero", cwd, env: { PATH: "/usr/bin:/bin", "A B": "ü\n" } })
      const lines = child.text("stdout").split("\n")
      expect(lines.slice(0, 2)).toEqual([cwd, "zero"])
      const printed = await run({ argv: ["/usr/bin/env", "-0"], env: { B: "ü\n1", "x y": "" } })
      expect(printed.text("stdout")).toBe("B=ü\n1\0x y=\0")
    })

    test("a bare name is looked up in the child's PATH, a relative one in its directory", async () => {
      const cwd = mkdtempSync(join(tmpdir(), "spawn-"))
      writeFileSync(join(cwd, "tool"), "#!/bin/sh\necho found\n", { mode: 0o755 })
      writeFileSync(join(cwd, "plain"), "", { mode: 0o644 })
      const out = async (options: TestChild.Options) => (await run(options)).text("stdout")
      expect(await out({ argv: ["tool"], env: { PATH: `/nowhere:${cwd}` } })).toBe("found\n")
      expect(await out({ argv: ["./tool"], cwd, env: {} })).toBe("found\n")
      expect(await out({ argv: ["tool"], cwd, env: { PATH: "." } })).toBe("found\n")
      expect(await out({ argv: ["tool"], cwd, env: { PATH: "/nowhere:" } })).toBe("found\n")
      expect(await out({ argv: ["echo", "x"], env: {} })).toBe("x\n")
      expect((await failure({ argv: ["plain"], env: { PATH: `${cwd}:/nowhere` } })).message).toBe(
        "Permission denied (os error 13)",
      )
    })

    test("what cannot be started fails with the text of the system", async () => {
      const messages = async (options: TestChild.Options) => (await failure(options)).message
      const missing = "No such file or directory (os error 2)"
      expect(await messages({ argv: ["/no/such/program"] })).toBe(missing)
      expect(await messages({ argv: ["no-such-program"] })).toBe(missing)
      expect(await messages({ argv: ["/bin/true"], cwd: "/no/such/directory" })).toBe(missing)
      expect(await messages({ argv: ["true"], cwd: "/etc/hostname" })).toBe("Not a directory (os error 20)")
      expect(await messages({ argv: ["nope"], cwd: "/etc/hostname" })).toBe("Not a directory (os error 20)")
      expect(await messages({ argv: ["/etc"] })).toBe("Permission denied (os error 13)")
      expect(await messages({ argv: [""] })).toBe("missing program for pipe spawn")
      expect(await messages({ argv: ["true", "a\0"] })).toBe("nul byte found in provided data")
      expect(await messages({ argv: ["true"], env: { A: "\0" } })).toBe("data provided contains a nul byte")
      expect(await messages({ argv: ["true", "x".repeat(4_000_000)] })).toBe(
        "Argument list too long (os error 7)",
      )
    })
  })

  describe(`${name}: groups and scopes`, () => {
    test("a signal reaches the whole group, and a group that is gone is no error", async () => {
      const child = await start({
        argv: sh("trap 'echo a; exit 3' INT; sh -c \"trap 'echo b; exit' INT; echo up; sleep 60\"; sleep 60"),
      })
      await TestChild.until(() => child.text("stdout") === "up\n", "both are up")
      await Effect.runPromise(child.handle.signal("SIGINT"))
      await child.closed
      expect(child.text("stdout").split("\n").sort()).toEqual(["", "a", "b", "up"])
      await Effect.runPromise(child.handle.signal("SIGINT"))
      await Effect.runPromise(child.handle.kill)
      await child.close()
    })

    test("a signal that does not exist is refused", async () => {
      const child = await start({ argv: ["sleep", "60"] })
      const error = await Effect.runPromise(Effect.flip(child.handle.signal("SIGNONE")))
      expect(error.reason).toBe("Unsupported")
      await Effect.runPromise(child.handle.kill)
      expect(await child.exit).toEqual({ kind: "signaled", signal: 9 })
      await child.close()
    })

    test("the end of the scope kills the group, and no event comes after it", async () => {
      const child = await start({ argv: sh("trap '' TERM HUP INT; sleep 60 & echo $!; wait; sleep 60") })
      await TestChild.until(() => child.text("stdout").endsWith("\n"), "the grandchild's pid")
      const grandchild = Number(child.text("stdout"))
      const log = [...child.log]
      await child.close()
      await child.close()
      await TestChild.until(() => !Proc.alive(grandchild), "the grandchild is dead")
      await TestChild.until(
        () => !Proc.children().some(({ pid }) => pid === child.handle.pid),
        "it is reaped",
      )
      expect(child.log).toEqual(log)
    })

    test("abandonOutput ends the streams that a process outside the group holds", async () => {
      const child = await start({ argv: sh(`setsid sleep 61.${process.pid} & exit 0`) })
      await child.exit
      expect(child.ended).toEqual([])
      await Effect.runPromise(child.handle.abandonOutput)
      expect([...child.ended].sort()).toEqual(["stderr", "stdout"])
      await child.close()
      for (const pid of Proc.withArgument(`61.${process.pid}`)) process.kill(pid, "SIGKILL")
    })

    test("200 children at once are all reaped, and leave no descriptor and no zombie", async () => {
      await run({ argv: ["true"] })
      const before = { descriptors: Proc.descriptors(), children: Proc.children().length }
      const all = await Promise.all(
        Array.from({ length: 200 }, (_, i) => start({ argv: sh(`read x; exit ${i}`), stdin: true })),
      )
      await Promise.all(all.map((child) => Effect.runPromise(child.handle.endStdin)))
      const codes = await Promise.all(all.map((child) => child.exit))
      expect(codes).toEqual(all.map((_, code) => ({ kind: "exited", code })))
      await Promise.all(all.map((child) => child.closed.then(child.close)))
      await TestChild.until(() => Proc.descriptors() <= before.descriptors + 1, "no descriptor is left")
      await TestChild.until(() => Proc.children().length <= before.children + 1, "no zombie is left")
    })
  })
}
