/**
 * A strict reader of the XML that reports need: elements, attributes, text, entities. Anything else, or anything not
 * well-formed, throws. Only for tests.
 */
export interface Element {
  readonly name: string
  readonly attributes: { readonly [name: string]: string }
  readonly children: ReadonlyArray<Element>
  readonly text: string
}

const named: { readonly [name: string]: string } = { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'" }

const decoded = (text: string): string => {
  if (/[^\t\n\r\u{20}-\u{D7FF}\u{E000}-\u{FFFD}\u{10000}-\u{10FFFF}]/u.test(text))
    throw new Error(`a character that XML cannot hold: ${JSON.stringify(text)}`)
  return text.replace(/&(#\d+|\w+)?;?/g, (all, name: string | undefined) => {
    const value =
      name?.startsWith("#") === true ? String.fromCodePoint(Number(name.slice(1))) : named[name ?? ""]
    if (value === undefined || !all.endsWith(";")) throw new Error(`not an entity: ${all}`)
    return value
  })
}

interface Open {
  readonly name: string
  readonly attributes: { readonly [name: string]: string }
  readonly children: Array<Element>
  text: string
}

const opened = (name: string, rest: string): Open => {
  const attributes: { [name: string]: string } = {}
  const left = rest.replace(/\s+([\w:-]+)="([^"<]*)"/g, (_, key: string, value: string) => {
    if (key in attributes) throw new Error(`the attribute ${key} comes twice`)
    attributes[key] = decoded(value)
    return ""
  })
  if (left.trim() !== "") throw new Error(`not attributes: ${left}`)
  return { name, attributes, children: [], text: "" }
}

export const parse = (document: string): Element => {
  const body = document.replace(/^<\?xml version="1\.0" encoding="UTF-8"\?>\s*/, "")
  const root: Open = { name: "", attributes: {}, children: [], text: "" }
  const stack: Array<Open> = [root]
  let at = 0
  for (const tag of body.matchAll(/<(\/?)([\w:-]+)((?:\s+[\w:-]+="[^"<]*")*)\s*(\/?)>/g)) {
    const top = stack.at(-1) ?? root
    top.text += decoded(body.slice(at, tag.index))
    if (body.slice(at, tag.index).includes("<")) throw new Error(`not a tag: ${body.slice(at, tag.index)}`)
    at = tag.index + tag[0].length
    const [, closes, name = "", rest = "", empty] = tag
    if (closes === "/") {
      if (stack.length === 1 || top.name !== name) throw new Error(`</${name}> closes ${top.name}`)
      stack.pop()
      continue
    }
    const element = opened(name, rest)
    top.children.push(element)
    if (empty !== "/") stack.push(element)
  }
  const [only, second] = root.children
  if (stack.length > 1 || only === undefined || second !== undefined || body.slice(at).trim() !== "")
    throw new Error("not exactly one element")
  return only
}
