// @ts-check
// Proxies with egress rules, and a note of all that they judge, resolve and dial.
import * as net from "node:net"

/** @typedef {typeof import("../../../../core/features/egress/Rules.ts")} Rules */
/** @typedef {typeof import("../../../../core/features/egress/Gate.ts")} Gate */
/** @typedef {typeof import("../../../../adapters/shared/egress/Proxy.ts")} Proxy */
/** @typedef {import("../../../../core/spawn/Egress.ts").Gate} Judge */

const built = "../../../../dist"

/**
 * A proxy for these rules; names resolve by a table, others to 127.0.0.1.
 * @param {readonly string[]} rules @param {import("../../../../adapters/shared/egress/Proxy.ts").Options} [options]
 * @param {(gate: Judge) => Judge} [watch]
 */
export const allowing = async (rules, options = {}, watch = (gate) => gate) => {
  /** @type {[Rules, Gate, Proxy]} */
  const [Rules, Gate, Proxy] = await Promise.all([
    import(`${built}/core/features/egress/Rules.js`),
    import(`${built}/core/features/egress/Gate.js`),
    import(`${built}/adapters/shared/egress/Proxy.js`),
  ])
  const parsed = Rules.parse(rules)
  if (parsed._tag === "Failure") throw new Error(parsed.failure)
  const gate = Gate.make([{ of: "the stress", rules: () => parsed.success }], { told: () => {} })
  return { proxy: Proxy.make(watch(gate), options) }
}

/** Tells of each connection over TCP that this process begins. @param {(target: string) => void} note */
export const onDial = (note) => {
  const prototype = /** @type {any} */ (net.Socket.prototype)
  const { connect } = prototype
  prototype.connect = function (/** @type {any[]} */ ...args) {
    const [first] = Array.isArray(args[0]) ? args[0] : args
    if (first?.port !== undefined) note(`${first.host} ${first.port}`)
    return connect.apply(this, args)
  }
}
