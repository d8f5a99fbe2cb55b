/** Facts about the machine that a server runs on. */
import * as Context from "effect/Context"

/** Facts about the machine. */
export interface HostInfo {
  /** `linux`, `macos` or `windows`. */
  readonly platform: string
  /** The server's own environment variables. */
  readonly env: Readonly<Record<string, string>>
  /** Working directory of the server, an absolute native path. */
  readonly cwd: string
  /** Home directory of its user, an absolute native path. */
  readonly home: string | undefined
  /** Directory for temporary files, an absolute native path. */
  readonly temp: string
  /** The user's shell: base name without extension, and absolute native path. */
  readonly shell: { readonly name: string; readonly path: string }
  /** `SHELL` of a process with a PTY whose environment has none. Absent: it gets none, as on Windows. */
  readonly loginShell?: string | undefined
}

/** The service; the same for all sessions of a server. */
export class Host extends Context.Service<Host, HostInfo>()("procwire/Host") {}
