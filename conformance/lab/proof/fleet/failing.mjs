// @ts-check
// Proof 6: a host on which every start fails is out of the rotation after three, and back after it works again.
import * as Directory from "../lib/directory.mjs"
import * as Fleet from "../lib/fleet.mjs"

/** @import { Proof } from "../fleet.mjs" */

/** @type {Proof} */
export const failing = async ({ directory, folder }) => {
  const fleet = await Fleet.start({ directory, folder, routers: 2, hosts: 1 })
  const seen = await Directory.open(directory)
  // It says that it takes a hundred sessions, and takes one.
  fleet.host("full", "--max-sessions=1", "--capacity=100", "--detached-ttl-ms=1")
  await fleet.all(2)
  const [url = ""] = fleet.urls()
  const only = await Fleet.connect([`${url}/?label=name=full`])
  /** @type {string[]} */
  const failures = []
  let [failed, good] = [0, 0]
  /** @type {import("../lib/fleet.mjs").Client[]} */
  const clients = []
  const starts = async (/** @type {number} */ count) => {
    const before = failed
    for (let start = 0; start < count; start++) {
      const client = await Fleet.connect(fleet.urls(), { reconnect: false }).catch(() => undefined)
      if (client === undefined) failed += 1
      else {
        good += 1
        clients.push(client)
      }
    }
    return failed - before
  }
  // Of two hosts the one with fewer failures is chosen; so this one has to be the only one that fits.
  const one = () =>
    Fleet.connect([`${url}/?label=name=full`], { reconnect: false }).then((client) => client.close())
  let refusedThere = 0
  for (let start = 0; start < 3; start++) await one().catch(() => (refusedThere += 1))
  await Fleet.until("three failures are counted", async () => (await seen.host("full"))?.failures === 3)
  const words = await one().then(
    () => "it was started",
    (error) => String(error.message),
  )
  if (!words.includes("no host")) failures.push(`a fourth start was answered with: ${words}`)
  const more = await starts(50)
  if (more !== 0) failures.push(`${more} of 50 starts failed while the host rests`)
  // It works again.
  await only.close()
  const since = performance.now()
  await Fleet.until(
    "the host is back in the rotation",
    () =>
      one().then(
        () => true,
        () => false,
      ),
    90_000,
  )
  const back = performance.now() - since
  const host = await seen.host("full")
  if (host?.failures !== 0) failures.push(`it still has ${host?.failures} failures`)
  await Promise.all(clients.map((client) => client.close()))
  await seen.close()
  return {
    rows: [
      ["starts that failed on it before it rests", String(refusedThere)],
      ["starts elsewhere meanwhile, failed", `${good}, ${more}`],
      ["a start there meanwhile", words],
      ["back after it works again", `${(back / 1000).toFixed(1)} s`],
    ],
    failures,
  }
}
