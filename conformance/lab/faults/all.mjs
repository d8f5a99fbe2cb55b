// @ts-check
// Every planted fault. Those that the wire suite must find on relays are in wire/, with a player of their own.
import { agent } from "./agent.mjs"
import { children } from "./children.mjs"
import { command } from "./command.mjs"
import { coreClient } from "./core-client.mjs"
import { coreFiles } from "./core-files.mjs"
import { coreProcess } from "./core-process.mjs"
import { coreServer } from "./core-server.mjs"
import { page } from "./page.mjs"
import { protocol } from "./protocol.mjs"

/** @import { Fault } from "./fault.mjs" */

/** @type {readonly Fault[]} */
export const all = [
  ...coreProcess,
  ...coreClient,
  ...coreServer,
  ...coreFiles,
  ...protocol,
  ...agent,
  ...children,
  ...command,
  ...page,
]
