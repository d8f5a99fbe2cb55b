/** Turns a command line into a process to start: its shell, directory and environment. */
import type { StartOptions } from "../client/StartOptions.ts"
import type { EnvironmentInfo } from "../protocol/Environment.ts"
import type { EnvPolicy } from "../protocol/Process.ts"
import type { ExecCommand } from "./Tools.ts"

/** Defaults for every command. */
export interface Defaults {
  /** The working directory, and the base of a relative `workdir`. Default: the server's directory. */
  readonly cwd?: string
  /** The path of the shell. Default: the user's shell on the server's host. */
  readonly shell?: string
  /** Variables on top of all others, including `fixedEnvironment`. Default: none. */
  readonly env?: Readonly<Record<string, string>>
  /** The inherited variables of the server. Default: all but those that are likely secrets by their names. */
  readonly envPolicy?: EnvPolicy
  /** True to inherit variables that are likely secrets by their names, without `envPolicy`. Default: false. */
  readonly inheritSecrets?: boolean
}

/** Set for every command, with and without a terminal. */
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

/** Names of what is likely a secret, besides those with `KEY`, `SECRET` or `TOKEN` in them, which a policy excludes. */
export const secretNames: ReadonlyArray<string> =
  "*PASSWORD* *PASSWD* *PASSPHRASE* *_PWD *_PAT *DATABASE_URL* *_DSN *CREDENTIAL*".split(" ")

const defaultPolicy = (inheritSecrets: boolean): EnvPolicy => ({
  inherit: "all",
  ignoreDefaultExcludes: inheritSecrets,
  exclude: inheritSecrets ? [] : secretNames,
  set: {},
  includeOnly: [],
})

/** The process to start for a call of `exec_command`. */
export const toStart = (args: ExecCommand, defaults: Defaults, info: EnvironmentInfo): StartOptions => {
  const cwd = resolve(defaults.cwd, args.workdir ?? "")
  return {
    argv: toArgv(args.shell ?? defaults.shell ?? info.shell.path, args.login ?? true, args.cmd),
    tty: args.tty ?? false,
    ...(args.tty === true ? answered(info) : {}),
    env: { ...fixedEnvironment, ...defaults.env },
    envPolicy: defaults.envPolicy ?? defaultPolicy(defaults.inheritSecrets ?? false),
    ...(cwd === undefined ? {} : { cwd }),
  }
}

/** No person looks at the terminal of a command: where the server can, it answers what programs ask it. */
export const answered = ({ capabilities }: EnvironmentInfo): Pick<StartOptions, "answers"> =>
  capabilities?.processAnswers === true ? { answers: true } : {}

/** The argv with which `shell` runs `cmd`. */
export const toArgv = (shell: string, login: boolean, cmd: string): ReadonlyArray<string> => {
  const name = /[^/\\]*$/.exec(shell.toLowerCase())?.[0].replace(/\.exe$/, "")
  if (name === "cmd") return [shell, "/c", cmd]
  if (name === "powershell" || name === "pwsh") {
    return [shell, ...(login ? [] : ["-NoProfile"]), "-Command", cmd]
  }
  return [shell, login ? "-lc" : "-c", cmd]
}

/** `path` relative to `base`. An absolute path or a URI is returned as it is. */
const resolve = (base: string | undefined, path: string): string | undefined => {
  if (path === "") return base
  if (base === undefined || /^([/\\]|[A-Za-z]:[\\/]|file:)/i.test(path)) return path
  return `${base.replace(/\/$/, "")}/${path}`
}
