/** How a command becomes a process: the shell that runs it, its directory and its environment. */
import type { StartOptions } from "../client/StartOptions.ts"
import type { EnvironmentInfo } from "../protocol/Environment.ts"
import type { EnvPolicy } from "../protocol/Process.ts"
import type { ExecCommand } from "./Tools.ts"

/** What holds for commands that say nothing else. */
export interface Defaults {
  /** Where they run; default: the server's directory. */
  readonly cwd?: string
  /** What runs them; default: the user's shell on the server's host. */
  readonly shell?: string
  /** Variables on top of everything else, the fixed ones too. */
  readonly env?: Readonly<Record<string, string>>
  /** What they inherit of the server's variables; default: all but those named like keys, secrets and tokens. */
  readonly envPolicy?: EnvPolicy
}

/** What every command finds set, on the first run and on every later one, with and without a terminal. */
export const fixedEnvironment: Readonly<Record<string, string>> = {
  NO_COLOR: "1",
  TERM: "dumb",
  LANG: "C.UTF-8",
  LC_CTYPE: "C.UTF-8",
  LC_ALL: "C.UTF-8",
  COLORTERM: "",
  PAGER: "cat",
  GIT_PAGER: "cat",
  GH_PAGER: "cat",
  CODEX_CI: "1",
}

const defaultPolicy: EnvPolicy = {
  inherit: "all",
  ignoreDefaultExcludes: false,
  exclude: [],
  set: {},
  includeOnly: [],
}

/** What to start for a call of `exec_command` on that host. */
export const toStart = (args: ExecCommand, defaults: Defaults, { shell }: EnvironmentInfo): StartOptions => {
  const cwd = resolve(defaults.cwd, args.workdir ?? "")
  return {
    argv: toArgv(args.shell ?? defaults.shell ?? shell.path, args.login ?? true, args.cmd),
    tty: args.tty ?? false,
    env: { ...fixedEnvironment, ...defaults.env },
    envPolicy: defaults.envPolicy ?? defaultPolicy,
    ...(cwd === undefined ? {} : { cwd }),
  }
}

/** The argv that has `shell` run `cmd`. */
export const toArgv = (shell: string, login: boolean, cmd: string): ReadonlyArray<string> => {
  const name = /[^/\\]*$/.exec(shell.toLowerCase())?.[0].replace(/\.exe$/, "")
  if (name === "cmd") return [shell, "/c", cmd]
  if (name === "powershell" || name === "pwsh") {
    return [shell, ...(login ? [] : ["-NoProfile"]), "-Command", cmd]
  }
  return [shell, login ? "-lc" : "-c", cmd]
}

/** `path` as seen from `base`; an absolute path or a URI is itself. */
const resolve = (base: string | undefined, path: string): string | undefined => {
  if (path === "") return base
  if (base === undefined || /^([/\\]|[A-Za-z]:[\\/]|file:)/i.test(path)) return path
  return `${base.replace(/\/$/, "")}/${path}`
}
