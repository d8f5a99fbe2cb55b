/**
 * Lets a library write style elements under a policy that forbids them: their text goes into constructed style sheets,
 * which the policy allows, because only a script of the page can make them.
 */

/** From now on style elements of this document work so. */
export const constructed = (document: Document): void => {
  const create = document.createElement.bind(document) as (
    tag: string,
    options?: ElementCreationOptions,
  ) => HTMLElement
  const made = (tag: string, options?: ElementCreationOptions): HTMLElement => {
    // An empty style element is forbidden, too: what stands for it is shown by nothing.
    return tag.toLowerCase() === "style" ? withSheet(create("template"), document) : create(tag, options)
  }
  document.createElement = made as typeof document.createElement
}

const withSheet = (element: HTMLElement, document: Document): HTMLElement => {
  const sheet = new CSSStyleSheet()
  let text = ""
  Object.defineProperty(element, "textContent", {
    get: () => text,
    set: (value: string) => {
      text = value
      sheet.replaceSync(value)
      if (!document.adoptedStyleSheets.includes(sheet)) document.adoptedStyleSheets.push(sheet)
    },
  })
  const remove = element.remove.bind(element)
  element.remove = () => {
    document.adoptedStyleSheets = document.adoptedStyleSheets.filter((other) => other !== sheet)
    remove()
  }
  return element
}
