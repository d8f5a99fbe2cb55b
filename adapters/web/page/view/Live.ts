/**
 * Keeps the page current: asks for the lists, tells what has ended, remembers what is open, and looks after the
 * connection when the laptop wakes up or the network comes back.
 */
import * as Outage from "../model/Outage.ts"
import * as Rows from "../model/Rows.ts"
import * as Tab from "../model/Tab.ts"
import * as Tiles from "../model/Tiles.ts"
import * as Words from "../model/Words.ts"
import { later, type Page } from "./Page.ts"
import * as Remembered from "./Remembered.ts"
import * as TabSign from "./TabSign.ts"

/** How often the lists are asked for, in milliseconds: while somebody looks, and otherwise. */
const often = 1000
const seldom = 4000

/** How long the tab tells what has ended to somebody who is there, in milliseconds. */
const shownMillis = 10_000

/** A timer that comes so much too late, in milliseconds, has slept; lists that do so may have nobody who answers. */
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
    TabSign.show(Tab.of({ server, running, ended, lost }))
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
      // Who is there sees it for a while; who is away, when coming back.
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

/** Opens what was open before the page was loaded again. */
const restore = ({ tiles }: Page): void => {
  const open = Remembered.open.get()
  if (open.length > 0) tiles.set({ ...Tiles.none, open, focused: open.at(-1) })
}
