/**
 * The page of a server: lets the visitor in, connects, and shows the processes. All addresses are relative, so that a
 * proxy may put the page anywhere.
 */
import { messageOf } from "./link/Attachment.ts"
import * as Link from "./link/Link.ts"
import * as Site from "./link/Site.ts"
import * as App from "./view/App.ts"
import * as Login from "./view/Login.ts"
import * as Remembered from "./view/Remembered.ts"
import { button, el } from "./view/dom.ts"

/**
 * Lets a library write style elements under a policy that forbids them: their text goes into constructed style sheets,
 * which the policy allows, because only a script of the page can make them.
 */
const constructed = (document: Document): void => {
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

const begin = async () => {
  constructed(document)
  // A link that is opened in this tab does not load the page: loading it again takes the secret.
  let enter = () => location.reload()
  window.addEventListener("hashchange", () => {
    if (Site.hasOnce()) enter()
  })
  const once = Site.takeOnce()
  const refused = once === undefined ? undefined : await Site.login({ once })
  const before = await Site.info()
  if (before.login) await Login.ask(before, refused)
  const info = before.login ? await Site.info() : before
  const { instance } = info
  const site = { url: Site.socketUrl(), instance, ask: Site.info }
  const link = await Link.connect({ ...site, kept: Remembered.session })
  enter = App.show(link, info, before.login ? undefined : refused).enter
}

begin().catch((error: unknown) => {
  const again = button("Try again", () => location.reload(), { class: "button primary" })
  document.body.append(
    el(
      "main",
      { class: "login-page" },
      el(
        "div",
        { class: "form" },
        el("h1", {}, "procwire"),
        el("p", { role: "alert" }, messageOf(error)),
        again,
      ),
    ),
  )
})
