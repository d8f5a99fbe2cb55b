/** The rows of the table of options for the page of a server; see `OptionTable`. */
import type { Option } from "./Option.ts"

/** The page for browsers. */
export const web = {
  /**
   * Serve a page for browsers at the ws:// addresses, and print a one-time link to it; a token lets in, too.
   * Default: false. The flag is `--web`.
   */
  web: {
    flag: "web",
    kind: "switch",
    help: "serve a page for browsers at the ws:// addresses, and print a one-time link to it; a token lets in, too",
  },
  /**
   * A further name by which browsers reach the page, such as that of a proxy: NAME, NAME:PORT or
   * https://NAME[:PORT]; may be repeated. Default: the address, and localhost for loopback. The flag is
   * `--web-host`.
   */
  webHost: {
    flag: "web-host",
    kind: "text",
    repeatable: true,
    shows: "NAME",
    default: "the address, and localhost for loopback",
    help:
      "a further name by which browsers reach the page, such as that of a proxy: NAME, NAME:PORT or " +
      "https://NAME[:PORT]; may be repeated",
  },
  /**
   * Where a proxy has put the page, whether it takes the prefix away or not. Default: /. The flag is
   * `--web-prefix`.
   */
  webPrefix: {
    flag: "web-prefix",
    kind: "text",
    shows: "/PATH",
    default: "/",
    help: "where a proxy has put the page, whether it takes the prefix away or not",
  },
  /**
   * How long a browser stays logged in; a JWT that expires ends it earlier. Default: 43200000. The flag is
   * `--web-session-ms`.
   */
  webSessionMs: {
    flag: "web-session-ms",
    kind: "number",
    unit: "ms",
    shows: "N",
    least: 1000,
    // The longest time that the timers of all runtimes take.
    most: 2_147_483_647,
    default: 43_200_000,
    help: "how long a browser stays logged in; a JWT that expires ends it earlier",
  },
} as const satisfies Record<string, Option>
