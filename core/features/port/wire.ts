/** Ports on the wire: `process/port`. */
import { U16 } from "../../protocol/Integers.ts"
import { request } from "../../protocol/Method.ts"
import * as Shape from "../../protocol/shape/index.ts"
import * as Wire from "../Wire.ts"

/** Asks for a way to a port of a process. */
export const PortParams = Shape.struct("PortParams", {
  processId: Shape.string,
  /** The TCP port, on which the process or a descendant listens. */
  port: U16,
})

/**
 * An address on the host of the server. Each connection to it becomes one to the port, from within the network of the
 * process. It is the same for all who ask for this port of this process, and ends with the process, or when nobody has
 * been connected for a quarter of an hour.
 */
export const PortResult = Shape.struct("PortResponse", {
  /** An address of the loopback: `127.0.0.1`. */
  host: Shape.string,
  /** The TCP port at this address. */
  port: U16,
})
/** An address on the host of the server that leads to a port of a process. */
export type PortResult = typeof PortResult.Type

/** The wire of the feature. */
export const port = Wire.make({
  capabilities: {
    /** Beyond the peer implementation: `process/port`. */
    processPort: Shape.boolean,
  },
  requests: {
    "process/port": request({
      params: PortParams,
      result: PortResult,
      family: "exec",
      slotted: true,
      repeatable: "always",
      says: "an address that leads to a port within a process (beyond the peer; capability processPort)",
    }),
  },
})
