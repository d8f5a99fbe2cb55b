/** Cases about claims: labels, capacity, quota, failures, and races for the last place. */
import { DirectoryError } from "../../../core/directory/DirectoryError.ts"
import * as Check from "../../suite/Check.ts"
import { table, type Connection } from "../DirectoryContext.ts"
import { announce, claimed, host, running, told, wish } from "./Parts.ts"

/** Claims by several connections at the same time; how many were granted. Every other one must be refused so. */
const race = async (
  connections: ReadonlyArray<Connection>,
  each: number,
  name: string,
  reason: string,
  quota?: number,
): Promise<number> => {
  const claims = connections.flatMap((one, by) =>
    Array.from({ length: each }, (_, index) =>
      one.outcome((directory) => directory.claim(wish(`${name}-${by}-${index}`, { quota }))),
    ),
  )
  const got = await Promise.all(claims)
  for (const refusal of got)
    if (refusal instanceof DirectoryError && refusal.reason !== reason) Check.fail(String(refusal.message))
  return got.filter((one) => !(one instanceof DirectoryError)).length
}

/** Starts on the only host that fits, and fails. */
const failStart = async (one: Connection, sessionId: string): Promise<void> => {
  const session = await claimed(one, sessionId)
  await one.ask((directory) => directory.end(session, "start failed"))
}

