/** The real sshd of this machine, for tests: `sshd.mjs` on the runtime that runs the test. */
import { spawn } from "node:child_process"
import { existsSync } from "node:fs"
import process from "node:process"
import { fileURLToPath } from "node:url"
import { ssh } from "../sandbox/Ssh.ts"
import { name } from "./Runtime.ts"

const missing = ssh.missing()

/** The lack of this machine, as one line; undefined if it has an sshd. */
export const lack: string | undefined =
  missing !== undefined
    ? `not on this machine: ${missing.what}; ${missing.remedy}`
    : existsSync("/usr/sbin/sshd")
      ? undefined
      : "not on this machine: there is no /usr/sbin/sshd; apt-get install openssh-server"

/** The same for tests that need terminals: sshd gives each to a group, which root alone may. */
export const lackOfTerminals: string | undefined =
  lack ??
  (process.getuid?.() === 0 ? undefined : "not for this user: an sshd of root's alone gives terminals")

/** An sshd. */
export interface SshServer {
  /** The text behind `ssh:`. */
  readonly address: string
  /** The configuration for `ssh`, which only those name that connect to this server. */
  readonly config: string
  readonly close: () => void
}

const path = fileURLToPath(new URL("sshd.mjs", import.meta.url))

/** Starts one; it ends with this process. */
export const start = async (...settings: ReadonlyArray<string>): Promise<SshServer> => {
  const words = [...(name === "Deno" ? ["run", "--quiet", "--allow-all"] : []), path, ...settings]
  const server = spawn(process.execPath, words, { stdio: ["pipe", "pipe", "inherit"] })
  const address = await new Promise<string>((resolve, reject) => {
    server.stdout.once("data", (bytes: Buffer) => resolve(bytes.toString().trim()))
    server.once("exit", (code) => reject(new Error(`sshd.mjs ended with ${code}`)))
  })
  return { address, config: address.replace(/^.*config=/, ""), close: () => void server.kill() }
}
