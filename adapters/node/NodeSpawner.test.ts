import { spawn } from "node:child_process"
import { mkdirSync, rmSync } from "node:fs"
import { join } from "node:path"
import { buildSync } from "esbuild"
import { expect, test } from "vitest"
import * as Proc from "../shared/testing/Proc.ts"
import * as TestChild from "../shared/testing/TestChild.ts"

/** The server of the test as a file that every Node can run, where it finds its packages. */
const bundle = (): string => {
  const folder = join(import.meta.dirname, "../../node_modules/.cache/procwire")
  mkdirSync(folder, { recursive: true })
  const outfile = join(folder, `OrphanServer-${process.pid}.mjs`)
  const entry = join(import.meta.dirname, "testing/OrphanServer.ts")
  buildSync({ entryPoints: [entry], bundle: true, platform: "node", format: "esm", outfile })
  return outfile
}

test("a server killed 50 ms after its starts leaves no orphan", async () => {
  const seconds = `600.${process.pid}`
  const file = bundle()
  const server = spawn(process.execPath, [file, seconds], { stdio: ["ignore", "pipe", "inherit"] })
  await new Promise((resolve) => server.stdout.once("data", resolve))
  await TestChild.sleep(50)
  expect(Proc.withArgument(seconds).length).toBeGreaterThanOrEqual(20)
  server.kill("SIGKILL")
  rmSync(file)
  await TestChild.until(() => Proc.withArgument(seconds).length === 0, "every descendant is dead")
})
