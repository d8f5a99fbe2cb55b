/** To which tree an orphan belongs whose parents were not seen, over a table of processes that the test writes. */
import { expect, test } from "vitest"
import type { Entry } from "../ProcessTable.ts"
import * as ProcessTrees from "./ProcessTrees.ts"

/** A process that leads its own session; its parent is this process, as that of an orphan is. */
const entry = (pid: number, start: number): Entry => {
  return { pid, state: "S", parent: process.pid, group: pid, session: pid, start }
}

/** Pids that no process of this system has. */
const [first, second, orphan, later] = [10_000_001, 10_000_002, 10_000_003, 10_000_004] as const

const world = (...entries: ReadonlyArray<Entry>) => {
  const find = (pid: number) => entries.find((one) => one.pid === pid)
  return ProcessTrees.make({ find, all: () => entries, now: () => 0 }, () => false)
}

const has = (tree: ProcessTrees.Tree): boolean => tree.members.has(orphan)

test("an orphan belongs to no child that is younger, also when that is the only one with an open scope", () => {
  const trees = world(entry(first, 100), entry(orphan, 200), entry(later, 300))
  const [closed, open] = [trees.add(first), trees.add(later)]
  closed.closedAt = 1
  trees.walk()
  expect([has(closed), has(open)]).toEqual([true, false])
  expect(trees.alive(closed).map(({ pid }) => pid)).toContain(orphan)
})

test("within one tick of the clock the pids tell who is younger", () => {
  const trees = world(entry(first, 100), entry(orphan, 100), entry(later, 100))
  const [older, younger] = [trees.add(first), trees.add(later)]
  trees.walk()
  expect([has(older), has(younger)]).toEqual([true, false])
})

test("of older children those with an open scope have it, and it is spared until the last of them closes", () => {
  const trees = world(entry(first, 100), entry(second, 150), entry(orphan, 200))
  const [one, other] = [trees.add(first), trees.add(second)]
  trees.walk()
  expect([has(one), has(other)]).toEqual([true, true])
  one.closedAt = 1
  expect(trees.alive(one).map(({ pid }) => pid)).toEqual([first])
  other.closedAt = 1
  expect(trees.alive(one).map(({ pid }) => pid)).toContain(orphan)
})

test("an orphan that is older than every child belongs to all, so that it does not outlive them", () => {
  const trees = world(entry(orphan, 50), entry(first, 100))
  const tree = trees.add(first)
  trees.walk()
  expect(has(tree)).toBe(true)
})
