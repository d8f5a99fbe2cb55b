/** A server on Linux that can do everything, for tests. */
import { allCapabilities } from "../../spawn/Fake.ts"
import type { Server } from "../Feature.ts"

export const linux: Server = {
  host: {
    platform: "linux",
    env: {},
    cwd: "/",
    home: undefined,
    temp: "/tmp",
    shell: { name: "sh", path: "/bin/sh" },
  },
  spawner: allCapabilities,
  files: { available: true, watches: true },
  hasNetwork: true,
  keepsEgress: false,
  listsAll: true,
  scope: "control",
  secrets: [],
}
