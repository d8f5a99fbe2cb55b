/**
 * Starts a process for the page.
 *
 * A visitor who may control all sessions gets one that goes on without the page: it is kept, in a session of its own
 * that no connection has, and so its output goes only to those who look at it. Otherwise it belongs to the session of
 * the page, which the server keeps for a while after the page is closed.
 */
import type { Client } from "../../../../core/client/Client.ts"
import type { StartOptions } from "../../../../core/client/StartOptions.ts"
import type { TerminalSize } from "../../../../core/protocol/Process.ts"
import { features } from "../features/Features.ts"
import type { Place } from "../model/Rows.ts"
import type { Link } from "./Link.ts"

/** The request of the form. */
export interface Wanted {
  readonly argv: ReadonlyArray<string>
  /** Empty: the directory of the server. */
  readonly cwd: string
  /** Empty: none. */
  readonly name: string
  readonly tty: boolean
  /** True for a process on pipes with an open stdin. */
  readonly stdin: boolean
  readonly size: TerminalSize
}

/** The size of a new terminal, which gets that of its room as soon as that is known. */
export const size: TerminalSize = { columns: 100, rows: 30 }

export const shell = ({ client }: Link): Wanted => {
  const { path } = client.environmentInfo.shell
  return { argv: [path], cwd: "", name: "", tty: true, stdin: false, size }
}

/** Starts it, and says where it is. Rejects with `ClientError`. */
export const start = (link: Link, wanted: Wanted): Promise<Place> => {
  const options = optionsOf(link, wanted)
  return link.can("processControlAll")
    ? link.apart((client) => startIn(client, { ...options, keep: true }))
    : startIn(link.client, options)
}

const startIn = async (client: Client, options: StartOptions): Promise<Place> => {
  const { id } = await client.start(options)
  for await (const { session, own } of client.listSessions()) if (own) return { session, processId: id }
  throw new Error("the server does not list the session of this page")
}

const optionsOf = ({ can }: Link, { argv, cwd, name, tty, stdin, size }: Wanted): StartOptions => ({
  argv,
  tty,
  ...(cwd === "" ? {} : { cwd }),
  ...(name === "" ? {} : { name }),
  ...(tty && can("processResize") ? { terminalSize: size } : {}),
  ...(tty ? {} : { pipeStdin: stdin }),
  ...Object.assign({}, ...features.map(({ start }) => start?.(can))),
})
