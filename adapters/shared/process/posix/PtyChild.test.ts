import * as Effect from "effect/Effect"
import { describe, expect, test } from "vitest"
import { spawner } from "../../../testing/Runtime.ts"
import * as Proc from "../../testing/Proc.ts"
import * as TestChild from "../../testing/TestChild.ts"

const sh = (script: string) => ["/bin/sh", "-c", script] as const
/** Seconds to sleep, to be found by. */
const unique = (seconds: number) => `${seconds}.${process.pid}`
const start = (options: TestChild.Options) => TestChild.start(spawner, { pty: true, ...options })
const type = (child: TestChild.TestChild, text: string) =>
  Effect.runPromise(child.handle.write(Buffer.from(text)))
const seen = (child: TestChild.TestChild, text: string) =>
  TestChild.until(
    () => child.text("pty").includes(text),
    () => `${text} in ${JSON.stringify(child.text("pty"))}`,
  )

describe("a child on a PTY", () => {
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
})
