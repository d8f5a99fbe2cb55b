import { expect, test } from "vitest"
import { spawner } from "../../../testing/Runtime.ts"
import * as TestChild from "../../testing/TestChild.ts"

const sh = (script: string) => TestChild.run(spawner, { argv: ["/bin/sh", "-c", script] })

test("a pipe child has no terminal, and a reader that is gone means SIGPIPE", async () => {
  const child = await sh("ps -o tty= -p $$; (yes; echo $? >&2) | head -1")
  expect(child.text("stdout")).toBe("?\ny\n")
  expect(child.text("stderr")).toBe("141\n")
})

test("names of variables that no shell would take do no harm", async () => {
  const child = await TestChild.run(spawner, {
    argv: ["/usr/bin/env"],
    env: { "": "x", "a=b": "c", D: "" },
  })
  expect(child.text("stdout")).toBe("=x\na=b=c\nD=\n")
})
