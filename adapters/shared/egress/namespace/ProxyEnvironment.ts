/** The variables that lead programs to a proxy on the loopback, in place of those that the caller has given. */

import type { Injection } from "../../../../core/spawn/Egress.ts"

/** Names that tell programs of a proxy, in lower case. */
const ofProxies = new Set(
  [
    "http_proxy https_proxy ftp_proxy ws_proxy wss_proxy all_proxy no_proxy node_use_env_proxy",
    "npm_config_proxy npm_config_http_proxy npm_config_https_proxy npm_config_noproxy",
    "yarn_proxy yarn_http_proxy yarn_https_proxy pip_proxy cargo_http_proxy git_proxy_command",
  ].flatMap((names) => names.split(" ")),
)

/** The hosts of the child's own loopback, which it reaches without the proxy. */
const own = ["localhost", "127.0.0.1", "::1"]

/**
 * The environment of a child whose proxy, for HTTP and SOCKS5, listens on this port of 127.0.0.1, and has the routes of
 * these secrets.
 *
 * Options for the JVM and settings of git are added behind those of the caller, of which the last one counts.
 */
export const make = (
  given: Readonly<Record<string, string>>,
  port: number,
  injections: ReadonlyArray<Pick<Injection, "name" | "variable">> = [],
): Readonly<Record<string, string>> => {
  const kept = Object.fromEntries(
    Object.entries(given).filter(([name]) => !ofProxies.has(name.toLowerCase())),
  )
  const http = `http://127.0.0.1:${port}`
  const both = (name: string, value: string) => ({ [name]: value, [name.toUpperCase()]: value })
  const routes = injections.flatMap(({ name, variable }) =>
    variable === undefined ? [] : [[variable, `${http}/_secret/${name}`] as const],
  )
  return {
    ...kept,
    ...Object.fromEntries(routes),
    ...both("http_proxy", http),
    ...both("https_proxy", http),
    ...both("ftp_proxy", http),
    // Not by SOCKS: clients of Python fail as they are made where a package for that is missing, and it is an extra.
    ...both("all_proxy", http),
    ...both("no_proxy", own.join(",")),
    NODE_USE_ENV_PROXY: "1",
    npm_config_proxy: http,
    npm_config_https_proxy: http,
    YARN_HTTP_PROXY: http,
    YARN_HTTPS_PROXY: http,
    PIP_PROXY: http,
    CARGO_HTTP_PROXY: http,
    ...gitOf(given, [["http.proxy", http]]),
    ...Object.fromEntries(
      ["JAVA_TOOL_OPTIONS", "GRADLE_OPTS"].map((name) => [
        name,
        [given[name] ?? "", ...jvm(port)].join(" ").trim(),
      ]),
    ),
  }
}

/** Settings of git, behind those that the caller has given in the same way. */
const gitOf = (
  given: Readonly<Record<string, string>>,
  settings: ReadonlyArray<readonly [key: string, value: string]>,
): Record<string, string> => {
  const before = /^\d{1,4}$/.test(given["GIT_CONFIG_COUNT"] ?? "") ? Number(given["GIT_CONFIG_COUNT"]) : 0
  const all: Record<string, string> = { GIT_CONFIG_COUNT: String(before + settings.length) }
  for (const [index, [key, value]] of settings.entries()) {
    all[`GIT_CONFIG_KEY_${before + index}`] = key
    all[`GIT_CONFIG_VALUE_${before + index}`] = value
  }
  return all
}

const jvm = (port: number): ReadonlyArray<string> => [
  ...["http", "https"].flatMap((name) => [`-D${name}.proxyHost=127.0.0.1`, `-D${name}.proxyPort=${port}`]),
  "-Dhttp.nonProxyHosts=localhost|127.*|[::1]",
]
