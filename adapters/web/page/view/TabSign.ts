/** Title and icon of the tab. */
import type * as Tab from "../model/Tab.ts"
import { mark } from "./dom.ts"

const colors: Readonly<Record<Tab.Icon, string>> = {
  idle: "#8a919b",
  running: "#4c8df6",
  good: "#2da44e",
  bad: "#e5484d",
}

const drawing = (icon: Tab.Icon): string =>
  "<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 16 16'><rect width='16' height='16' rx='3.5' fill='#16191d'/>" +
  "<path d='M3.5 4.5 7 8l-3.500 3.500' fill='none' stroke='#e6e8eb' stroke-width='1.7' stroke-linecap='round' " +
  `stroke-linejoin='round'/><circle cx='11.500' cy='11' r='3' fill='${colors[icon]}'/></svg>`

/** Shows them. */
export const show = ({ title, icon }: Tab.Tab): void => {
  if (document.title !== title) document.title = title
  const link = document.querySelector<HTMLLinkElement>("link[rel=icon]")
  if (link === null || link.dataset["icon"] === icon) return
  mark(link, "data-icon", icon)
  link.href = `data:image/svg+xml,${encodeURIComponent(drawing(icon))}`
}
