/** Children with egress rules, in network namespaces of their own, with the bubblewrap of this machine. */
import { readdirSync } from "node:fs"
import type * as net from "node:net"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Scope from "effect/Scope"
import { afterAll, describe, expect, it, test } from "vitest"
import type { Gate } from "../../../../core/spawn/Egress.ts"
import * as Spawner from "../../../../core/spawn/Spawner.ts"
import { platform, spawner as inner } from "../../../testing/Runtime.ts"
import * as Bubblewrap from "../../confine/Bubblewrap.ts"
import * as TestChild from "../../testing/TestChild.ts"
import type { Proxy } from "../Proxy.ts"
import * as Outlets from "./Outlets.ts"

const confinement = { places: [{ path: "/", access: "read" as const }], network: false }
const denied = { allowed: false, reason: "not_allowed", message: "nothing is allowed" } as const
const gateOf = (name: string): Gate & { readonly name: string } => ({
  name,
  decide: async () => denied,
  mayDial: () => denied,
  told: () => {},
})

/** In place of the proxy: says to whom a connection belongs, and gives back what it gets. */
const makeProxy = (gate: Gate): Proxy => ({
  accept: (socket: net.Socket) => {
    socket.write(`${(gate as ReturnType<typeof gateOf>).name}\n`)
    socket.pipe(socket)
  },
  close: () => {},
})
const host: Outlets.Host = {
  openFfi: platform.openFfi,
  isCommand: false,
  loadProxy: () => Promise.resolve(makeProxy),
}

/** The spawner in a scope, and the processes that make its namespaces. */
const build = (scope: Scope.Scope) => {
  const makers: Array<number> = []
  const noting: Spawner.SpawnerService = {
    ...inner,
    spawn: (spec, events) =>
      Effect.tap(inner.spawn(spec, events), ({ pid }) =>
        Effect.sync(() => {
          if (pid !== undefined && spec.argv.includes("netns")) makers.push(pid)
        }),
      ),
  }
  const makeOutlets: Outlets.MakeOutlets = (parts) => Outlets.make(host, parts)
  const layer = Layer.provide(Bubblewrap.layerWith({}, makeOutlets), Layer.succeed(Spawner.Spawner, noting))
  const spawner = Context.get(Effect.runSync(Layer.buildWithScope(layer, scope)), Spawner.Spawner)
  return { spawner, makers }
}

const scope = Effect.runSync(Scope.make())
afterAll(() => Effect.runPromise(Scope.close(scope, Exit.void)))
const { spawner } = build(scope)

const optionsOf = (script: string, name: string): TestChild.Options => ({
  argv: ["/bin/bash", "-c", script],
  confinement,
  egress: gateOf(name),
  env: { PATH: "/usr/sbin:/usr/bin:/sbin:/bin" },
})
const sh = async (script: string, name = "child") => {
  const child = await TestChild.run(spawner, optionsOf(script, name))
  return child.text("stdout") + child.text("stderr")
}
const connect = "exec 3<>/dev/tcp/127.0.0.1/${http_proxy##*:}"

const isAlive = (pid: number) => {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}
const descriptors = () => readdirSync("/proc/self/fd").length
test("says which part of the host is missing, and starts nothing then", async () => {
  const make = (other: Partial<Outlets.Host & Outlets.Parts>) => {
    const parts = { spawner: inner, bubblewrap: "/bin/bwrap", nsenter: "/bin/nsenter", ...other }
    return Effect.runSync(Scope.provide(Outlets.make({ ...host, ...other }, parts), scope))
  }
  const noFfi = () => {
    throw new Error("none")
  }
  for (const [more, words] of [
    [{ nsenter: undefined }, "nsenter is not in the PATH"],
    [{ openFfi: noFfi }, "the C library cannot be called"],
  ] as const) {
    const outlets = make(more)
    expect(outlets.missing).toContain(words)
    const without = Bubblewrap.make(inner, {}, outlets)
    expect(without.capabilities.egress).toBe(false)
    if (without.capabilities.confine)
      await expect(TestChild.run(without, optionsOf("echo ran", "none"))).rejects.toThrow(words)
  }
  const plain = Bubblewrap.make(inner)
  expect(plain.capabilities.egress ?? false).toBe(false)
  if (plain.capabilities.confine)
    await expect(TestChild.run(plain, optionsOf("echo ran", "none"))).rejects.toThrow(
      "egress rules cannot be kept",
    )
})

describe.runIf(spawner.capabilities.egress)("under bubblewrap", { tags: ["bubblewrap"] }, () => {
  it("gives each child a way out of its own, from its first instruction on", async () => {
    const names = ["one", "two", "three", "four", "five", "six"]
    const script = `${connect}; echo "to $0" >&3; head -2 <&3`
    const said = await Promise.all(names.map((name) => sh(script.replace("$0", name), name)))
    expect(said).toEqual(names.map((name) => `${name}\nto ${name}\n`))
  })

  it("leaves no other way: one interface, no route, and no capability to make one", async () => {
    const text = await sh(
      "cat /proc/net/dev | tail -n +3 | cut -d: -f1; tail -n +2 /proc/net/route; grep CapEff /proc/self/status",
    )
    expect(text).toBe("    lo\nCapEff:\t0000000000000000\n")
  })

  it("starts none without its confinement, or with a network beside it", async () => {
    for (const other of [undefined, { ...confinement, network: true }])
      await expect(
        TestChild.run(spawner, { ...optionsOf("echo ran", "x"), confinement: other }),
      ).rejects.toThrow("egress rules")
  })

  it("ends with the child: connections, listeners and namespaces", async () => {
    await sh(":")
    const before = descriptors()
    const child = await TestChild.start(spawner, optionsOf(`${connect}; cat <&3`, "held"))
    await TestChild.until(() => child.text("stdout") === "held\n", "it is connected")
    expect(descriptors()).toBeGreaterThan(before)
    await child.close()
    for (let round = 0; round < 5; round++) await sh(connect)
    await TestChild.until(() => descriptors() <= before, "all is closed")
  })

  it("starts what makes namespaces with the first child and after its death, and ends it with its scope", async () => {
    const before = descriptors()
    const own = Effect.runSync(Scope.make())
    const other = build(own)
    expect(other.makers).toEqual([])
    const run = () => TestChild.run(other.spawner, optionsOf(`${connect}; head -1 <&3`, "own"))
    await run()
    expect(other.makers).toHaveLength(1)
    process.kill(-(other.makers[0] ?? NaN), "SIGKILL")
    for (let round = 0; round < 8; round++) expect((await run()).text("stdout")).toBe("own\n")
    expect(other.makers).toHaveLength(2)
    await Effect.runPromise(Scope.close(own, Exit.void))
    await TestChild.until(() => !other.makers.some((pid) => isAlive(-pid)), "they end")
    await TestChild.until(() => descriptors() <= before, "all is closed")
  })
})
