/** A program on Node without Effect: every door that has promises, and no type of a browser. */
import * as Everything from "procwire"
import type { connect as byDefault } from "procwire"
import * as Acp from "procwire/acp"
import * as Agent from "procwire/agent"
import type * as Bun from "procwire/bun"
import type * as Deno from "procwire/deno"
import * as Conformance from "procwire/conformance"
import * as Vitest from "procwire/conformance/vitest"
import * as Mcp from "procwire/mcp"
import { type Client, connect, type EffectLayer, serve } from "procwire/node"
import type * as Runtime from "procwire/runtime"
import * as Sandbox from "procwire/sandbox"
import * as Web from "procwire/web"
import { same } from "./same.js"

export const modules = [Everything, Acp, Agent, Conformance, Mcp, Sandbox, Vitest, Web]

same<typeof byDefault, typeof connect>(true)
same<typeof Runtime.connect, typeof connect>(true)
same<typeof Bun.connect, typeof connect>(true)
same<typeof Deno.serve, typeof serve>(true)
same<Client, Web.Client>(true)
same<Everything.ClientError, Web.ClientError>(true)

/** The ways to a server. */
export const targets = async (): Promise<void> => {
  await connect({ url: "unix:/run/procwire.sock" })
  await connect({ url: "wss://host", token: "t", headers: { a: "b" } })
  await connect({ command: "ssh", args: ["host", "procwire", "serve", "--listen", "stdio"], env: { A: "1" } })
  await connect({ inProcess: true, spawner: "nice:5", contain: "cgroup" })
  // @ts-expect-error: not a way
  await connect({ socket: "/run/procwire.sock" })
  // @ts-expect-error: what keeps descendants together is one of five
  await connect({ inProcess: true, contain: "docker" })
}

/** The first version of the wire. */
export const first = async (): Promise<void> => {
  const client = await connect({ url: "ws://127.0.0.1:7000" }, { dialect: "v0" })
  same<typeof client, Client>(false)
  // @ts-expect-error: the first version of the wire has no files
  await client.fs.stat("/")
}

export const server = async (): Promise<void> => {
  const running = await serve({ listen: ["ws://127.0.0.1:0"], limits: { processes: 100 } })
  same<typeof running.addresses, ReadonlyArray<string>>(true)
  await running.close({ graceMs: 5000 })
  // @ts-expect-error: a misspelt limit
  await serve({ limits: { proceses: 100 } })
  // @ts-expect-error: a limit is a number
  await serve({ limits: { processes: "100" } })
  // @ts-expect-error: a misspelt option
  await serve({ listn: "stdio" })
  // @ts-expect-error: what an audit log does is an effect: `makeServer` takes it
  await serve({ auditLog: { admit: async () => {}, note: () => {} } })
}

/** Spawners: layers, which are not looked into, plain objects, and names. */
export const spawners = async (layer: EffectLayer, plain: Sandbox.PlainSpawner): Promise<void> => {
  const wrapped = Sandbox.wrap((spec) => ({ ...spec, argv: ["nice", ...spec.argv] }))
  same<typeof wrapped, EffectLayer>(true)
  // @ts-expect-error: argv stays a list
  Sandbox.wrap((spec) => ({ ...spec, argv: "nice" }))
  for (const spawner of [wrapped, plain, "nice:5", ["nice:5", "bwrap"]]) await serve({ spawner })
  await connect({ inProcess: true, spawner: wrapped })
  await serve({ listeners: [layer] })
  await Conformance.runSpawnerSuite(layer, { only: ["spawner/pty/*"] })
  Vitest.spawnerSuite("mine", plain)
  // @ts-expect-error: a listener is a layer
  await serve({ listeners: ["stdio"] })
  // @ts-expect-error: which no other object is
  await serve({ listeners: [{}] })
  // @ts-expect-error: a spawner spawns
  await serve({ spawner: {} })
  // @ts-expect-error: a number is none
  await connect({ inProcess: true, spawner: 5 })
  // @ts-expect-error: a layer says nothing of what it has
  console.log(layer.build)
}

/** The tools for language models, over any client. */
export const tools = async (client: Client): Promise<void> => {
  const made = Agent.createTools(client, { cwd: "/srv" })
  const { text } = await made.call("exec_command", { cmd: "make" })
  same<typeof text, string>(true)
  await Mcp.createServer(client, { cwd: "/srv" })
  // @ts-expect-error: a directory is a text
  Agent.createTools(client, { cwd: 1 })
  // @ts-expect-error: tools need a client
  Agent.createTools({})
}
