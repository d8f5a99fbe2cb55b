/** The machine that a server runs on, as facts: whatever depends on it is decided from these. */
import * as Context from "effect/Context"

export interface HostInfo {
  /** `linux`, `macos` or `windows`. */
  readonly platform: string
  /** The server's own environment variables. */
  readonly env: Readonly<Record<string, string>>
  /** Absolute native paths. */
  readonly cwd: string
  readonly home: string | undefined
  readonly temp: string
  /** The user's shell: its base name without an extension, and its native path. */
  readonly shell: { readonly name: string; readonly path: string }
}

export class Host extends Context.Tag("procwire/Host")<Host, HostInfo>() {}
