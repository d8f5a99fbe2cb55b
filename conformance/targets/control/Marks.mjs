// @ts-check
/** The marks of shell integration in the output of the control server's processes. */

/**
 * @typedef {import("./Parts.mjs").Piece} Piece
 * @typedef {import("./Parts.mjs").Session} Session
 */

/** @type {Record<string, string>} */
const kinds = { A: "promptStart", C: "commandStart", D: "commandEnd" }

// eslint-disable-next-line no-control-regex
const sequence = /\x1b\](?:133|633);(?:([ACD])(?:;([^\x07\x1b]*))?|P;Cwd=([^\x07\x1b]*))(?:\x07|\x1b\\)/g
// eslint-disable-next-line no-control-regex
const begun = /\x1b(?:\](?:[136]|[136]3|[16]33|(?:133|633);[^\x07\x1b]*\x1b?)?)?$/

/**
 * The pieces of a chunk; each but the last ends with a mark. `scan.held` is what may be the begin of a mark: it was
 * sent before.
 * @param {Session} session
 * @param {{ held: Buffer, cwd: string | null }} scan
 * @param {Buffer} bytes
 * @returns {Array<Piece>}
 */
export const pieces = ({ parts }, scan, bytes) => {
  const { length } = scan.held
  const text = Buffer.concat([scan.held, bytes]).toString("latin1")
  /** @type {Array<Piece>} */
  const found = []
  let from = length
  let behind = 0
  for (const match of text.matchAll(sequence)) {
    const [{ length: size }, kind, more, cwd] = match
    behind = match.index + size
    if (cwd !== undefined) scan.cwd = cwd
    if (kind === undefined) continue
    const code = kind === "D" && /^-?\d+/.exec(more ?? "")
    const mark = { kind: kinds[kind] ?? "", exitCode: code ? Number(code[0]) : null, cwd: scan.cwd }
    found.push({ bytes: Buffer.from(text.slice(from, behind), "latin1"), mark })
    from = behind
  }
  scan.held = Buffer.from(begun.exec(text.slice(behind))?.[0] ?? "", "latin1")
  parts.scanned(scan)
  return parts.pieces([...found, { bytes: Buffer.from(text.slice(Math.max(from, length)), "latin1") }])
}
