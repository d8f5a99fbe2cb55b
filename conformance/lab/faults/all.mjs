// @ts-check
// Every planted fault. Those that the wire suite must find on relays are in wire/, with a player of their own.
import { readdirSync, readFileSync } from "node:fs"
import { read } from "./fault.mjs"

const folder = new URL("./", import.meta.url)

export const all = readdirSync(folder)
  .filter((name) => name.endsWith(".faults"))
  .flatMap((name) => read(readFileSync(new URL(name, folder), "utf8")))
