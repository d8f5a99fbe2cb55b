/**
 * What a program makes with its own `effect`, beside the one that is bundled with procwire. Each of the line 4 runs
 * what another one of it has made; what Effect 3 has made runs on none of them.
 */

const marks = [Symbol.for("effect/Effect"), Symbol.for("effect/Layer")]

/** True for an effect or a layer of Effect 3. */
export const isOfEffect3 = (value: unknown): boolean =>
  typeof value === "object" && value !== null && marks.some((mark) => mark in value)
