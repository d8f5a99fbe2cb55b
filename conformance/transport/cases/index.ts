/** Every case about a transport, in the order in which they are listed. */
import type { Case } from "../TransportContext.ts"
import { end } from "./end.ts"
import { framing } from "./framing.ts"
import { message } from "./message.ts"
import { order } from "./order.ts"
import { pressure } from "./pressure.ts"

/** Every case about a transport. */
export const cases: ReadonlyArray<Case> = [...order, ...message, ...framing, ...pressure, ...end]
