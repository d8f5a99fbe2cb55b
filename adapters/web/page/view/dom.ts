/** Makes elements. Text is always text: nothing here reads markup. */

/** A child of an element; false and undefined are none. */
export type Child = Node | string | false | undefined

/** Attributes by their names; true is an empty one, false and undefined none. A function listens to an event (`onclick`). */
export type Props = Readonly<Record<string, string | number | boolean | undefined | ((event: never) => void)>>

export const el = <Tag extends keyof HTMLElementTagNameMap>(
  tag: Tag,
  props: Props = {},
  ...children: ReadonlyArray<Child>
): HTMLElementTagNameMap[Tag] => {
  const element = document.createElement(tag)
  for (const [name, value] of Object.entries(props)) {
    if (typeof value === "function") element.addEventListener(name.slice(2), value as EventListener)
    else if (value !== undefined && value !== false)
      element.setAttribute(name, value === true ? "" : String(value))
  }
  append(element, children)
  return element
}

export const button = (
  label: Child,
  press: () => void,
  props: Props = {},
  ...more: ReadonlyArray<Child>
): HTMLButtonElement =>
  el("button", { type: "button", class: "button", onclick: press, ...props }, label, ...more)

export const searchField = (label: string): HTMLInputElement =>
  el("input", { type: "search", placeholder: label, "aria-label": label })

export const checkLabel = (title: string, box: HTMLInputElement, text: string): HTMLElement =>
  el("label", { class: "check", title }, box, text)

/** A part of a tile that is hidden until it is opened. */
export interface Bar {
  readonly element: HTMLElement
  readonly open: () => void
}

/** Makes an element a bar: opening it goes to `field`; its last button and Escape close it, and call `done`. */
export const bar = (element: HTMLElement, field: HTMLInputElement, done: () => void): Bar => {
  const close = () => {
    element.hidden = true
    done()
  }
  element.hidden = true
  element.append(iconButton("close", "Close (Escape)", close))
  element.addEventListener("keydown", (event) => {
    if (event.key !== "Escape") return
    close()
    event.preventDefault()
  })
  const open = () => {
    element.hidden = false
    field.focus()
    field.select()
  }
  return { element, open }
}

/** Calls back when a form is submitted, instead of the browser. */
export const onSubmit = (form: HTMLFormElement, act: () => void): void =>
  form.addEventListener("submit", (event) => {
    event.preventDefault()
    act()
  })

export const append = (parent: Element, children: ReadonlyArray<Child>): void => {
  for (const child of children) if (child !== undefined && child !== false) parent.append(child)
}

/** Sets a text, if it is another one: screen readers announce each change. */
export const say = (element: Element, text: string): void => {
  if (element.textContent !== text) element.textContent = text
}

export const mark = (element: Element, name: string, value: string | boolean): void => {
  if (value === false) element.removeAttribute(name)
  else if (element.getAttribute(name) !== (value === true ? "" : value)) {
    element.setAttribute(name, value === true ? "" : value)
  }
}

/** The icons, as paths in a square of 16. */
const paths = {
  plus: "M8 3v10M3 8h10",
  close: "M4 4l8 8M12 4l-8 8",
  search: "M7 2.5a4.5 4.5 0 1 0 0 9 4.5 4.5 0 0 0 0-9M10.5 10.5 14 14",
  history: "M2.5 8a5.5 5.5 0 1 0 1.8-4M4 1.5V4.5h3M8 5v3.3l2.2 1.3",
  copy: "M5.5 5.5h7v8h-7zM3.5 10.5v-8h7",
  maximize: "M3 6V3h3M13 10v3h-3M10 3h3v3M6 13H3v-3",
  beside: "M2.5 3h11v10h-11zM8 3v10",
  theme: "M8 2.5a5.5 5.5 0 1 0 0 11zM8 2.5a5.5 5.5 0 0 1 0 11",
  help: "M5.8 6a2.2 2.2 0 1 1 3.3 1.9C8.3 8.4 8 8.8 8 9.6M8 12v.6",
  leave: "M9.5 3h3.5v10H9.5M2.5 8h7M6.5 5l3 3-3 3",
  back: "M10 3 5 8l5 5",
  up: "M4 10l4-4 4 4",
  down: "M4 6l4 4 4-4",
  save: "M8 2.500v7.500M4.500 7 8 10.500 11.500 7M3 13.500h10",
  shell: "M3 4.500 6.500 8 3 11.500M8 12h5",
  smaller: "M2.500 12.500 6 4l3.500 8.500M3.700 9.500h4.600M11 8h3.500",
  larger: "M2.500 12.500 6 4l3.500 8.500M3.700 9.500h4.600M11 8h3.500M12.750 6.250v3.500",
  trash: "M3 4.5h10M6.5 4.5v-2h3v2M4.5 4.5l.6 9h5.8l.6-9",
  port: "M9 3h4v4M13 3 7.500 8.500M11 9.500V13H3V5h3.500",
  reader: "M2.5 6v4h2.5L8.5 13V3L5 6zM11 5.5a3.5 3.5 0 0 1 0 5M12.8 3.5a6.3 6.3 0 0 1 0 9",
} as const

export type Icon = keyof typeof paths | { readonly path: string }

const svgSpace = "http://www.w3.org/2000/svg"

/** An icon, which readers do not see. */
export const icon = (name: Icon): SVGElement => {
  const svg = document.createElementNS(svgSpace, "svg")
  const attributes = { viewBox: "0 0 16 16", class: "icon", "aria-hidden": "true", focusable: "false" }
  for (const [key, value] of Object.entries(attributes)) svg.setAttribute(key, value)
  const path = document.createElementNS(svgSpace, "path")
  path.setAttribute("d", typeof name === "object" ? name.path : paths[name])
  svg.append(path)
  return svg
}

/** A button with an icon; its words are its label, and shown while the pointer rests on it. */
export const iconButton = (name: Icon, label: string, press: () => void, className = ""): HTMLButtonElement =>
  el(
    "button",
    {
      type: "button",
      class: `icon-button ${className}`.trim(),
      "aria-label": label,
      title: label,
      onclick: press,
    },
    icon(name),
  )
