// @ts-check
// The rows as a chart: a dot for each server, on a logarithmic axis of how many times as good as the first it is.
import { median } from "./figures.mjs"
import { measured, rows } from "./table.mjs"

/** @import { Result } from "./report.mjs" */

const size = { left: 290, right: 24, top: 62, row: 19, width: 900 }
const bounds = { least: 1 / 32, most: 32 }
const colours = ["#1f77b4", "#d95f02", "#1b9e77", "#7570b3", "#e7298a", "#66a61e", "#a6761d", "#444444"]

/** @param {string} text */
const escaped = (text) => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll('"', "&quot;")

/** @param {number} factor */
const place = (factor) => {
  const kept = Math.min(bounds.most, Math.max(bounds.least, factor))
  const share = Math.log(kept / bounds.least) / Math.log(bounds.most / bounds.least)
  return Math.round(size.left + share * (size.width - size.left - size.right))
}

/** @param {number} x @param {number} y @param {string} content @param {string} [more] */
const text = (x, y, content, more = "") => `<text x="${x}" y="${y}"${more}>${escaped(content)}</text>`

/** @param {number} height */
const axis = (height) =>
  Array.from({ length: 11 }, (_, index) => 2 ** (index - 5)).flatMap((factor) => {
    const x = place(factor)
    const says = factor >= 1 ? `${factor}×` : `1/${1 / factor}`
    const width = factor === 1 ? 2 : 0.5
    return [
      `<line x1="${x}" x2="${x}" y1="${size.top - 6}" y2="${height - 12}" stroke="#888" stroke-width="${width}"/>`,
      text(x, size.top - 12, says, ' text-anchor="middle"'),
    ]
  })

/**
 * A picture that needs nothing else: text, lines and dots, readable on white and on black.
 * @param {{ results: readonly Result[] }} run
 * @param {readonly string[]} servers the first is the one that the others are compared with
 */
export const chart = ({ results }, [first = "", ...others]) => {
  /** @param {string} transport @param {string} server @param {string} workload @param {string} key */
  const value = (transport, server, workload, key) =>
    median(measured(results, transport, server, workload, key))
  const drawn = ["stdio", "ws"].flatMap((transport) =>
    rows.flatMap(([says, workload, key, , better]) => {
      const base = value(transport, first, workload, key)
      const dots = others.flatMap((server, index) => {
        const mine = value(transport, server, workload, key)
        const factor = better === "more" ? mine / base : base / mine
        return Number.isFinite(factor) ? [{ server, index, factor }] : []
      })
      const name = `${workload.split("-")[0]} ${says}, ${transport === "ws" ? "WebSocket" : transport}`
      return dots.length > 0 ? [{ name, dots }] : []
    }),
  )
  const height = size.top + drawn.length * size.row + 20
  const lines = drawn.flatMap(({ name, dots }, row) => {
    const y = size.top + row * size.row + 10
    const circles = dots.map(({ server, index, factor }) => {
      const colour = colours[index % colours.length]
      const title = `<title>${escaped(`${server}: ${Number(factor.toPrecision(2))}×`)}</title>`
      return `<circle cx="${place(factor)}" cy="${y}" r="5" fill="${colour}" fill-opacity="0.85">${title}</circle>`
    })
    return [text(size.left - 12, y + 4, name, ' text-anchor="end"'), ...circles]
  })
  const legend = others.map((server, index) => {
    const x = size.left + index * 120
    const dot = `<circle cx="${x}" cy="16" r="5" fill="${colours[index % colours.length]}"/>`
    return `${dot}${text(x + 10, 20, server)}`
  })
  const says = `Times as good as ${first}: to the right of 1 is better`
  const style = 'font-family="sans-serif" font-size="12" fill="#777"'
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${size.width} ${height}" ${style} role="img">`,
    `<title>${escaped(says)}</title>`,
    text(12, 20, says),
    ...legend,
    ...axis(height),
    ...lines,
    "</svg>",
    "",
  ].join("\n")
}
