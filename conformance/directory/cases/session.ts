/** Cases about sessions: what becomes of claims, fences, and silent hosts. */
import * as Check from "../../suite/Check.ts"
import type { Change } from "../../../core/directory/Directory.ts"
import { hostIs, table } from "../DirectoryContext.ts"
import { announce, claimed, host, running, told, wish } from "./Parts.ts"

const short = { leaseMillis: 60, goneMillis: 120 }

export const sessions = table("directory/session", {
  "looked-up-anywhere": {
    says: "A session that one connection has claimed is found by another, with its host.",
    run: async (t) => {
      const [one, other] = await t.open(2)
      if (one === undefined || other === undefined) return Check.fail("no connection")
      await announce(one, host("a", { address: "wss://a" }))
      const session = await claimed(one, "s")
      const found = await other.ask((directory) => directory.lookup("s"))
      Check.equal(
        [found.session.fence, found.session.state, found.host.address ?? null],
        [session.fence, "claimed", "wss://a"],
        "what was found",
      )
      await other.ask((directory) => directory.confirm(session))
      Check.equal(await told(one, "s"), "running", "the session")
      Check.equal(await one.refusal((directory) => directory.lookup("none")), "NoSession", "an unknown id")
    },
  },
  "first-ending-stays": {
    says: "A session that has ended can be looked up, and keeps its first ending whatever is said later.",
    run: async (t) => {
      const one = await t.one()
      await announce(one, host("a"))
      const session = await running(one, "s")
      await one.ask((directory) => directory.end(session, "closed"))
      const again = await one.ask((directory) => directory.end(session, "released"))
      Check.equal(again.ending ?? null, "closed", "what a second end is answered")
      Check.equal(await told(one, "s"), "ended: closed", "the session")
      Check.equal(
        await one.refusal((directory) => directory.confirm(session)),
        "Fenced",
        "a late confirmation",
      )
      const { hosts, sessions } = await one.ask((directory) => directory.list())
      Check.equal([hosts[0]?.used ?? null, sessions.length], [0, 0], "places used, and sessions listed")
    },
  },
  "forgotten-in-the-end": {
    says: "A session that ended some time ago is no longer known.",
    run: async (t) => {
      const one = await t.one({ keepMillis: 1 })
      await announce(one, host("a"))
      const session = await running(one, "s")
      await one.ask((directory) => directory.end(session, "closed"))
      await t.eventually(async () => {
        const got = await one.outcome((directory) => directory.lookup("s"))
        return got instanceof Error ? got : undefined
      }, "the session to be forgotten")
      Check.equal(await one.refusal((directory) => directory.lookup("s")), "NoSession", "looking it up")
    },
  },
  "late-words-are-refused": {
    says: "Once a session has a newer owner, the words of the older one are refused with Fenced, and change nothing.",
    run: async (t) => {
      const one = await t.one()
      await announce(one, host("a"))
      const old = await running(one, "s")
      await one.ask((directory) => directory.end(old, "released"))
      const session = await claimed(one, "s")
      Check.equal(await one.refusal((directory) => directory.confirm(old)), "Fenced", "a late confirmation")
      Check.equal(await one.refusal((directory) => directory.end(old, "closed")), "Fenced", "a late end")
      const held = { upTo: old.fence, sessions: [old] }
      const { over } = await one.ask((directory) => directory.announce(host("a", { held })))
      Check.equal([...over], ["s"], "sessions that the older owner is told to end")
      const { session: found } = await one.ask((directory) => directory.lookup("s"))
      Check.equal([found.fence, found.state], [session.fence, "claimed"], "the session")
    },
  },
  "unconfirmed-ends": {
    says: "A claim that nobody confirms ends with `never started`, counts as a failed start, and gives its place back.",
    run: async (t) => {
      const one = await t.one({ claimMillis: 40 })
      await announce(one, host("a", { capacity: 2 }))
      const works = await claimed(one, "works")
      const confirmed = await one.outcome((directory) => directory.confirm(works))
      const session = await claimed(one, "s")
      await one.until(hostUsed("a", confirmed instanceof Error ? 0 : 1), "the place to be free again")
      Check.equal(await told(one, "s"), "ended: never started", "the session")
      Check.equal(
        await one.refusal((directory) => directory.confirm(session)),
        "Fenced",
        "a late confirmation",
      )
      const { host: found } = await one.ask((directory) => directory.lookup("s"))
      Check.isTrue(found.failures >= 1, `failures in a row: ${found.failures}`)
      if (!(confirmed instanceof Error)) Check.equal(await told(one, "works"), "running", "a confirmed one")
    },
  },
  "listed-by-parts": {
    says: "Sessions are listed by host and tenant, in parts, each once and in order.",
    run: async (t) => {
      const one = await t.one()
      await announce(one, host("a"))
      for (let i = 0; i < 7; i++) await claimed(one, `s${i}`, { tenant: i % 2 === 0 ? "even" : "odd" })
      const ids: Array<string> = []
      let after: string | undefined
      do {
        const part = await one.ask((directory) => directory.list({ tenant: "even", after, limit: 3 }))
        ids.push(...part.sessions.map(({ sessionId }) => sessionId))
        after = part.next
      } while (after !== undefined)
      Check.equal(ids, ["s0", "s2", "s4", "s6"], "the sessions")
      const other = await one.ask((directory) => directory.list({ hostId: "b" }))
      Check.equal([other.hosts.length, other.sessions.length], [0, 0], "what an unknown host has")
    },
  },
  "silent-is-lost": {
    says: "A host that does not renew is lost: it keeps its sessions and gets no others, until it is heard again.",
    run: async (t) => {
      const one = await t.one({ leaseMillis: 60 })
      await announce(one, host("a"), host("b", { leaseMillis: 3_600_000, labels: { patient: "yes" } }))
      const got = await one.outcome((directory) => directory.claim(wish("s", { labels: {} })))
      await one.until(hostIs("a", "lost"), "the host to be lost")
      await one.ask((directory) => directory.drain("b", true))
      Check.equal(
        await one.refusal((directory) => directory.claim(wish("s2"))),
        "NoHost",
        "a claim meanwhile",
      )
      if (!(got instanceof Error)) Check.equal(await told(one, "s"), "claimed", "a session that was there")
      await one.ask((directory) => directory.announce(host("a", { leaseMillis: 3_600_000 })))
      const { hosts } = await one.ask((directory) => directory.list({ hostId: "a" }))
      Check.equal(hosts[0]?.state ?? null, "up", "the host that was heard again")
      Check.equal((await claimed(one, "s2")).hostId, "a", "the host of the next session")
    },
  },
  "renewed-is-back": {
    says: "A lost host that renews its lease is up again, with the same sessions.",
    run: async (t) => {
      const one = await t.one()
      await announce(one, host("a"))
      const session = await running(one, "s")
      await announce(one, host("a", { leaseMillis: 60 }))
      await one.until(hostIs("a", "lost"), "the host to be lost")
      await t.eventually(async () => {
        await one.ask((directory) => directory.renew({ hostId: "a", epoch: 1 }))
        const { host: found } = await one.ask((directory) => directory.lookup("s"))
        return found.state === "up" ? found : undefined
      }, "the host to be up")
      const { session: found } = await one.ask((directory) => directory.lookup("s"))
      Check.equal([found.fence, found.state], [session.fence, "running"], "the session")
    },
  },
  "silent-for-long-is-gone": {
    says: "A host that stays silent is gone, its sessions have ended with `host gone`, and its epoch is over for good.",
    run: async (t) => {
      const one = await t.one()
      await announce(one, host("a"))
      const session = await running(one, "s")
      await announce(one, host("a", short))
      await one.until(hostIs("a", "gone"), "the host to be gone")
      Check.equal(await told(one, "s"), "ended: host gone", "its session")
      const renewal = await one.refusal((directory) => directory.renew({ hostId: "a", epoch: 1 }))
      Check.equal(renewal, "Fenced", "a late renewal")
      const late = await one.refusal((directory) => directory.announce(host("a")))
      Check.equal(late, "Fenced", "a late announcement")
      await announce(one, host("b"))
      const next = await running(one, "s")
      Check.equal([next.hostId, next.fence > session.fence], ["b", true], "the next owner")
      const held = { upTo: session.fence, sessions: [session] }
      const { over } = await one.ask((directory) => directory.announce(host("a", { epoch: 2, held })))
      Check.equal([...over], ["s"], "sessions that the host is told to end")
      Check.equal((await one.ask((directory) => directory.lookup("s"))).host.hostId, "b", "the owner")
    },
  },
  "silence-is-not-shared": {
    says: "One host that renews stays up while another one is lost and gone.",
    run: async (t) => {
      const one = await t.one()
      await announce(one, host("a", short), host("b"))
      await one.until(hostIs("a", "gone"), "the host to be gone")
      const { hosts } = await one.ask((directory) => directory.list())
      Check.equal(
        hosts.map(({ state }) => state),
        ["gone", "up"],
        "the hosts",
      )
    },
  },
})

/** True for a change by which this host uses so many places, and a claim has failed there. */
const hostUsed = (hostId: string, used: number) => (change: Change) =>
  change.kind === "host" &&
  change.host.hostId === hostId &&
  change.host.used === used &&
  change.host.failures > 0