export const claims = table("directory/claim", {
  "labels-must-all-match": {
    says: "A session gets a host that has every label of the claim, with its value; if none has, NoHost.",
    run: async (t) => {
      const one = await t.one()
      await announce(
        one,
        host("a", { labels: { os: "linux" } }),
        host("b", { labels: { os: "linux", gpu: "a100" } }),
      )
      for (let i = 0; i < 6; i++) {
        const { hostId } = await claimed(one, `s${i}`, { labels: { os: "linux", gpu: "a100" } })
        Check.equal(hostId, "b", "the host")
      }
      for (const labels of [{ gpu: "h100" }, { os: "linux", zone: "x" }, { constructor: "x" }]) {
        const refusal = await one.refusal((directory) => directory.claim(wish("none", { labels })))
        Check.equal(refusal, "NoHost", JSON.stringify(labels))
      }
    },
  },
  "no-host-says-why": {
    level: "should",
    says: "The message of NoHost names the labels, and counts what keeps the hosts from it.",
    run: async (t) => {
      const one = await t.one()
      await announce(
        one,
        host("a", { capacity: 0 }),
        host("b", { capacity: 0, labels: { gpu: "no" } }),
        host("c"),
      )
      await one.ask((directory) => directory.drain("c", true))
      const got = await one.outcome((directory) => directory.claim(wish("s", { labels: { gpu: "yes" } })))
      Check.contains(String(got), "gpu=yes", "the message")
      Check.contains(String(got), "3 other labels", "the message")
      const full = await one.outcome((directory) => directory.claim(wish("s")))
      Check.contains(String(full), "2 full", "the message")
      Check.contains(String(full), "1 draining", "the message")
    },
  },
  "capacity-is-kept": {
    says: "A host gets as many sessions as its capacity, and one more for each that has ended.",
    run: async (t) => {
      const one = await t.one()
      await announce(one, host("a", { capacity: 2 }))
      const first = await running(one, "s1")
      await claimed(one, "s2")
      Check.equal(await one.refusal((directory) => directory.claim(wish("s3"))), "NoHost", "the third")
      await one.ask((directory) => directory.end(first, "closed"))
      await claimed(one, "s3")
      Check.equal(await one.refusal((directory) => directory.claim(wish("s4"))), "NoHost", "the fourth")
    },
  },
  "quota-is-kept": {
    says: "A tenant gets as many sessions as its quota, whatever others have, and one more for each that has ended.",
    run: async (t) => {
      const one = await t.one()
      await announce(one, host("a"), host("b"))
      const first = await running(one, "s1", { quota: 2 })
      await claimed(one, "s2", { quota: 2 })
      const third = (quota: number) => one.refusal((directory) => directory.claim(wish("s3", { quota })))
      Check.equal(await third(2), "QuotaExceeded", "the third")
      Check.equal(await third(0), "QuotaExceeded", "a quota of 0")
      await claimed(one, "other", { tenant: "u", quota: 1 })
      await one.ask((directory) => directory.end(first, "closed"))
      await claimed(one, "s3", { quota: 2 })
      await claimed(one, "s4")
    },
  },
  "repeated-is-the-same": {
    says: "A claim that is repeated is answered with the session that lives, and takes no second place.",
    run: async (t) => {
      const one = await t.one()
      await announce(one, host("a", { capacity: 1 }))
      const first = await claimed(one, "s", { quota: 1 })
      const second = await claimed(one, "s", { quota: 1 })
      Check.equal([second.fence, second.hostId], [first.fence, first.hostId], "the second answer")
      const { hosts } = await one.ask((directory) => directory.list())
      Check.equal(hosts[0]?.used, 1, "places that are used")
      const other = await one.refusal((directory) => directory.claim(wish("s", { tenant: "u" })))
      Check.equal(other, "Invalid", "the id of another tenant's session")
    },
  },
  "fences-grow": {
    says: "Each claim has a greater fence than all before it, also that of an id which was used before.",
    run: async (t) => {
      const one = await t.one()
      await announce(one, host("a"))
      let last = 0
      for (const id of ["s1", "s2", "s1", "s3", "s1"]) {
        const session = await running(one, id)
        Check.isTrue(session.fence > last, `fence ${session.fence} after ${last}`)
        last = session.fence
        await one.ask((directory) => directory.end(session, "closed"))
      }
    },
  },
  "the-emptier-of-two": {
    says: "Two hosts of the same size get the same number of sessions.",
    run: async (t) => {
      const one = await t.one()
      await announce(one, host("a", { capacity: 20 }), host("b", { capacity: 20 }))
      for (let i = 0; i < 20; i++) await claimed(one, `s${i}`)
      const { hosts } = await one.ask((directory) => directory.list())
      Check.equal(
        hosts.map(({ used }) => used),
        [10, 10],
        "what each has",
      )
    },
  },
  "fewer-failures-first": {
    says: "Of two hosts the one with fewer failed starts in a row gets the session, though it has more.",
    run: async (t) => {
      const one = await t.one()
      await announce(one, host("a"))
      await failStart(one, "failed")
      await announce(one, host("b"))
      for (let i = 0; i < 10; i++) Check.equal((await claimed(one, `s${i}`)).hostId, "b", "the host")
    },
  },
  "three-failures-rest": {
    says: "After three failed starts in a row a host gets nothing, and a confirmed start in between counts from anew.",
    run: async (t) => {
      const one = await t.one()
      await announce(one, host("a"))
      await failStart(one, "f1")
      await failStart(one, "f2")
      await running(one, "works")
      for (const id of ["f3", "f4", "f5"]) await failStart(one, id)
      Check.equal(
        await one.refusal((directory) => directory.claim(wish("s"))),
        "NoHost",
        "a claim after three",
      )
      const { hosts } = await one.ask((directory) => directory.list())
      Check.equal(hosts[0]?.failures, 3, "failures in a row")
      Check.equal(await told(one, "works"), "running", "what runs there")
    },
  },
  "back-after-it-works": {
    says: "After its rest such a host gets one claim at a time, and all that fit once that one was confirmed.",
    run: async (t) => {
      const one = await t.one({ restMillis: 1 })
      await announce(one, host("a"))
      for (const id of ["f1", "f2", "f3"]) await failStart(one, id)
      const next = (sessionId: string) =>
        t.eventually(async () => {
          const got = await one.outcome((directory) => directory.claim(wish(sessionId)))
          if (!(got instanceof DirectoryError)) return got
          Check.equal(got.reason, "NoHost", "why a claim is refused during the rest")
          return undefined
        }, "the rest to be over")
      const trial = await next("trial")
      const second = await one.refusal((directory) => directory.claim(wish("second")))
      Check.equal(second, "NoHost", "a second claim during the trial")
      await one.ask((directory) => directory.end(trial, "start failed"))
      const again = await next("again")
      await one.ask((directory) => directory.confirm(again))
      await claimed(one, "s1")
      await claimed(one, "s2")
    },
  },
  "last-place-of-a-quota": {
    says: "Of claims that race for the last places of a quota by four connections exactly so many are granted.",
    run: async (t) => {
      const connections = await t.open(4)
      const [one] = connections
      if (one === undefined) return Check.fail("no connection")
      await announce(one, host("a"), host("b"))
      for (let i = 0; i < 10; i++) {
        const granted = await race(connections, 1, `q${i}`, "QuotaExceeded", i + 1)
        Check.equal(granted, 1, `claims that were granted in round ${i}`)
      }
      Check.equal(
        await race(connections, 6, "many", "QuotaExceeded", 17),
        7,
        "claims that were granted at last",
      )
    },
  },
  "last-place-of-a-host": {
    says: "Of claims that race for the last places of the hosts by four connections exactly so many are granted.",
    run: async (t) => {
      const connections = await t.open(4)
      const [one] = connections
      if (one === undefined) return Check.fail("no connection")
      await announce(one, host("a", { capacity: 3 }), host("b", { capacity: 4 }))
      Check.equal(await race(connections, 5, "c", "NoHost"), 7, "claims that were granted")
    },
  },
  "one-session-in-a-race": {
    says: "Claims of one id by four connections at the same time are all answered with the same session.",
    run: async (t) => {
      const connections = await t.open(4)
      const [one] = connections
      if (one === undefined) return Check.fail("no connection")
      await announce(one, host("a"), host("b"))
      const got = await Promise.all(connections.map((each) => claimed(each, "s")))
      Check.equal(new Set(got.map(({ fence, hostId }) => `${fence} ${hostId}`)).size, 1, "different answers")
    },
  },
})
