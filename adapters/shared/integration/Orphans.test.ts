/** `GroupReaper` with the spawner of the runtime that runs the test: nothing outlives a server that is killed. */
import { spawn } from "node:child_process"
import { mkdirSync, rmSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { buildSync } from "esbuild"
import { onTestFinished, test } from "vitest"
import { name } from "../../testing/Runtime.ts"
import * as Proc from "../testing/Proc.ts"
import * as TestChild from "../testing/TestChild.ts"

const pathOf = (file: string) => fileURLToPath(new URL(file, import.meta.url))
const path = pathOf("../../testing/OrphanServer.ts")

/** The server of the test: from source, but on Node, which cannot run that. */
const command = (): ReadonlyArray<string> => {
  if (name === "Bun") return [path]
  if (name === "Deno") return ["run", "--allow-all", path]
  const cache = pathOf("../../../node_modules/.cache/")
  const outfile = `${cache}OrphanServer-${process.pid}.mjs`
  mkdirSync(cache, { recursive: true })
  buildSync({ entryPoints: [path], bundle: true, platform: "node", format: "esm", outfile })
  return [outfile]
}

// guards: left-behind
test("a server killed right behind its starts leaves no orphan", async () => {
  const seconds = `600.${process.pid}`
  const args = command()
  const server = spawn(process.execPath, [...args, seconds], { stdio: ["ignore", "pipe", "inherit"] })
  onTestFinished(() => void server.kill("SIGKILL"))
  await new Promise((resolve) => server.stdout.once("data", resolve))
  await TestChild.until(() => Proc.withArgument(seconds).length >= 20, "the children run")
  server.kill("SIGKILL")
  if (name === "Node") rmSync(args[0] ?? "")
  await TestChild.until(() => Proc.withArgument(seconds).length === 0, "every descendant is dead")
})
