/** Spawners that say that they confine, and do not, or not all. */
import type * as Spawner from "../../../core/spawn/Spawner.ts"
import type { Broken, Service } from "./Broken.ts"

/** Declares that it confines; `change` is all that it does about it. */
const claiming =
  (change: (argv: Spawner.SpawnSpec["argv"]) => Spawner.SpawnSpec["argv"] = (argv) => argv) =>
  (good: Service): Service => ({
    capabilities: { ...good.capabilities, confine: true },
    spawn: ({ confinement, ...spec }, events) =>
      good.spawn(confinement === undefined ? spec : { ...spec, argv: change(spec.argv) }, events),
  })

export const confinements: { readonly [name: string]: Broken } = {
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
    // Whatever this machine has, the child sees one more.
    make: claiming(() => ["/bin/echo", "eth0"]),
  },
}
