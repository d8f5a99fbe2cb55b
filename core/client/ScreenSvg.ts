/**
 * The picture of a terminal as an SVG, from the answer to `screen` with `lines`: every cell at its place, whatever font
 * the viewer has, with colors, attributes and the cursor. It has no script, no link and no font of its own.
 */
import type { Cursor, ScreenResult, Span } from "../protocol/Screen.ts"

/** Colors as `#rrggbb`. */
export interface Theme {
  /** Of characters without a color. */
  readonly foreground: string
  /** Of cells without a color. */
  readonly background: string
  /** The first 16 of the palette; the others are the same everywhere. */
  readonly palette: ReadonlyArray<string>
}

/** Light on dark, with the 16 colors of xterm. */
export const dark: Theme = {
  foreground: "#e5e5e5",
  background: "#101010",
  palette: (
    "#000000 #cd0000 #00cd00 #cdcd00 #0000ee #cd00cd #00cdcd #e5e5e5 " +
    "#7f7f7f #ff0000 #00ff00 #ffff00 #5c5cff #ff00ff #00ffff #ffffff"
  ).split(" "),
}

/** Dark on light. */
export const light: Theme = { ...dark, foreground: "#101010", background: "#ffffff" }

/** How the picture is drawn. */
export interface SvgOptions {
  /** Its colors. Default: `dark`. */
  readonly theme?: Theme
  /** Whether the cursor is drawn, if the program shows it. Default: true. */
  readonly cursor?: boolean
}

/** What of the answer is drawn; `lines` is there if `formats` of the request has it. */
export type Drawn = Pick<ScreenResult, "size" | "cursor" | "title" | "scrollback" | "lines">

/** A cell in pixels, the baseline of its character, and the space around all of them. */
const cell = { width: 8.4, height: 17, baseline: 13, font: 14, margin: 8 }

/** The SVG of a picture; lines above the screen are drawn if the answer has them. */
export const toSvg = (picture: Drawn, { theme = dark, cursor = true }: SvgOptions = {}): string => {
  const { size, title, scrollback, lines = [] } = picture
  const rows = Math.max(size.rows + scrollback, lines.length)
  const width = fixed(size.columns * cell.width + 2 * cell.margin)
  const height = fixed(rows * cell.height + 2 * cell.margin)
  const drawn = lines.map(({ spans }, row) => lineOf(spans, row, theme))
  const all = [...drawn.map(({ boxes }) => boxes), ...drawn.map(({ texts }) => texts)].filter(Boolean)
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}">`,
    ...(title === "" ? [] : [`<title>${escaped(title)}</title>`]),
    `<rect width="100%" height="100%" fill="${theme.background}"/>`,
    `<g transform="translate(${cell.margin} ${cell.margin})" font-family="${fonts}" font-size="${cell.font}" ` +
      `fill="${theme.foreground}" xml:space="preserve">`,
    ...all,
    ...(cursor && picture.cursor.visible ? [cursorOf(picture.cursor, scrollback, theme)] : []),
    "</g>",
    "</svg>",
    "",
  ].join("\n")
}

const fonts = "ui-monospace, Menlo, Consolas, 'DejaVu Sans Mono', monospace"

/** The boxes behind the characters of a line, and the characters. */
const lineOf = (spans: ReadonlyArray<Span>, row: number, theme: Theme) => {
  const [boxes, texts] = [[] as Array<string>, [] as Array<string>]
  let column = 0
  for (const span of spans) {
    const columns = span.columns ?? [...span.text].length
    const [x, width] = [fixed(column * cell.width), fixed(columns * cell.width)]
    const { fill, behind } = colorsOf(span, theme)
    if (behind !== undefined)
      boxes.push(
        `<rect x="${x}" y="${row * cell.height}" width="${width}" height="${cell.height}" fill="${behind}"/>`,
      )
    const isSeen = span.invisible !== true && (span.text.trim() !== "" || hasLine(span))
    if (isSeen)
      texts.push(
        `<text x="${x}" y="${row * cell.height + cell.baseline}" textLength="${width}" ` +
          `lengthAdjust="spacingAndGlyphs"${lookOf(span)}${fill === undefined ? "" : ` fill="${fill}"`}>` +
          `${escaped(span.text)}</text>`,
      )
    column += columns
  }
  return { boxes: boxes.join("\n"), texts: texts.join("\n") }
}

const hasLine = ({ underline, strikethrough, overline }: Span): boolean =>
  underline === true || strikethrough === true || overline === true

const colorsOf = ({ foreground, background, inverse }: Span, theme: Theme) => {
  const [fill, behind] = [colorOf(foreground, theme), colorOf(background, theme)]
  return inverse === true
    ? { fill: behind ?? theme.background, behind: fill ?? theme.foreground }
    : { fill, behind }
}

const lookOf = (span: Span): string => {
  const lines = (["underline", "overline"] as const).filter((name) => span[name] === true)
  const all: ReadonlyArray<string> = span.strikethrough === true ? [...lines, "line-through"] : lines
  return [
    span.bold === true ? ` font-weight="bold"` : "",
    span.italic === true ? ` font-style="italic"` : "",
    span.dim === true ? ` opacity="0.6"` : "",
    all.length === 0 ? "" : ` text-decoration="${all.join(" ")}"`,
  ].join("")
}

const cursorOf = ({ row, column, shape }: Cursor, scrollback: number, { foreground }: Theme): string => {
  const [x, y] = [column * cell.width, (row + scrollback) * cell.height]
  const boxes = {
    block: { x, y, width: cell.width, height: cell.height },
    underline: { x, y: y + cell.height - 2, width: cell.width, height: 2 },
    bar: { x, y, width: 2, height: cell.height },
  }
  const { width, height, ...at } = boxes[shape]
  const opacity = shape === "block" ? ` opacity="0.5"` : ""
  return (
    `<rect x="${fixed(at.x)}" y="${at.y}" width="${width}" height="${height}" ` +
    `fill="${foreground}"${opacity}/>`
  )
}

/** Of the palette: 16 that the theme has, a cube of 216, and 24 grays. */
const colorOf = (color: number | string | undefined, { palette }: Theme): string | undefined => {
  if (color === undefined) return undefined
  if (typeof color === "string") return /^#[0-9a-f]{6}$/i.test(color) ? color : undefined
  if (color < 16) return palette[color]
  if (color > 255) return undefined
  if (color >= 232) return hex([1, 1, 1].map(() => 8 + 10 * (color - 232)))
  const level = (value: number) => (value === 0 ? 0 : 55 + 40 * value)
  const index = color - 16
  return hex([Math.floor(index / 36), Math.floor(index / 6) % 6, index % 6].map(level))
}

const hex = (levels: ReadonlyArray<number>): string =>
  `#${levels.map((level) => level.toString(16).padStart(2, "0")).join("")}`

const fixed = (pixels: number): number => Math.round(pixels * 100) / 100

const entities: { readonly [character: string]: string } = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
}

/** Text of XML, which has no control characters and no halves of pairs. */
const escaped = (text: string): string =>
  text
    .replaceAll(/[^\t\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu, "\ufffd")
    .replaceAll(/[&<>"]/g, (character) => entities[character] ?? "")
