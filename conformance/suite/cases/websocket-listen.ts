/**
 * `--listen` with an address that cannot be listened on: the server must not start, and must report why.
 */
import type { CaseContext } from "../CaseContext.ts"
import { table } from "../Case.ts"
import * as Check from "../Check.ts"
import { playStart } from "./guarded.ts"

const ws = { transports: "ws", server: "fresh" } as const

/** With each of these the server must exit with 1, or 2 as for wrong use, and print the text. */
const refused = async (
  t: CaseContext,
  urls: ReadonlyArray<string>,
  text: (url: string) => string,
): Promise<void> => {
  for (const url of urls) {
    const { code, out, said } = await playStart(t, [], url)
    Check.isTrue(code === 1 || code === 2, `the exit code for ${url} is ${code}`)
    Check.equal(out, "", `the standard output for ${url}`)
    Check.contains(said, text(url), `the standard error for ${url}`)
  }
}

/** Starts the server, once for all cases, at the port of the one that cases share. */
const onBusyPort = (t: CaseContext) =>
  t.once("a busy port", async () => playStart(t, [], (await t.withArgs([])).url))

export const websocketListen = table("websocket/listen", {
  "unknown-schemes-refused": {
    ...ws,
    level: "should",
    spec: [73],
    says:
      "A --listen URL with an unknown scheme, or with WS in capitals, makes the server exit with 1 or 2 and the " +
      "text unsupported --listen URL.",
    run: (t) =>
      refused(
        t,
        ["off", "http://127.0.0.1:0", "wss://127.0.0.1:0", "WS://127.0.0.1:0"],
        (url) => `unsupported --listen URL \`${url}\`; expected \`ws://IP:PORT\` or \`stdio\``,
      ),
  },
  "bad-addresses-refused": {
    ...ws,
    level: "should",
    spec: [73],
    says:
      "A --listen URL with a host name, with a path, or without a port makes the server exit with 1 or 2 and the " +
      "text invalid websocket --listen URL.",
    run: (t) =>
      refused(
        t,
        ["ws://localhost:0", "ws://127.0.0.1:0/x", "ws://127.0.0.1"],
        (url) => `invalid websocket --listen URL \`${url}\`; expected \`ws://IP:PORT\``,
      ),
  },
  "busy-port-refused": {
    ...ws,
    level: "must",
    spec: [73],
    says: "A server whose port is in use exits with a code other than 0 and prints no URL.",
    run: async (t) => {
      const { code, out } = await onBusyPort(t)
      Check.isTrue(code !== 0 && code !== null, `the exit code is ${code}`)
      Check.equal(out, "", "the standard output")
    },
  },
  "busy-port-text": {
    ...ws,
    level: "should",
    spec: [73],
    says: "A server whose port is in use prints that the address is in use, with os error 98.",
    run: async (t) => {
      const { said } = await onBusyPort(t)
      Check.isTrue(/address (already )?in use .*os error 98/i.test(said), `the standard error is ${said}`)
    },
  },
})
