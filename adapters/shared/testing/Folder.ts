/** A temporary folder that is removed after the test, with a shell that runs in it. */
import { execFileSync } from "node:child_process"
import { mkdtempSync, realpathSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { onTestFinished } from "vitest"

export interface Folder {
  readonly path: string
  /** The path of a file in the folder. */
  readonly at: (name: string) => string
  /** Runs a script in the folder and returns its output. */
  readonly sh: (script: string) => string
}

export const make = (script = ":"): Folder => {
  const path = realpathSync(mkdtempSync(join(tmpdir(), "procwire-test-")))
  onTestFinished(() => rmSync(path, { recursive: true, force: true }))
  const sh = (text: string) => execFileSync("/bin/sh", ["-c", text], { cwd: path, encoding: "utf8" })
  sh(script)
  return {
    path,
    // Bun's `join` replaces invalid Unicode.
    at: (name) => `${path}/${name}`,
    sh,
  }
}
