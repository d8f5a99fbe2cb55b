/** Every spawner with a fault, and the harmless ones. */
import type * as Spawner from "../../../core/spawn/Spawner.ts"
import { withEvents, type Broken, type Service } from "./Broken.ts"
import { children } from "./children.ts"
import { events } from "./events.ts"

export type { Service } from "./Broken.ts"

/** Declares that it confines; `change` is all that it does about it. */
const claiming =
  (change: (argv: Spawner.SpawnSpec["argv"]) => Spawner.SpawnSpec["argv"] = (argv) => argv) =>
  (good: Service): Service => ({
    capabilities: { ...good.capabilities, confine: true },
    spawn: ({ confinement, ...spec }, events) =>
      good.spawn(confinement === undefined ? spec : { ...spec, argv: change(spec.argv) }, events),
  })

const confinements: { readonly [name: string]: Broken } = {
  "confinement-ignored": {
    does: "lets a confined child write everywhere",
    caughtBy: "spawner/confine/writes-what-it-may",
    reason: /made outside of the place/,
    make: claiming(),
  },
  "confinement-follows-links": {
    does: "lets a link lead out of a writable place",
    caughtBy: "spawner/confine/links-lead-nowhere",
    reason: /through a link/,
    make: claiming(),
  },
  "confinement-shows-everything": {
    does: "shows a confined child what is hidden",
    caughtBy: "spawner/confine/hides-what-it-has-to",
    reason: /was read/,
    make: claiming(),
  },
  "confinement-keeps-the-network": {
    does: "leaves a confined child an interface of the network",
    caughtBy: "spawner/confine/has-no-network",
    reason: /interfaces beside loopback/,
    // The child sees one more than this machine has.
    make: claiming(() => ["/bin/echo", "eth0"]),
  },
}

export const broken: { readonly [name: string]: Broken } = { ...events, ...children, ...confinements }

/** Unusual spawners without a fault: they must pass. */
export const harmless: { readonly [name: string]: (good: Service) => Service } = {
  "with a buffer that is used again after each call": withEvents((events) => ({
    ...events,
    output: (stream, bytes) => {
      events.output(stream, bytes)
      bytes.fill(0x21)
    },
  })),
  "with a chunk for every byte of short output": withEvents((events) => ({
    ...events,
    output: (stream, bytes) => {
      if (bytes.length > 300) return events.output(stream, bytes)
      for (let at = 0; at < bytes.length; at++) events.output(stream, bytes.subarray(at, at + 1))
    },
  })),
  "that says less than it can": (good) => ({
    ...good,
    capabilities: {
      pty: false,
      resize: false,
      arg0: false,
      processGroup: false,
      pipeStdin: false,
      pause: false,
      confine: false,
    },
  }),
}
