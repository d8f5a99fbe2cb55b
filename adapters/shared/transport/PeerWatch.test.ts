import { describe, expect, it } from "vitest"
import { PeerWatch, periodOf } from "./PeerWatch.ts"

const idle = { written: 0, queued: 0, paused: false }

/** Looks every 30 seconds until the peer counts as gone; undefined if it does not within an hour. */
const goneAfter = (watch: PeerWatch, sight: (now: number) => Partial<typeof idle> = () => ({})) => {
  for (let now = 30_000; now <= 3_600_000; now += 30_000)
    if (watch.look({ ...idle, now, ...sight(now) }) === "gone") return now
  return undefined
}

describe("PeerWatch", () => {
  it("pings, and takes a peer that answers none for gone after the timeout", () => {
    const watch = new PeerWatch(90_000, 0)
    expect(watch.look({ ...idle, now: 1 })).toBe("ping")
    expect(goneAfter(watch)).toBe(90_000)
  })

  it("lives as long as anything is heard", () => {
    const watch = new PeerWatch(90_000, 0)
    expect(goneAfter(watch, () => (watch.heard(), {}))).toBe(undefined)
  })

  it("only pings with a timeout of 0, and not for ever a peer that answers none", () => {
    const watch = new PeerWatch(0, 0)
    expect(goneAfter(watch)).toBe(undefined)
    expect(watch.look({ ...idle, now: 4_000_000 })).toBe("wait")
    watch.answered()
    expect(watch.look({ ...idle, now: 4_030_000 })).toBe("ping")
  })

  it("does not take a peer for gone that reads nothing, so that data waits to be sent", () => {
    const watch = new PeerWatch(90_000, 0)
    expect(goneAfter(watch, (now) => ({ queued: now <= 1_200_000 ? 1 : 0 }))).toBe(1_290_000)
    expect(goneAfter(new PeerWatch(90_000, 0), () => ({ queued: 1 }))).toBe(undefined)
  })

  it("does not count the time in which this side does not read", () => {
    const watch = new PeerWatch(90_000, 0)
    expect(goneAfter(watch, (now) => ({ paused: now <= 600_000 }))).toBe(690_000)
  })

  it("gives a slow peer the time to read what was sent before the ping, at 16 KiB a second", () => {
    const watch = new PeerWatch(90_000, 0)
    expect(goneAfter(watch, () => ({ written: 16 * 1024 * 100 }))).toBe(210_000)
    const other = new PeerWatch(90_000, 0)
    other.look({ ...idle, now: 1, written: 16 * 1024 * 100 })
    other.answered()
    expect(goneAfter(other, () => ({ written: 16 * 1024 * 100 }))).toBe(90_000)
  })

  it("looks three times in a timeout, and every 30 seconds at least", () => {
    expect([0, 1, 300, 90_000, 1e9].map(periodOf)).toEqual([30_000, 1, 100, 30_000, 30_000])
  })
})
