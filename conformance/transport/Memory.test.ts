/** The transport suite on the reference: two transports linked in memory. */
import * as Memory from "../../core/transport/Memory.ts"
import * as TransportSuite from "./TransportSuite.ts"

TransportSuite.suite("transports in memory", Memory.makePair())
