/** Tests ExecServer.ts: what a server with a floor lets its requests reach, whatever they ask for. */
import * as Effect from "effect/Effect"
import { describe, expect, it } from "vitest"
import { none } from "../files/Files.ts"
import * as FakeHttp from "../http/Fake.ts"
import type { Confinement } from "../protocol/Confinement.ts"
import type { Sandbox } from "../protocol/Sandbox.ts"
import { effect } from "../testing/Effects.ts"
import { host } from "../testing/TestServer.ts"
import * as SandboxedFiles from "../features/fs/SandboxedFiles.ts"
import { ready, start } from "./testing/Client.ts"

const floor: Confinement = {
  places: [
    { path: "/", access: "read" },
    { path: "/work", access: "write" },
  ],
  network: false,
}

const profile = (permissions: object) => ({
  permissions,
  windowsSandboxLevel: "disabled",
  windowsSandboxProxySettingsMode: null,
})
const root = (access: string) => ({ path: { type: "special", value: { kind: "root" } }, access })
const restricted = (entries: ReadonlyArray<object>, network = "enabled") =>
  profile({ type: "managed", file_system: { type: "restricted", entries }, network })

/** Requests for more than the floor. */
const wide: ReadonlyArray<object | null> = [
  null,
  profile({ type: "disabled" }),
  profile({ type: "external", network: "enabled" }),
  profile({ type: "managed", file_system: { type: "unrestricted" }, network: "enabled" }),
  restricted([root("write")]),
  restricted([root("write"), { path: { type: "path", path: "file:///etc" }, access: "write" }]),
]

describe("a server with a floor", () => {
  it(
    "confines a process to it, whatever the request asks for",
    effect(function* () {
      const { client, fake } = yield* ready({}, { floor })
      for (const [index, sandbox] of wide.entries()) {
        const answer = yield* client.ask("process/start", start(`p${index}`, { sandbox }))
        expect(answer).toMatchObject({ result: { sandboxType: "linuxSeccomp" } })
      }
      for (const { spec } of fake.children) expect(spec.confinement).toEqual(floor)
      expect(fake.children.length).toBe(wide.length)
    }),
  )

  it(
    "gives a process less than the floor if the request asks for less",
    effect(function* () {
      const { client, fake } = yield* ready({}, { floor })
      yield* client.ask("process/start", start("p", { sandbox: restricted([root("read")]) }))
      expect(fake.children[0]?.spec.confinement).toMatchObject({
        places: [{ path: "/", access: "read" }],
        network: false,
      })
    }),
  )

  it(
    "refuses processes if its spawner does not confine",
    effect(function* () {
      const { client, fake } = yield* ready({ capabilities: { confine: false } }, { floor })
      expect(yield* client.ask("process/start", start("p"))).toMatchObject({
        error: { code: -32602, message: SandboxedFiles.unconfinable },
      })
      expect(fake.children).toEqual([])
    }),
  )

  it(
    "refuses HTTP requests without a network, and sends them with one",
    effect(function* () {
      let sent = 0
      const answer = () => Effect.sync(() => ((sent += 1), FakeHttp.response(204)))
      const request = { method: "GET", url: "http://a.example/", requestId: "r" }
      const refused = yield* ready({}, { floor, answer })
      const message = "http/request is refused: this server is confined without a network (--confine)"
      for (const streamResponse of [false, true]) {
        const asked = yield* refused.client.ask("http/request", { ...request, streamResponse })
        expect(asked).toMatchObject({ error: { code: -32600, message } })
      }
      expect(sent).toBe(0)
      const info = yield* refused.client.ask("environment/info")
      expect(info).toMatchObject({ result: { capabilities: { httpHeaderEnvVars: false } } })
      const open = yield* ready({}, { floor: { ...floor, network: true }, answer })
      expect(yield* open.client.ask("http/request", request)).toMatchObject({ result: { status: 204 } })
    }),
  )
})

describe("the files of a server with a floor", () => {
  const calls = (sandbox: object | null, under: Confinement, canConfine = true) => {
    const asked: Array<Confinement> = []
    const confined = (confinement: Confinement) => {
      asked.push(confinement)
      return Effect.die("not called in this test")
    }
    const files = canConfine ? { ...none, confined } : none
    const made = SandboxedFiles.make(files, host, under).calls(sandbox as Sandbox | null)
    return Effect.as(Effect.exit(Effect.scoped(made)), asked)
  }

  it(
    "are confined to it, whatever a request asks for",
    effect(function* () {
      for (const sandbox of wide) expect(yield* calls(sandbox, floor)).toEqual([floor])
    }),
  )

  it(
    "are free if the floor takes the network alone",
    effect(function* () {
      const noNetwork: Confinement = { places: [{ path: "/", access: "write" }], network: false }
      for (const sandbox of wide.slice(0, -1)) expect(yield* calls(sandbox, noNetwork)).toEqual([])
    }),
  )

  it(
    "are refused where they cannot be confined",
    effect(function* () {
      for (const sandbox of wide) {
        const made = SandboxedFiles.make(none, host, floor).calls(sandbox as Sandbox | null)
        expect(yield* Effect.flip(Effect.scoped(made))).toMatchObject({
          message: expect.stringContaining("files are refused: this server is confined (--confine)"),
        })
      }
    }),
  )
})
