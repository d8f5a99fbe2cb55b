// @ts-check
// Servers that are wrong in ports.
import { fault, result } from "../../../lab/faults/wire/changes.mjs"

/** @import { WireFault } from "../../../lab/faults/wire/changes.mjs" */

const port = "process/port"

/** @type {readonly WireFault[]} */
export const broken = [
  fault`port-of-anybody: A port of another process is answered, as if it were one of this.
    process/port/refuses-what-does-not-listen`
    .with({ kernel: true })
    .by({
      answered: (m, { method, params }) =>
        method === port && m.error?.code === -32600
          ? { id: m.id, result: { host: "127.0.0.1", port: params.port } }
          : undefined,
    }),
  fault`port-is-new: Another address is told each time.
    process/port/is-the-same-for-all`
    .with({ kernel: true })
    .by(
      result(port, (found, _, known) => {
        known.ports = (known.ports ?? 0) + 1
        return known.ports === 1 ? found : { ...found, port: found.port + 1 }
      }),
    ),
]
