/** Cases about hosts: what they announce, their epochs, and draining. */
import * as Check from "../../suite/Check.ts"
import { table } from "../DirectoryContext.ts"
import { announce, claimed, host, running, told, wish } from "./Parts.ts"

export const hosts = table("directory/host", {
  "announced-is-listed": {
    says: "A host that has announced itself is listed with its epoch, labels, capacity and address, up and empty.",
    run: async (t) => {
      const one = await t.one()
      await announce(one, host("b"), host("a", { labels: { os: "linux" }, capacity: 3, address: "wss://a" }))
      const { hosts } = await one.ask((directory) => directory.list())
      const [first] = hosts
      Check.equal(
        hosts.map(({ hostId }) => hostId),
        ["a", "b"],
        "the hosts",
      )
      Check.equal(
        [first?.epoch, { ...first?.labels }, first?.capacity, first?.used, first?.address, first?.state].map(
          (value) => value ?? null,
        ),
        [1, { os: "linux" }, 3, 0, "wss://a", "up"],
        "the first host",
      )
    },
  },
  "announced-again": {
    says: "The same epoch announced again changes labels and capacity, and leaves the sessions as they are.",
    run: async (t) => {
      const one = await t.one()
      await announce(one, host("a", { capacity: 1 }))
      await running(one, "s")
      await announce(one, host("a", { capacity: 2, labels: { gpu: "yes" } }))
      Check.equal(await told(one, "s"), "running", "the session")
      const next = await claimed(one, "s2", { labels: { gpu: "yes" } })
      Check.equal(next.hostId, "a", "the host of the second session")
    },
  },
  "lease-is-answered": {
    says: "An announcement and a renewal are answered with the lease: the announced one, or that of the directory.",
    run: async (t) => {
      const one = await t.one({ leaseMillis: 70_000 })
      const own = await one.ask((directory) => directory.announce(host("a", { leaseMillis: 90_000 })))
      Check.equal([own.leaseMillis, own.draining, [...own.over]], [90_000, false, []], "the answer")
      const usual = await one.ask((directory) => directory.announce(host("b")))
      Check.equal(usual.leaseMillis, 70_000, "the lease of the directory")
      const renewed = await one.ask((directory) => directory.renew({ hostId: "a", epoch: 1 }))
      Check.equal({ ...renewed }, { leaseMillis: 90_000, draining: false }, "the answer to a renewal")
    },
  },
  "older-epoch-is-fenced": {
    says: "An announcement and a renewal with an older epoch are refused with Fenced, and change nothing.",
    run: async (t) => {
      const one = await t.one()
      await announce(one, host("a", { epoch: 7 }))
      await running(one, "s")
      const late = await one.refusal((directory) => directory.announce(host("a", { epoch: 6, capacity: 1 })))
      Check.equal(late, "Fenced", "an older announcement")
      const renewed = await one.refusal((directory) => directory.renew({ hostId: "a", epoch: 6 }))
      Check.equal(renewed, "Fenced", "an older renewal")
      const { session, host: found } = await one.ask((directory) => directory.lookup("s"))
      Check.equal([session.state, found.epoch, found.capacity], ["running", 7, 100], "what there is")
    },
  },
  "unknown-has-to-announce": {
    says: "A renewal by a host, or with an epoch, that has not been announced is refused with NoHostKnown.",
    run: async (t) => {
      const one = await t.one()
      const unknown = await one.refusal((directory) => directory.renew({ hostId: "a", epoch: 1 }))
      Check.equal(unknown, "NoHostKnown", "an unknown host")
      await announce(one, host("a"))
      const newer = await one.refusal((directory) => directory.renew({ hostId: "a", epoch: 2 }))
      Check.equal(newer, "NoHostKnown", "an unknown epoch")
    },
  },
  "new-epoch-ends-old-sessions": {
    says: "A host with a new epoch has none of its old sessions: they have ended with `host restarted`.",
    run: async (t) => {
      const one = await t.one()
      await announce(one, host("a", { labels: { old: "yes" } }), host("b", { labels: { other: "yes" } }))
      await running(one, "s1", { labels: { old: "yes" } })
      await claimed(one, "s2", { labels: { old: "yes" } })
      await running(one, "elsewhere", { labels: { other: "yes" } })
      await announce(one, host("a", { epoch: 2, labels: { new: "yes" } }))
      for (const id of ["s1", "s2"]) Check.equal(await told(one, id), "ended: host restarted", id)
      const { sessions } = await one.ask((directory) => directory.list({ hostId: "a" }))
      Check.equal(sessions.length, 0, "the sessions of the new epoch")
      Check.equal(await told(one, "elsewhere"), "running", "a session of another host")
      const next = await claimed(one, "s3", { labels: { new: "yes" } })
      Check.equal([next.hostId, next.epoch], ["a", 2], "the next session")
    },
  },
  "drained-gets-nothing": {
    says: "A host that drains keeps its sessions and gets no others, also after a restart, until that is undone.",
    run: async (t) => {
      const [one, other] = await t.open(2)
      if (one === undefined || other === undefined) return Check.fail("no connection")
      await announce(one, host("a"))
      await running(one, "s")
      await other.ask((directory) => directory.drain("a", true))
      const refusal = await one.refusal((directory) => directory.claim(wish("s2")))
      Check.equal(refusal, "NoHost", "a claim while the host drains")
      Check.equal(await told(one, "s"), "running", "the session that was there")
      const { draining } = await one.ask((directory) => directory.renew({ hostId: "a", epoch: 1 }))
      Check.equal(draining, true, "what a renewal is answered")
      const again = await one.ask((directory) => directory.announce(host("a", { epoch: 2 })))
      Check.equal(again.draining, true, "what the next epoch is answered")
      await other.ask((directory) => directory.drain("a", false))
      Check.equal((await claimed(one, "s3")).hostId, "a", "the host of a claim afterwards")
      const unknown = await one.refusal((directory) => directory.drain("b", true))
      Check.equal(unknown, "NoHostKnown", "a host that nobody has announced")
    },
  },
  "held-is-the-truth": {
    says: "A host that announces its sessions ends those that it no longer has, up to the version that it has heard of.",
    run: async (t) => {
      const one = await t.one()
      await announce(one, host("a"))
      const kept = await running(one, "kept")
      const lost = await running(one, "lost")
      const unheard = await claimed(one, "unheard")
      await running(one, "later")
      const held = { upTo: lost.version, sessions: [kept] }
      const { over } = await one.ask((directory) => directory.announce(host("a", { held })))
      Check.equal([...over], [], "sessions that the host is told to end")
      Check.equal(await told(one, "kept"), "running", "the one that it has")
      Check.equal(await told(one, "lost"), "ended: host forgot it", "the one that it has not")
      Check.equal(
        [await told(one, "unheard"), await told(one, "later")],
        ["claimed", "running"],
        "newer ones",
      )
      await one.ask((directory) =>
        directory.announce(host("a", { held: { upTo: lost.version, sessions: [kept, unheard] } })),
      )
      Check.equal(await told(one, "unheard"), "running", "a claim that the host lists")
    },
  },
  "held-is-adopted": {
    says: "Sessions that only their host knows are taken over as they are; later claims have greater fences.",
    run: async (t) => {
      const one = await t.one()
      const held = { upTo: 70, sessions: [{ sessionId: "s", fence: 70, tenant: "t" }] }
      const { over } = await one.ask((directory) => directory.announce(host("a", { held })))
      Check.equal([...over], [], "sessions that the host is told to end")
      const { session, host: found } = await one.ask((directory) => directory.lookup("s"))
      Check.equal(
        [session.state, session.fence, session.tenant, found.used],
        ["running", 70, "t", 1],
        "the session",
      )
      const next = await claimed(one, "s2")
      Check.isTrue(next.fence > 70, `the next fence is ${next.fence}`)
    },
  },
  "held-but-over": {
    says: "A host that announces a session which has ended for everybody else is told to end it.",
    run: async (t) => {
      const one = await t.one()
      await announce(one, host("a"))
      const session = await running(one, "s")
      await one.ask((directory) => directory.end(session, "released"))
      const held = { upTo: session.fence, sessions: [session] }
      const { over } = await one.ask((directory) => directory.announce(host("a", { held })))
      Check.equal([...over], ["s"], "sessions that the host is told to end")
      Check.equal(await told(one, "s"), "ended: released", "the session")
      const next = await one.ask((directory) => directory.announce(host("a", { epoch: 2, held })))
      Check.equal([...next.over], ["s"], "sessions that the next epoch is told to end")
    },
  },
  "never-right-is-invalid": {
    says: "Empty ids, fractions, and texts that not every engine can hold are refused with Invalid.",
    run: async (t) => {
      const one = await t.one()
      const wrong = [host(""), host("a b"), host("a", { epoch: 0 }), host("a", { capacity: 0.5 })]
      const texts = [host("é"), host("a", { labels: { "": "x" } }), host("a", { labels: { a: "\0" } })]
      for (const said of [...wrong, ...texts]) {
        const refusal = await one.refusal((directory) => directory.announce(said))
        Check.equal(refusal, "Invalid", JSON.stringify(said))
      }
      const claim = await one.refusal((directory) => directory.claim(wish("s", { quota: -1 })))
      Check.equal(claim, "Invalid", "a quota below 0")
    },
  },
})
