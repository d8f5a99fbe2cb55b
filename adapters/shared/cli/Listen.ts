/** `--listen`: where to serve. The texts of its errors are those of the peer implementation. */

export type Listen =
  | { readonly kind: "stdio" }
  | { readonly kind: "ws"; readonly host: string; readonly port: number }

/** The address that a server listens on if none is given: a free port of the loopback interface. */
export const defaultListen = "ws://127.0.0.1:0"

/** Reads `stdio`, `stdio://` or `ws://IP:PORT` with a literal address; throws with the text of the error. */
export const parse = (text: string): Listen => {
  if (text === "stdio" || text === "stdio://") return { kind: "stdio" }
  if (!text.startsWith("ws://")) {
    throw new Error(`unsupported --listen URL \`${text}\`; expected \`ws://IP:PORT\` or \`stdio\``)
  }
  const found = /^ws:\/\/(?:\[([0-9a-fA-F:.]+)\]|([0-9]+(?:\.[0-9]+){3})):([0-9]{1,5})$/.exec(text)
  const host = found?.[1] ?? found?.[2]
  const port = Number(found?.[3])
  if (host === undefined || !isAddress(host) || !(port <= 65_535)) {
    throw new Error(`invalid websocket --listen URL \`${text}\`; expected \`ws://IP:PORT\``)
  }
  return { kind: "ws", host, port }
}

const isAddress = (host: string): boolean =>
  host.includes(":") || host.split(".").every((part) => Number(part) <= 255 && String(Number(part)) === part)
