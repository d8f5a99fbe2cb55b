/** A page: the types of a browser, and none of Node. */
import { type Client, ClientError, type Command, connect } from "procwire/web"
import { same } from "./same.js"

export const page = async (file: File): Promise<void> => {
  await using client = await connect({ url: "wss://build.example" }, { reconnect: false })
  same<typeof client, Client>(true)
  const command: Command = client.$`sort`.input(file)
  const text: string = await command.text({ signal: AbortSignal.timeout(1000) })
  await using child = await client.start({ argv: ["cat"], pipeStdin: true })
  await file.stream().pipeThrough(new CompressionStream("gzip")).pipeTo(child.stdin)
  const body: Promise<ArrayBuffer> = new Response(child.stdout).arrayBuffer()
  console.log(text, await body)
  // @ts-expect-error: a page starts no program
  await connect({ command: "ssh", args: ["host"] })
  // @ts-expect-error: nor a server in itself
  await connect({ inProcess: true })
  // @ts-expect-error: a WebSocket of the web sends no headers
  await connect({ url: "wss://build.example", headers: { a: "b" } })
  // @ts-expect-error: the client of the first wire is not in it
  await connect({ url: "wss://build.example" }, { dialect: "v0" })
}

export const words = (error: unknown): string => (error instanceof ClientError ? error.reason : "?")

// @ts-expect-error: nothing has brought the types of Node
export type None = NodeJS.Timeout
