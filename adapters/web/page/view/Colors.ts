/** The colors of terminals, for a light and a dark page. Those of texts have a contrast of 4.5 to the background. */
import type { ITheme } from "@xterm/xterm"

const names = [
  "black",
  "red",
  "green",
  "yellow",
  "blue",
  "magenta",
  "cyan",
  "white",
  "brightBlack",
  "brightRed",
  "brightGreen",
  "brightYellow",
  "brightBlue",
  "brightMagenta",
  "brightCyan",
  "brightWhite",
] as const

const palette = (colors: string): ITheme =>
  Object.fromEntries(colors.split(" ").map((color, index) => [names[index], color]))

export const dark: ITheme = {
  background: "#0f1114",
  foreground: "#d9dce1",
  cursor: "#d9dce1",
  cursorAccent: "#0f1114",
  selectionBackground: "#2f4b73",
  ...palette(
    "#22262c #f47067 #57c07a #d9a93c #6ea8fe #d291e4 #4dc4cf #c9ced6 " +
      "#828a95 #ff938a #7bd897 #f0c65c #97c1ff #e3b0f2 #7adbe4 #f3f5f7",
  ),
}

export const light: ITheme = {
  background: "#fdfdfc",
  foreground: "#1c1f23",
  cursor: "#1c1f23",
  cursorAccent: "#fdfdfc",
  selectionBackground: "#bcd6fb",
  ...palette(
    "#1c1f23 #b3261e #1a7032 #7d5700 #1f5fbf #8b35a6 #0b6b76 #5a6068 " +
      "#6b7178 #c9372c #1f8a3f #946800 #2a73dd #a04abd #0d7f8c #3a3f45",
  ),
}

/** The colors of a page; `lines` is a terminal without a cursor. */
export const of = (isDark: boolean, lines: boolean): ITheme => {
  const theme = isDark ? dark : light
  return lines ? { ...theme, cursor: "#00000000" } : theme
}

export const found = {
  dark: { match: "#5c4a12", active: "#b07a00" },
  light: { match: "#ffe9a8", active: "#ffc233" },
}
