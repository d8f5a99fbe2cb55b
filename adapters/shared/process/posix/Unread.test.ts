// Output that a child has left in its pipes or its terminal at its exit.
import { readFileSync } from "node:fs"
import * as Effect from "effect/Effect"
import { expect, test } from "vitest"
import { spawner } from "../../../testing/Runtime.ts"
import * as TestChild from "../../testing/TestChild.ts"

/** True once a process has exited and is not yet reaped. */
const isZombie = (pid: number) => / Z /.test(readFileSync(`/proc/${pid}/stat`, "utf8"))

for (const pty of [false, true]) {
  test(`output that lies in a ${pty ? "terminal" : "pipe"} is known to be unread`, async () => {
    const child = await TestChild.start(spawner, { argv: ["/bin/sh", "-c", "echo last"], pty })
    const { pid, unread = Effect.succeed(undefined) } = child.handle
    // No event is delivered meanwhile.
    while (!isZombie(pid ?? 0)) continue
    expect(Effect.runSync(unread)).toBe(true)
    await child.closed
    expect(Effect.runSync(unread)).toBe(false)
    expect(child.text(pty ? "pty" : "stdout").trimEnd()).toBe("last")
    await child.close()
  })
}

test("a child that prints nothing has nothing unread", async () => {
  const child = await TestChild.start(spawner, { argv: ["/bin/cat"], stdin: true })
  expect(await Effect.runPromise(child.handle.unread ?? Effect.succeed(undefined))).toBe(false)
  await child.close()
})
