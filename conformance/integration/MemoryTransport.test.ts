/** The transport suite on core/transport/Memory.ts, the reference implementation. */
import * as Memory from "../../core/transport/Memory.ts"
import * as TransportSuite from "../transport/TransportSuite.ts"

TransportSuite.suite("transports in memory", Memory.makePair())
