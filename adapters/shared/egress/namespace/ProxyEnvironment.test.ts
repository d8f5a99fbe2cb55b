import { expect, it } from "vitest"
import * as ProxyEnvironment from "./ProxyEnvironment.ts"

it("leads to the proxy whoever reads it, in both cases, and to the child's own loopback without it", () => {
  const env = ProxyEnvironment.make({}, 1234)
  for (const name of [
    "http_proxy",
    "HTTP_PROXY",
    "https_proxy",
    "HTTPS_PROXY",
    "npm_config_proxy",
    "PIP_PROXY",
  ])
    expect(env[name]).toBe("http://127.0.0.1:1234")
  for (const name of ["all_proxy", "ALL_PROXY"]) expect(env[name]).toBe("http://127.0.0.1:1234")
  for (const name of ["no_proxy", "NO_PROXY"]) expect(env[name]).toBe("localhost,127.0.0.1,::1")
  expect(env["NODE_USE_ENV_PROXY"]).toBe("1")
})

it("takes out what the caller has given for another proxy, in any case, and keeps the rest", () => {
  const given = {
    Http_Proxy: "http://corp:3128",
    https_proxy: "http://corp:3128",
    No_Proxy: "*",
    NPM_CONFIG_NOPROXY: "*",
    npm_config_https_proxy: "http://corp:3128",
    Pip_Proxy: "http://corp:3128",
    GIT_PROXY_COMMAND: "nc",
    PATH: "/bin",
    NPM_CONFIG_REGISTRY: "http://registry.example.org",
  }
  const env = ProxyEnvironment.make(given, 1)
  expect(Object.values(env).filter((value) => value.includes("corp"))).toEqual([])
  for (const name of ["Http_Proxy", "No_Proxy", "NPM_CONFIG_NOPROXY", "Pip_Proxy", "GIT_PROXY_COMMAND"])
    expect(env).not.toHaveProperty(name)
  expect(env).toMatchObject({ PATH: "/bin", NPM_CONFIG_REGISTRY: "http://registry.example.org" })
})

it("adds settings of git and options of the JVM behind those of the caller", () => {
  const given = {
    GIT_CONFIG_COUNT: "1",
    GIT_CONFIG_KEY_0: "user.name",
    GIT_CONFIG_VALUE_0: "me",
    JAVA_TOOL_OPTIONS: "-Xmx1g",
  }
  const env = ProxyEnvironment.make(given, 7)
  expect(env).toMatchObject({
    GIT_CONFIG_COUNT: "2",
    GIT_CONFIG_KEY_0: "user.name",
    GIT_CONFIG_KEY_1: "http.proxy",
    GIT_CONFIG_VALUE_1: "http://127.0.0.1:7",
  })
  expect(env["JAVA_TOOL_OPTIONS"]).toMatch(/^-Xmx1g -Dhttp\.proxyHost=127\.0\.0\.1 -Dhttp\.proxyPort=7 /)
  expect(ProxyEnvironment.make({ GIT_CONFIG_COUNT: "many" }, 7)).toMatchObject({
    GIT_CONFIG_COUNT: "1",
    GIT_CONFIG_KEY_0: "http.proxy",
  })
})
