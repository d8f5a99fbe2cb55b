import * as Effect from "effect/Effect"
import { describe, expect, test } from "vitest"
import { spawner } from "./testing/Node.ts"
import * as Proc from "../shared/testing/Proc.ts"
import * as TestChild from "../shared/testing/TestChild.ts"

const sh = (script: string) => ["/bin/sh", "-c", script] as const
/** Seconds to sleep, to be found by. */
const unique = (seconds: number) => `${seconds}.${process.pid}`
const start = (options: TestChild.Options) => TestChild.start(spawner, { pty: true, ...options })
const run = (options: TestChild.Options) => TestChild.run(spawner, { pty: true, ...options })
const type = (child: TestChild.TestChild, text: string) =>
  Effect.runPromise(child.handle.write(Buffer.from(text)))
const seen = (child: TestChild.TestChild, text: string) =>
  TestChild.until(
    () => child.text("pty").includes(text),
    () => `${text} in ${JSON.stringify(child.text("pty"))}`,
  )

describe("a child on a PTY", () => {
  test("has it as its controlling terminal, of the size that was asked for", async () => {
    const script =
      "echo $0; tty; stty size; ls /proc/self/fd | tr '\\n' ' '; ps -o pid=,pgid=,sid=,tpgid= -p $$"
    const child = await run({ argv: sh(script), arg0: "zero", pty: { rows: 24, columns: 80 } })
    const { pid } = child.handle
    const text = child.text("pty").replace(/ +/g, " ")
    expect(text).toMatch(/^zero\r\n\/dev\/pts\/\d+\r\n24 80\r\n0 1 2 3 /)
    expect(text).toContain(`${pid} ${pid} ${pid} ${pid}\r\n`)
    expect(child.status()).toEqual({ kind: "exited", code: 0 })
    expect(child.ended).toEqual(["pty"])
  })

  test("reads what is typed, and Ctrl-C interrupts the foreground group", async () => {
    const child = await start({ argv: ["bash", "--norc", "--noprofile", "-i"] })
    await type(child, "echo $((6 * 7)); sleep 61 & jobs\n")
    await seen(child, "42\r\n")
    await seen(child, "Running")
    await type(child, `kill %1; trap 'echo caught' INT; (sleep ${unique(62)}); echo code $?\n`)
    await TestChild.until(() => Proc.withArgument(unique(62)).length > 0, "the foreground job runs")
    await type(child, "\x03")
    await seen(child, "code 130\r\n")
    await type(child, "exit 5\n")
    expect(await child.exit).toEqual({ kind: "exited", code: 5 })
    await child.closed
    await child.close()
  })

  test("sees the end of its input as Ctrl-D, and endStdin does nothing", async () => {
    const child = await start({ argv: ["cat"] })
    await Effect.runPromise(child.handle.endStdin)
    await type(child, "line\n\x04")
    expect(await child.exit).toEqual({ kind: "exited", code: 0 })
    await child.closed
    expect(child.text("pty")).toBe("line\r\nline\r\n")
    const error = await Effect.runPromise(Effect.flip(child.handle.write(Buffer.from("x"))))
    expect(error.reason).toBe("Closed")
    await Effect.runPromise(child.handle.resize?.({ rows: 1, columns: 1 }) ?? Effect.void)
    await child.close()
  })

  test("is told of a new size", async () => {
    const child = await start({
      argv: sh("trap 'stty size; exit' WINCH; echo up; while :; do sleep 0.1; done"),
    })
    await seen(child, "up")
    await Effect.runPromise(child.handle.resize?.({ rows: 30, columns: 100 }) ?? Effect.void)
    await child.closed
    expect(child.text("pty")).toContain("30 100\r\n")
    await child.close()
  })

  test("loses nothing of 64 KiB when it exits at once", async () => {
    const lost = await TestChild.times(500, 4, async () => {
      let count = 0
      const onOutput = (_: string, bytes: Uint8Array) => (count += bytes.length)
      const child = await run({ argv: ["head", "-c", "65536", "/dev/zero"], onOutput })
      return count !== 65_536 || child.status()?.kind !== "exited"
    })
    expect(lost).toBe(0)
  })

  test("leaves its end to a descendant that still holds the terminal, and nothing of that is lost", async () => {
    const lost = await TestChild.times(100, 10, async () => {
      const late = "sleep 0.05; head -c 65536 /dev/zero"
      const child = await start({ argv: sh(`trap '' HUP; (${late}) & exit 3`) })
      expect(await child.exit).toEqual({ kind: "exited", code: 3 })
      const early = child.ended.length === 0
      await child.closed
      await child.close()
      return !early || child.bytes("pty").length !== 65_536
    })
    expect(lost).toBe(0)
  })

  test("may close its terminal for a while", async () => {
    const child = await run({ argv: sh("exec </dev/null >/dev/null 2>&1; sleep 0.2; echo back >/dev/tty") })
    expect(child.text("pty")).toBe("back\r\n")
    expect(child.status()).toEqual({ kind: "exited", code: 0 })
  })

  test("stops when it is paused, also over its exit, and loses nothing", async () => {
    let count = 0
    const child: TestChild.TestChild = await start({
      argv: sh("stty -opost; head -c 3000000 /dev/zero"),
      onOutput: (_, bytes) => {
        if (count === 0) child.handle.pause?.()
        count += bytes.length
      },
    })
    await TestChild.until(() => count > 0, "output")
    const paused = count
    await TestChild.sleep(200)
    expect(count).toBe(paused)
    expect(child.status()).toBeUndefined()
    child.handle.resume?.()
    await child.closed
    expect(count).toBe(3_000_000)
    await child.close()

    const short = await start({ argv: sh("sleep 0.1; echo last words") })
    short.handle.pause?.()
    await short.exit
    await TestChild.sleep(100)
    expect(short.log).toEqual(["exit"])
    short.handle.resume?.()
    await short.closed
    expect(short.text("pty")).toBe("last words\r\n")
    await short.close()
  })

  test("that pauses from within its output stops after that chunk", async () => {
    const child: TestChild.TestChild = await start({
      argv: sh("stty -opost; exec head -c 1000000 /dev/zero"),
      onOutput: () => child.handle.pause?.(),
    })
    for (let i = 1; i <= 3; i++) {
      await TestChild.until(() => child.log.length >= i, "a chunk")
      await TestChild.sleep(50)
      expect(child.log.length).toBeLessThanOrEqual(2 * i)
      child.handle.resume?.()
    }
    await child.close()
  })

  test("that does not read makes a write wait, without spinning", async () => {
    const child = await start({ argv: sh("stty raw -echo; echo up; sleep 60") })
    await seen(child, "up")
    let written = 0
    const fill = Effect.forEach(Array.from({ length: 64 }), () =>
      Effect.map(child.handle.write(Buffer.alloc(65_536)), () => (written += 1)),
    )
    const done = Effect.runPromise(fill)
    await TestChild.sleep(100)
    const cpu = process.cpuUsage()
    await TestChild.sleep(300)
    expect(process.cpuUsage(cpu).user).toBeLessThan(150_000)
    expect(written).toBeLessThan(4)
    await Effect.runPromise(child.handle.kill)
    await expect(done).rejects.toThrow()
    await child.close()
  })

  test("that cannot be started fails as on pipes", async () => {
    const message = async (options: TestChild.Options) =>
      (await TestChild.failure(spawner, { pty: true, ...options })).message
    expect(await message({ argv: ["/no/such"] })).toBe("No such file or directory (os error 2)")
    expect(await message({ argv: ["true"], cwd: "/no/such" })).toBe("No such file or directory (os error 2)")
    expect(await message({ argv: ["/etc"] })).toBe("Permission denied (os error 13)")
    expect(await message({ argv: [""] })).toBe("missing program for PTY spawn")
    expect(await message({ argv: ["true"], env: { A: "\0" } })).toBe("nul byte found in provided data")
  })

  test("dies with its scope and its descendants, and leaves nothing behind", async () => {
    await run({ argv: ["true"] })
    const before = { descriptors: Proc.descriptors(), children: Proc.children().length }
    const all = await Promise.all(
      Array.from({ length: 50 }, (_, i) =>
        start({ argv: sh(`trap '' HUP; sleep ${unique(90 + i)} & sleep 99; :`) }),
      ),
    )
    await TestChild.until(() => Proc.withArgument(unique(139)).length > 0, "the last one runs")
    await Promise.all(all.map((child) => child.close()))
    for (let i = 0; i < 150; i++) await run({ argv: ["true"] })
    await TestChild.until(() => Proc.descriptors() <= before.descriptors + 1, "no descriptor is left")
    await TestChild.until(() => Proc.children().length <= before.children + 1, "no zombie is left")
    await TestChild.until(() => Proc.withArgument(unique(90)).length === 0, "no descendant is left")
    expect(all.every((child) => !child.log.includes("exit") && !child.log.includes("/pty"))).toBe(true)
  })

  test("gives up its output at once when told so", async () => {
    const child = await start({ argv: sh(`trap '' HUP; setsid sleep ${unique(61)} & exit 0`) })
    await child.exit
    await Effect.runPromise(child.handle.abandonOutput)
    expect(child.ended).toEqual(["pty"])
    await child.close()
    for (const pid of Proc.withArgument(unique(61))) process.kill(pid, "SIGKILL")
  })
})
