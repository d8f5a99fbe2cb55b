/** The choices of the visitor, kept in the browser. */

export type Theme = "system" | "light" | "dark"

export interface Settings {
  readonly theme: Theme
  /** True if screen readers read terminals out. */
  readonly reader: boolean
  /** The size of the letters in terminals, in pixels. */
  readonly fontSize: number
  /** True to show the time at the begin of each line of history and log. */
  readonly times: boolean
}

export const defaults: Settings = { theme: "system", reader: false, fontSize: 13, times: false }

/** The least and the largest letters. */
export const fontSizes = { least: 8, most: 28 }

const themes: ReadonlyArray<Theme> = ["system", "light", "dark"]

/** Reads the kept settings; those that make no sense are as for a new visitor. */
export const parse = (text: string | null): Settings => {
  let kept: { readonly [name: string]: unknown } = {}
  try {
    const json: unknown = JSON.parse(text ?? "{}")
    if (typeof json === "object" && json !== null) kept = json as typeof kept
  } catch {
    // Somebody else's text.
  }
  const size = typeof kept["fontSize"] === "number" ? Math.round(kept["fontSize"]) : defaults.fontSize
  return {
    theme: themes.find((theme) => theme === kept["theme"]) ?? defaults.theme,
    reader: kept["reader"] === true,
    fontSize: bounded(Number.isNaN(size) ? defaults.fontSize : size),
    times: kept["times"] === true,
  }
}

/** The theme behind this one, for a switch. */
export const nextTheme = (theme: Theme): Theme =>
  themes[(themes.indexOf(theme) + 1) % themes.length] ?? "system"

/** Larger letters by so many pixels, or smaller ones, within the bounds. */
export const scaled = (settings: Settings, pixels: number): Settings => ({
  ...settings,
  fontSize: bounded(settings.fontSize + pixels),
})

const bounded = (size: number): number => Math.min(fontSizes.most, Math.max(fontSizes.least, size))
