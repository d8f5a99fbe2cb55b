/** `procwire/acp` between an agent and a client of the SDK of ACP, over their own streams, with real processes. */
import {
  agent,
  client as acpClient,
  ndJsonStream,
  type SessionUpdate,
} from "@agentclientprotocol/sdk/experimental/v2"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import type { Client } from "../../../core/client/Client.ts"
import { connect } from "../../testing/Client.ts"
import { display, type DisplayOptions } from "../acp/index.ts"

/** The state of a terminal in a client, as the protocol says. */
interface Shown {
  command?: string | null | undefined
  cwd?: string | null | undefined
  bytes: Buffer
  meta?: unknown
  exitStatus?: { readonly exitCode?: number | null; readonly signal?: string | null } | null | undefined
}

const apply = (shown: Map<string, Shown>, update: SessionUpdate): void => {
  if (update.sessionUpdate !== "terminal_update" && update.sessionUpdate !== "terminal_output_chunk") return
  const id = String(update["terminalId"])
  const one = shown.get(id) ?? { bytes: Buffer.alloc(0) }
  shown.set(id, one)
  if (update.sessionUpdate === "terminal_output_chunk")
    one.bytes = Buffer.concat([one.bytes, Buffer.from(String(update["data"]), "base64")])
  else {
    const { command, cwd, exitStatus, output } = update as Extract<
      SessionUpdate,
      { sessionUpdate: "terminal_update" }
    >
    Object.assign(one, {
      ...(command === undefined ? {} : { command }),
      ...(cwd === undefined ? {} : { cwd }),
      ...(exitStatus === undefined ? {} : { exitStatus }),
      ...(output ? { bytes: Buffer.from(output.data, "base64"), meta: output._meta } : {}),
    })
  }
}

describe("A display terminal of ACP", () => {
  let client: Client
  beforeAll(async () => {
    client = await connect({ inProcess: true })
  })
  afterAll(() => client.close())

  const start = (script: string, more = {}) =>
    client.start({ argv: ["/bin/sh", "-c", script], cwd: "/", env: { PATH: "/usr/bin:/bin" }, ...more })

  /** Shows a process to a list alone. */
  const shown = async (script: string, options: Partial<DisplayOptions> = {}, more = {}) => {
    const updates: Array<SessionUpdate> = []
    const terminal = display(await start(script, more), {
      terminalId: "t",
      send: (update) => void updates.push(update),
      ...options,
    })
    await terminal.done
    const state = new Map<string, Shown>()
    for (const update of updates) apply(state, update)
    return { terminal, updates, state: state.get("t") }
  }

  it("reaches a client of the SDK through an agent of the SDK, byte for byte, with its end", async () => {
    const app = agent()
      .onRequest("initialize", () => ({ protocolVersion: 2, info: { name: "agent", version: "1" } }))
      .onRequest("session/new", () => ({ sessionId: "s" }))
      .onRequest("session/prompt", async ({ client: editor, params: { sessionId } }) => {
        const child = await start("printf 'a\\377\\342\\202'; printf '\\254\\n' >&2; exit 3")
        const terminal = display(child, {
          terminalId: "term-1",
          command: "odd bytes",
          cwd: "/",
          send: (update) => editor.notify("session/update", { sessionId, update }),
        })
        await terminal.done
        return { messageId: "m" }
      })
    const [there, back] = [new TransformStream<Uint8Array>(), new TransformStream<Uint8Array>()]
    const served = app.connect(ndJsonStream(back.writable, there.readable))
    const state = new Map<string, Shown>()
    const seen = acpClient().onNotification("session/update", ({ params }) => apply(state, params.update))
    await seen.connectWith(ndJsonStream(there.writable, back.readable), async (context) => {
      await context.request("initialize", { protocolVersion: 2, info: { name: "client", version: "1" } })
      const { sessionId } = await context.request("session/new", { cwd: "/" })
      await context.request("session/prompt", { sessionId, prompt: [{ type: "text", text: "go" }] })
    })
    served.close()
    const { bytes, ...rest } = state.get("term-1") ?? { bytes: Buffer.alloc(0) }
    expect(rest).toEqual({ command: "odd bytes", cwd: "/", exitStatus: { exitCode: 3 } })
    // stdout and stderr are two pipes: their order is not defined.
    const [out, err] = [Buffer.from("61ffe282", "hex"), Buffer.from("ac0a", "hex")]
    expect([Buffer.concat([out, err]), Buffer.concat([err, out])]).toContainEqual(bytes)
  })

  it("names the signal that a process died of, and its terminal is told once to have exited", async () => {
    const { state, updates } = await shown("kill -TERM $$", {}, { ending: true })
    expect(state?.exitStatus).toEqual({ signal: "SIGTERM" })
    expect(updates.filter((update) => "exitStatus" in update).length).toBe(1)
    const untold = await shown("kill -TERM $$", {}, { ending: false })
    expect(untold.state?.exitStatus).toEqual({ exitCode: 143 })
  })

  it("has a snapshot for clients that come later: all output, or its end", async () => {
    const script = "i=0; while [ $i -lt 200 ]; do echo line $i; i=$((i+1)); done"
    const all = await shown(script)
    const whole = all.terminal.snapshot()
    expect(whole).toMatchObject({
      terminalId: "t",
      exitStatus: { exitCode: 0 },
    })
    expect(whole).not.toHaveProperty("output._meta")
    const state = new Map<string, Shown>()
    apply(state, whole)
    expect(state.get("t")?.bytes.equals(all.state?.bytes ?? Buffer.alloc(0))).toBe(true)
    const { terminal } = await shown(script, { keepBytes: 100 })
    apply(state, terminal.snapshot())
    expect(state.get("t")).toMatchObject({ meta: { "procwire/truncated": true } })
    expect(state.get("t")?.bytes.toString()).toBe(all.state?.bytes.subarray(-100).toString())
  })

  it("waits for a client that is slow: what comes next is sent when it has taken what came before", async () => {
    let [busy, most] = [0, 0]
    const send = async () => {
      busy += 1
      most = Math.max(most, busy)
      await new Promise((resolve) => setImmediate(resolve))
      busy -= 1
    }
    const { terminal } = await shown("head -c 1000000 /dev/zero", { send })
    expect(most).toBe(1)
    const { output } = terminal.snapshot() as { output: { data: string } }
    expect(Buffer.from(output.data, "base64").length).toBe(1_000_000)
  })

  it("tells of an end that is not known when the process can no longer be followed, and rejects", async () => {
    const other = await connect({ inProcess: true })
    const child = await other.start({
      argv: ["/bin/sh", "-c", "echo on; exec sleep 1000"],
      cwd: "/",
      env: { PATH: "/bin" },
    })
    const updates: Array<SessionUpdate> = []
    let isPrinted = (): void => undefined
    const printed = new Promise<void>((resolve) => (isPrinted = resolve))
    const terminal = display(child, {
      terminalId: "t",
      send: (update) => {
        updates.push(update)
        if (update.sessionUpdate === "terminal_output_chunk") isPrinted()
      },
    })
    await printed
    await other.close()
    await expect(terminal.done).rejects.toMatchObject({ _tag: "ClientError" })
    expect(updates.at(-1)).toMatchObject({ exitStatus: {} })
  })
})
