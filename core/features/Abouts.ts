/**
 * The documents of the wires of all features: one line each. Neither a client nor a server imports them.
 */
import { about as answers } from "./answers/about.ts"
import { about as attach } from "./attach/about.ts"
import { about as credit } from "./credit/about.ts"
import { about as deadline } from "./deadline/about.ts"
import { about as egress } from "./egress/about.ts"
import { about as fs } from "./fs/about.ts"
import { about as history } from "./history/about.ts"
import { about as http } from "./http/about.ts"
import { about as keep } from "./keep/about.ts"
import { about as lifetime } from "./lifetime/about.ts"
import { about as marks } from "./marks/about.ts"
import { about as pid } from "./pid/about.ts"
import { about as port } from "./port/about.ts"
import { about as receipt } from "./receipt/about.ts"
import { about as restart } from "./restart/about.ts"
import { about as screen } from "./screen/about.ts"
import { about as secrets } from "./secrets/about.ts"
import { about as wait } from "./wait/about.ts"
import type { About, Wire } from "./Wire.ts"
import { type Wires, wires } from "./Wires.ts"

type OfEach<W extends ReadonlyArray<Wire>> = { readonly [K in keyof W]: About }

const abouts: OfEach<Wires> = [
  receipt,
  deadline,
  egress,
  marks,
  answers,
  keep,
  restart,
  credit,
  lifetime,
  pid,
  wait,
  port,
  history,
  screen,
  fs,
  http,
  secrets,
  attach,
]

/** Notifications of the server that clients ignore, by name. */
export const serverNotifications: NonNullable<About["serverNotifications"]> = Object.assign(
  {},
  ...abouts.map((about) => about.serverNotifications),
)

/** Requests of the server, by name. */
export const serverRequests: NonNullable<About["serverRequests"]> = Object.assign(
  {},
  ...abouts.map((about) => about.serverRequests),
)

const byWire: ReadonlyMap<Wire, About> = new Map(wires.map((wire, index) => [wire, abouts[index] as About]))

export const aboutOf = (wire: Wire): About => {
  const about = byWire.get(wire)
  if (about === undefined)
    throw new Error(`no documents of the wire of ${Object.keys(wire.capabilities).join()}`)
  return about
}
