/**
 * Keeps the page current: asks for the lists, tells what has ended, remembers what is open, and looks after the
 * connection when the laptop wakes up or the network comes back.
 */
import * as Outage from "../model/Outage.ts"
import * as Rows from "../model/Rows.ts"
import * as Tab from "../model/Tab.ts"
import * as Tiles from "../model/Tiles.ts"
import * as Words from "../model/Words.ts"
import { mark } from "./dom.ts"
import { later, type Page } from "./Page.ts"
import * as Remembered from "./Remembered.ts"

/** The pause between two requests for the lists, in milliseconds: while the page is in sight, and otherwise. */
const often = 1000
const seldom = 4000

/** The time of ended processes in the tab while the page has the focus, in milliseconds. */
const shownMillis = 10_000

/** The delay of a timer after which the machine has slept, and of a list after which the server may be gone, in ms. */
const late = 8000

/** Begins; it goes on as long as the page. */
export const begin = (page: Page, server: string): void => {
  const { link, tiles } = page
  let before: Rows.Rows | undefined
  let instance = link.instance.get()
  let forgetting = () => {}
  let ended: ReadonlyArray<Rows.Row> = []
  restore(page)

  const sign = () => {
    const rows = [...(link.lists.get()?.rows.values() ?? [])]
    const running = rows.filter((row) => !Rows.isOver(row)).length
    const status = link.status.get()
    const lost = status.kind === "lost" ? Outage.headline(status) : undefined
    showTab(Tab.of({ server, running, ended, lost }))
  }
  link.status.follow(sign)
  link.lists.follow((lists) => {
    if (lists === undefined) return
    const changes =
      before === undefined || lists.instance !== instance ? [] : Rows.changes(before, lists.rows)
    before = lists.rows
    instance = lists.instance
    for (const { kind, row } of changes) {
      if (kind === "ended") page.announce(`${Rows.titleOf(row)} ${Words.ending(row)}`, Words.toneOf(row))
    }
    const away = document.hidden || !document.hasFocus()
    const noted = Tab.noted(away ? ended : [], changes)
    if (noted.length > 0) {
      ended = noted
      forgetting()
      // A visitor who is away sees it when coming back.
      if (!away) forgetting = later(shownMillis, forget)
    }
    sign()
  })
  const forget = () => {
    ended = []
    sign()
  }
  const seen = () => {
    if (document.hidden) return
    forgetting()
    forgetting = later(shownMillis, forget)
    void link.probe()
    poll()
  }
  document.addEventListener("visibilitychange", seen)
  window.addEventListener("focus", seen)
  window.addEventListener("online", () => void link.probe())

  let timer: ReturnType<typeof setTimeout> | undefined
  let due = Date.now()
  const poll = () => {
    clearTimeout(timer)
    if (Date.now() - due > late) void link.probe()
    const pause = document.hidden ? seldom : often
    const asking = setTimeout(() => void link.probe(), late)
    const next = () => {
      clearTimeout(asking)
      clearTimeout(timer)
      due = Date.now() + pause
      timer = setTimeout(poll, pause)
    }
    link.refresh().then(next, next)
  }
  poll()
  tiles.follow(({ open }) => Remembered.open.set(open))
}

/** Opens the processes that were open before the page was loaded again. */
const restore = ({ tiles }: Page): void => {
  const open = Remembered.open.get()
  if (open.length > 0) tiles.set({ ...Tiles.none, open, focused: open.at(-1) })
}

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

const showTab = ({ title, icon }: Tab.Tab): void => {
  if (document.title !== title) document.title = title
  const link = document.querySelector<HTMLLinkElement>("link[rel=icon]")
  if (link === null || link.dataset["icon"] === icon) return
  mark(link, "data-icon", icon)
  link.href = `data:image/svg+xml,${encodeURIComponent(drawing(icon))}`
}
