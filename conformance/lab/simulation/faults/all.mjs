// @ts-check
// The planted faults: what goes wrong when a wake-up, a cursor, a timer or a place is forgotten.
import { client } from "./client.mjs"
import { fleets } from "./fleet.mjs"
import { processes } from "./processes.mjs"
import { server } from "./server.mjs"
import { records } from "./records.mjs"
import { viewers } from "./viewers.mjs"
import { waits } from "./waits.mjs"
import { writers } from "./writers.mjs"

export const faults = [
  ...processes,
  ...server,
  ...client,
  ...waits,
  ...records,
  ...viewers,
  ...writers,
  ...fleets,
]
