/** The shape of a signal, apart from `Signals`, which clients use alone. */
import * as Shape from "./shape/index.ts"
import * as Signals from "./Signals.ts"

const json = {
  anyOf: [
    { type: "string", enum: [...Signals.signalNames] },
    { type: "string", pattern: "^(SIG)?[A-Z][A-Z0-9]*([+-][0-9]+)?$" },
    { type: "integer", minimum: 1, maximum: Signals.largest },
  ],
}
const readWord = Shape.readWord(Signals.signalNames, ["interrupt"])

/** A signal. A refusal has the words of the peer, which knows `interrupt` alone. */
export const Signal = Shape.make<Signals.Signal>(
  (value, reading) => Signals.read(value) ?? readWord(value, reading),
  { kind: "leaf", name: "Signal", json },
)
