/** A real terminal: a window of tmux, with a shell in it, and a server of tmux of its own. */
import { execFileSync } from "node:child_process"
import { expect, onTestFinished, vi } from "vitest"

/** The reason for its absence on this machine; undefined if it is there. */
export const lack: string | undefined = (() => {
  try {
    execFileSync("tmux", ["-V"], { stdio: "ignore" })
    return undefined
  } catch {
    return "not on this machine: there is no tmux; apt-get install tmux"
  }
})()

/** A window. */
export interface Window {
  /** Types keys, by the names that tmux has for them. */
  readonly keys: (...keys: ReadonlyArray<string>) => void
  /** Types these bytes, such as the report of a click. */
  readonly types: (text: string) => void
  /** Pastes a file as it is. */
  readonly paste: (file: string) => void
  /** Its picture, without the blanks at the end of lines. */
  readonly text: () => string
  /** The same with the lines above the screen. */
  readonly everything: () => string
  /** Completes when it shows a text. */
  readonly shows: (text: string | RegExp) => Promise<void>
  /** A variable of its pane, such as `alternate_on`. */
  readonly fact: (name: string) => string
  readonly resize: (columns: number, rows: number) => void
}

/** Opens one; it closes with the test. */
export const open = (
  socket: string,
  cwd: string,
  env: Readonly<Record<string, string | undefined>>,
): Window => {
  const tmux = (...args: ReadonlyArray<string>) =>
    execFileSync("tmux", ["-S", socket, "-f", "/dev/null", ...args], {
      encoding: "utf8",
      env,
      timeout: 20_000,
    })
  tmux("new-session", "-d", "-x", "90", "-y", "30", "-c", cwd, "env PS1='> ' bash --norc --noprofile")
  onTestFinished(() => void tmux("kill-server"))
  const text = (...from: ReadonlyArray<string>) => tmux("capture-pane", "-p", ...from).replaceAll(/ +$/gm, "")
  return {
    keys: (...keys) => void tmux("send-keys", ...keys),
    types: (bytes) => void tmux("send-keys", "-l", bytes),
    paste: (file) => {
      tmux("load-buffer", file)
      tmux("paste-buffer", "-r")
    },
    text: () => text(),
    everything: () => text("-S", "-"),
    shows: (wanted) => vi.waitFor(() => expect(text()).toMatch(wanted), { timeout: 240_000, interval: 50 }),
    fact: (name) => tmux("display", "-p", `#{${name}}`).trim(),
    resize: (columns, rows) => void tmux("resize-window", "-x", String(columns), "-y", String(rows)),
  }
}
