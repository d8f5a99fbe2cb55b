/** The schema of a signal, apart from `Signals`, which clients use without schemas. */
import * as Schema from "effect/Schema"
import { word } from "./decoding/Serde.ts"
import { readBy } from "./Fields.ts"
import * as Signals from "./Signals.ts"

/** A signal. A refusal has the words of the peer, which knows `interrupt` alone. */
export const Signal = Schema.Literal(...Signals.signalNames).annotations({
  identifier: "Signal",
  ...readBy(word(Signals.signalNames, ["interrupt"], Signals.read)),
  jsonSchema: {
    anyOf: [
      { type: "string", enum: [...Signals.signalNames] },
      { type: "string", pattern: "^(SIG)?[A-Z][A-Z0-9]*([+-][0-9]+)?$" },
      { type: "integer", minimum: 1, maximum: Signals.largest },
    ],
  },
}) as unknown as Schema.Schema<Signals.Signal>
