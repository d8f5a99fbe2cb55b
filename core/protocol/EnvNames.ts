/** The names of environment variables that an `EnvPolicy` stands for, and those that no child gets. */

/** Patterns of inherited names that are dropped, unless the policy says `ignoreDefaultExcludes`. */
export const defaultExcludes: ReadonlyArray<string> = ["*KEY*", "*SECRET*", "*TOKEN*"]

/** Names that `inherit: "core"` keeps, as in the peer implementation. Case is ignored. */
export const core: { readonly [system in "unix" | "windows"]: ReadonlyArray<string> } = {
  unix: "PATH SHELL TMPDIR TEMP TMP HOME LANG LC_ALL LC_CTYPE LOGNAME USER".split(" "),
  windows: (
    "PATH PATHEXT SHELL COMSPEC SYSTEMROOT SYSTEMDRIVE USERNAME USERDOMAIN USERPROFILE HOMEDRIVE HOMEPATH " +
    "PROGRAMFILES PROGRAMFILES(X86) PROGRAMW6432 PROGRAMDATA LOCALAPPDATA APPDATA TEMP TMP TMPDIR POWERSHELL PWSH"
  ).split(" "),
}

/** Removed from every child's environment, also if the request sets it; the name is compared with case. */
export const strippedExactly: ReadonlyArray<string> = ["CODEX_EXEC_SERVER_EXIT_ON_STDIN_CLOSE"]

/** Removed from every child's environment, also if the request sets it. Case is ignored. */
export const stripped: ReadonlyArray<string> = [
  "CODEX_EXEC_SERVER_NOISE_AUTH_TOKEN",
  "NODE_REPL_AUTH_TOKEN",
  "OPENAI_FEDERATION_RULE_ID",
  "OPENAI_IDENTITY_TOKEN_FILE",
  "OPENAI_WORKLOAD_IDENTITY_CONTEXT",
]
