/**
 * Ways past egress rules, each tried by a child with rules, where it must fail, and without the guard, where it must
 * succeed.
 */
import { createSocket, type Socket as Datagrams } from "node:dgram"
import { once } from "node:events"
import * as net from "node:net"
import { networkInterfaces } from "node:os"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import type * as Egress from "../../../core/spawn/Egress.ts"
import { spawner as inner } from "../../testing/Runtime.ts"
import { canRun, gateOf, open } from "../testing/EgressChildren.ts"
import * as EgressEscapes from "../testing/EgressEscapes.ts"
import * as Places from "../testing/EscapePlaces.ts"
import * as Escapes from "../testing/Escapes.ts"
import * as TestChild from "../testing/TestChild.ts"

/** The names of this test. One that is rebound leads elsewhere from the second look on. */
let looks = 0
const lookup = async (name: string) => [name === "rebind.test" && looks++ > 0 ? "127.0.0.2" : "127.0.0.1"]

const { spawner, close } = open(lookup)
const confinement = { places: [{ path: "/", access: "read" as const }], network: false }

const servers: Array<net.Server> = []
let datagrams: Datagrams | undefined
const listen = async (answer: (got: string) => string | undefined, where: net.ListenOptions) => {
  const server = net.createServer((socket) => {
    let got = ""
    socket.on("error", () => {})
    socket.on("data", (bytes) => {
      got += bytes.toString("latin1")
      const body = answer(got)
      if (body === undefined) return
      socket.end(`HTTP/1.1 200 OK\r\nContent-Length: ${body.length}\r\n\r\n${body}`)
    })
  })
  servers.push(server)
  server.listen(where)
  await once(server, "listening")
  return (server.address() as net.AddressInfo).port
}

const address = Object.values(networkInterfaces())
  .flatMap((all) => all ?? [])
  .find(({ internal, family }) => !internal && family === "IPv4")?.address
const hasIpv6 = networkInterfaces()["lo"]?.some(({ family }) => family === "IPv6") === true
const missing: Readonly<Record<EgressEscapes.Need, () => string | undefined>> = {
  curl: () => (canRun("curl", "--version") ? undefined : "curl is not installed"),
  perl: () => (canRun("perl", "-MSocket", "-e", "1") ? undefined : "perl is not installed"),
  root: () => (process.getuid?.() === 0 ? undefined : "only root can try it"),
  ipv6: () => (hasIpv6 ? undefined : "this machine has no IPv6"),
  address: () => (address === undefined ? "this machine has no address but loopback" : undefined),
  vsock: () =>
    canRun("perl", "-MSocket", "-e", "socket(my $s, 40, 1, 0) or exit 1")
      ? undefined
      : "this kernel has no vsock",
}

let env: Readonly<Record<string, string>>
let place: Places.Place
let rules: Egress.Gate
const everything: Egress.Gate = {
  decide: async () => ({ allowed: true, rule: "all" }),
  mayDial: () => ({ allowed: true, rule: "all" }),
  told: () => {},
}

beforeAll(async () => {
  if (spawner.capabilities.egress !== true) return
  place = (await Places.open()).confined
  const secret = await listen(
    () => "escaped\n",
    hasIpv6 ? { host: "::", port: 0 } : { host: "0.0.0.0", port: 0 },
  )
  const judge = (got: string) => {
    if (!got.endsWith("\r\n\r\n")) return undefined
    return /^Host: evil\.test/im.test(got) ? "escaped\n" : "reached\n"
  }
  const allowed = await listen(judge, { host: "127.0.0.1", port: 0 })
  await listen(() => "escaped\n", { host: "127.0.0.2", port: allowed })
  const udp = createSocket("udp4")
  udp.on("message", (_, { port, address: from }) => udp.send("escaped\n", port, from))
  udp.bind(0)
  await once(udp, "listening")
  datagrams = udp
  rules = gateOf(`allow:allowed.test,*.allowed.test,inside.test,rebind.test,127.0.0.1:${allowed}`)
  env = {
    PATH: process.env["PATH"] ?? "",
    SECRET: String(secret),
    ALLOWED: String(allowed),
    UDP: String(udp.address().port),
    ADDRESS: address ?? "",
    SERVER: String(process.pid),
  }
})
afterAll(async () => {
  for (const server of servers) server.close()
  datagrams?.close()
  await close()
  await Places.close()
})

const attempt = async (
  script: string,
  egress: Egress.Gate | undefined,
  more: Partial<TestChild.Options> = {},
) => {
  looks = 0
  const confined = egress && { confinement, egress }
  const options = { argv: ["bash", "-c", script] as const, env, ...confined, ...more }
  const child = await TestChild.run(egress === undefined ? inner : spawner, options)
  const said = child.text("stdout")
  return { escaped: said.includes("escaped"), said, erred: child.text("stderr") }
}

describe.runIf(spawner.capabilities.egress)("a child with egress rules", { tags: ["bubblewrap"] }, () => {
  for (const [escapes, free] of [
    [EgressEscapes.direct, undefined],
    [EgressEscapes.byProxy, everything],
  ] as const)
    for (const { name, needs = [], script, canSucceed = true } of escapes)
      // guards: egress
      it(`does not get out: ${name}`, async (context) => {
        const lacks = needs.map((need) => missing[need]()).find((why) => why !== undefined)
        if (lacks !== undefined) return context.skip(lacks)
        if (canSucceed) expect(await attempt(script, free)).toMatchObject({ escaped: true })
        expect(await attempt(script, rules)).toMatchObject({ escaped: false })
      })

  for (const { asks, freeOn, name, needs, script, tty } of Escapes.all)
    if (asks === undefined && freeOn === undefined && tty !== true)
      // guards: confinement
      it(`does not get out, as one without a network: ${name}`, async (context) => {
        const lacks = Places.lacking(needs)
        if (lacks !== undefined) return context.skip(lacks)
        Places.reset()
        const { SECRET, WORK } = Places.places
        const places = Object.entries({ "/": "read", [WORK]: "write", [SECRET]: "none" } as const)
        const more = {
          env: place.env,
          confinement: { places: places.map(([path, access]) => ({ path, access })), network: false },
        }
        expect(await attempt(script, rules, more)).toMatchObject({ escaped: false })
      })

  it("reaches what is allowed, and nothing if nothing is", async () => {
    const script =
      "exec 3<>/dev/tcp/127.0.0.1/${http_proxy##*:}; printf 'GET http://allowed.test:'$ALLOWED'/ HTTP/1.0\\r\\n\\r\\n' >&3; cat <&3"
    expect((await attempt(script, rules)).said).toContain("reached")
    expect((await attempt(script, gateOf(""))).said).toContain("is blocked")
  })
})
