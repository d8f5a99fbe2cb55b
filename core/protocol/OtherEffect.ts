/**
 * Effects and layers made with a program's own `effect`, beside the one that is bundled with procwire. Each version of
 * the line 4 runs those of any other; those of Effect 3 run on none of them.
 */

const marks = [Symbol.for("effect/Effect"), Symbol.for("effect/Layer")]

/** True for an effect or a layer of Effect 3. */
export const isOfEffect3 = (value: unknown): boolean =>
  typeof value === "object" && value !== null && marks.some((mark) => mark in value)
