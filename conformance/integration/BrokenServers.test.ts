/**
 * The wire suite on the servers of targets/broken, each of which has one fault: exactly the named cases fail.
 *
 * Each server is also tested with cases that its fault does not touch. Those must pass. It plays some of them, others
 * than the server before it.
 */
import { existsSync, readdirSync, readFileSync } from "node:fs"
import { afterAll, beforeAll, expect, test } from "vitest"
import type { Capability } from "../suite/Case.ts"
import { cases } from "../suite/cases/index.ts"
import * as Manifest from "../suite/Manifest.ts"
import type { Outcome } from "../suite/RunCase.ts"
import * as Runner from "../suite/Runner.ts"
import { select } from "../suite/Select.ts"
import type { Target } from "../suite/Target.ts"
import type { TransportKind } from "../suite/wire/TransportKind.ts"
import * as Control from "../testing/Control.ts"

interface Broken {
  /** Over WebSocket all cases share one server, which is quicker. */
  readonly over?: TransportKind
  /** What must notice the fault. */
  readonly fails: ReadonlyArray<string>
  /** The fault is in every message, so every case fails: nothing can be unrelated. */
  readonly everywhere?: boolean
  /** Its cases need what the kernel tells of processes, and are played where it does. */
  readonly kernel?: boolean
  /** What it says that it can, and cannot: these cases are played although the control server is without it. */
  readonly claims?: ReadonlyArray<Capability>
  /** The server of this package behind a relay, because the control server does not have what is wrong. */
  readonly relayed?: boolean
}

/** Short cases of several families: a server whose fault lies elsewhere passes them. */
const unrelated = [
  "handshake/second-initialize-refused",
  "envelope/string-id-echoed",
  "process/output/streams-and-exit-code",
  "process/read/unknown-process-refused",
  "process/read/max-bytes-keeps-chunks-whole",
  "process/write/reaches-the-input",
  "process/exit-code/the-largest",
]

/** Faults of what the control server does not have, by the case that notices each. */
const relayed = Object.fromEntries(
  Object.entries({
    "history-sizes-of-now": "process/history/has-the-sizes-of-a-terminal",
    "history-times-in-seconds": "process/history/has-times-and-sizes",
    "restart-kills-at-once": "process/restart/goes-on-in-the-same-process",
    "restart-of-a-success": "process/restart/leaves-a-success",
    "restart-without-a-bound": "process/restart/follows-a-failure",
    "screen-cursor-from-one": "process/screen/shows-what-is-seen",
    "screen-keeps-blanks": "process/screen/shows-what-is-seen",
    "screen-of-now": "process/screen/is-of-a-seq",
    "screen-of-the-first-size": "process/screen/follows-a-resize",
    "screen-of-what-is-retained": "process/screen/goes-on-in-the-history",
    "gap-without-screen": "process/attach/screen-jumps-to-the-picture",
    "screen-painted-plain": "process/screen/paints-itself",
    "screen-without-colors": "process/screen/has-colors-and-attributes",
    "screen-without-modes": "process/screen/tells-title-cursor-and-alternate",
    "screen-without-scrollback": "process/screen/has-what-has-left-the-screen",
  }).map(([name, id]): [string, Broken] => [name, { relayed: true, fails: [id] }]),
)

const broken: { readonly [name: string]: Broken } = {
  "after-seq-included": { fails: ["process/read/after-seq-skips-older", "process/read/next-seq"] },
  "answered-twice": {
    fails: ["environment/status-is-ready", "handshake/second-initialize-refused"],
    everywhere: true,
  },
  "attach-first-of-the-name": { fails: ["process/attach/by-name"] },
  "attach-from-the-start": { fails: ["process/attach/after-seq"] },
  "attach-gap-untold": { fails: ["process/attach/skip-tells-the-gap"] },
  "attach-never-stalls": { fails: ["process/attach/block-stalls-the-child"] },
  "attach-observers-write": { fails: ["process/attach/scope/observe"] },
  "attach-of-everybody": {
    fails: ["process/attach/session-by-its-id", "process/attach/scope/own", "process/attach/scope/observe"],
  },
  "attach-role-forgotten": { fails: ["process/attach/role-after-a-resume"] },
  "attach-role-lost": { fails: ["process/attach/role-goes-back", "process/attach/role-after-a-resume"] },
  "attach-role-untold": {
    fails: [
      "process/attach/one-writer-at-a-time",
      "process/attach/role-goes-back",
      "process/attach/role-after-a-resume",
      "process/attach/owner-takes-it-back",
    ],
  },
  "attach-viewer-writes": {
    fails: [
      "process/attach/viewers-do-not-write",
      "process/attach/one-writer-at-a-time",
      "process/attach/owner-takes-it-back",
    ],
  },
  "bad-json-ignored": {
    fails: ["envelope/malformed-text-answered-with-minus-one", "envelope/batch-refused"],
  },
  "base64-for-urls": { fails: ["process/output/bytes-are-exact"] },
  "base64-without-padding": {
    fails: [
      "process/output/bytes-are-exact",
      "process/output/streams-and-exit-code",
      "process/read/max-bytes-keeps-chunks-whole",
    ],
  },
  "big-id-rounded": { fails: ["envelope/64-bit-ids-echoed"] },
  "cancel-for-initialized": { fails: ["request/cancel/does-not-stand-for-initialized"] },
  "cancel-ignored": { fails: ["request/cancel/ends-a-long-poll", "request/cancel/many-at-once"] },
  "cancel-of-all": { fails: ["request/cancel/many-at-once"] },
  "cancel-of-everybody": { over: "ws", fails: ["request/cancel/of-its-connection-only"] },
  "cancel-of-unknown-ids": { fails: ["request/cancel/other-ids-are-ignored"] },
  "cancel-of-writes": { fails: ["request/cancel/what-has-an-effect-goes-on"] },
  "cancel-remembered": { fails: ["request/cancel/before-its-request"] },
  "cancel-unanswered": { fails: ["request/cancel/ends-a-long-poll"] },
  "cancel-with-two-answers": { fails: ["request/cancel/ends-a-long-poll"] },
  "cancel-wrong-code": { fails: ["request/cancel/ends-a-long-poll"] },
  "children-outlive-the-input": { over: "stdio", fails: ["lifecycle/end-of-input-ends-the-server"] },
  "chunk-dropped": { fails: ["process/output/seq-contiguous", "process/read/max-bytes-keeps-chunks-whole"] },
  "closed-before-exited": {
    fails: ["process/output/order/closed-has-the-highest-seq", "process/read/max-bytes-keeps-chunks-whole"],
  },
  "credit-by-bytes": { fails: ["process/credit/small-chunks-count-as-64"] },
  "credit-ignored": {
    fails: [
      "process/credit/nothing-beyond-it",
      "process/credit/grants-go-on-where-it-stopped",
      "process/credit/first-grant-begins-it",
      "process/credit/anew-with-a-resume",
      "process/credit/small-chunks-count-as-64",
    ],
  },
  "credit-of-everybody": { fails: ["process/credit/others-go-on"] },
  "credit-overdrawn": {
    fails: ["process/credit/nothing-beyond-it", "process/credit/grants-go-on-where-it-stopped"],
  },
  "credit-replaced": { fails: ["process/credit/grants-go-on-where-it-stopped"] },
  "credit-spares-the-end": { fails: ["process/credit/end-waits-too"] },
  "credit-survives-a-resume": { fails: ["process/credit/anew-with-a-resume"] },
  "deadline-ignored": { fails: ["process/deadlines/timeout-ends-the-process"] },
  "deadline-of-the-connection": { fails: ["process/deadlines/goes-on-without-a-client"] },
  "deadline-without-a-kill": { fails: ["process/deadlines/grace-ends-in-a-kill"] },
  "detach-kills": { fails: ["session/detach-keeps-processes", "session/takeover/just-detached"] },
  "detach-ends-the-process": { fails: ["process/attach/own-process-again"] },
  "dies-of-bad-json": { over: "stdio", fails: ["envelope/malformed-text-answered-with-minus-one"] },
  "ending-unasked": { fails: ["process/deadlines/ending-only-when-asked"] },
  "environment-leaks": { fails: ["environment/exact-without-policy"] },
  "error-as-text": {
    fails: [
      "process/read/missing-process-id-is-named",
      "handshake/second-initialize-refused",
      "process/read/unknown-process-refused",
    ],
  },
  "error-code-wrong": { fails: ["process/read/missing-process-id-is-named"] },
  "exited-with-the-last-byte": {
    fails: ["process/output/exited-is-not-delayed", "process/output/late-output"],
  },
  "failed-start-keeps-id": { fails: ["process/start/program-missing-frees-the-id"] },
  "frame-forwarder": {
    fails: [
      "envelope/64-bit-ids-echoed",
      "envelope/malformed-text-answered-with-minus-one",
      "limits/fragmented-message-accepted",
      "limits/frame-just-under-16-mib",
      "limits/megabyte-message-accepted",
      "process/output/slow-client-stalls-the-process",
      "session/detach-keeps-processes",
      "websocket/no-close-frame",
    ],
  },
  "gate-open": { fails: ["handshake/process-methods-refused-before-initialize"] },
  "grace-ignored": { fails: ["process/terminate/grace-asks-first"] },
  "grep-has-one-page": { fails: ["process/grep/gives-pages"] },
  "grep-numbers-matches": { fails: ["process/grep/finds-lines"] },
  "grep-over-lines": { fails: ["process/grep/matches-within-a-line"] },
  "grep-without-context": { fails: ["process/grep/gives-the-lines-around"] },
  "history-lines-from-zero": { fails: ["process/history/begins-and-ends-anywhere"] },
  "history-of-what-is-retained": { fails: ["process/history/keeps-everything"] },
  "history-renumbered": { fails: ["process/history/has-the-seqs-of-the-output"] },
  "history-tail-of-ended-lines": { fails: ["process/history/gives-the-last-lines"] },
  "history-unasked": { fails: ["process/history/refuses-what-it-cannot-mean"] },
  "history-unbounded": { fails: ["process/history/stays-within-its-bytes"] },
  "list-newest-first": { fails: ["process/list/pages"] },
  "list-of-everybody": { fails: ["process/list/own-session-only"] },
  "list-owns-everything": { fails: ["session/list/all-where-allowed"] },
  "list-shows-session-ids": { fails: ["session/list/never-has-an-id"] },
  "list-unfiltered": { fails: ["process/list/filters"] },
  "mark-behind-its-chunk": { fails: ["process/marks/between-the-output"] },
  "mark-lost-in-histories": { fails: ["process/marks/kept-with-a-history"] },
  "mark-lost-in-reads": { fails: ["process/marks/in-reads"] },
  "mark-lost-over-chunks": { fails: ["process/marks/over-chunks"] },
  "mark-unasked": { fails: ["process/marks/only-when-asked"] },
  "list-without-labels": { fails: ["process/list/tells-what-runs"] },
  "id-as-string": { fails: ["envelope/integer-ids-echoed", "environment/status-is-ready"], everywhere: true },
  "id-free-at-exit": { fails: ["process/start/retained-id-refused"] },
  "input-as-latin1": {
    over: "stdio",
    fails: ["framing/split-and-joined-writes", "envelope/unicode-escapes-and-text"],
  },
  "input-left-open": { fails: ["process/start/stdin-is-empty"] },
  "interrupt-spares-children": { fails: ["process/signal/interrupt-reaches-the-group"] },
  "jsonrpc-member": { fails: ["environment/status-is-ready"], everywhere: true },
  "late-output-dropped": { fails: ["process/output/late-output"] },
  "log-on-stdout": { over: "stdio", fails: ["environment/status-is-ready"], everywhere: true },
  "max-bytes-cuts-chunks": { fails: ["process/read/max-bytes-keeps-chunks-whole"] },
  "max-bytes-starves": { fails: ["process/read/max-bytes-keeps-chunks-whole"] },
  "number-as-object": { fails: ["params/number-is-no-object"] },
  "private-names-pass": { fails: ["environment/private-names-scrubbed"] },
  "read-consumes": {
    fails: ["process/read/after-seq-skips-older", "process/read/max-bytes-keeps-chunks-whole"],
  },
  "receipt-in-seconds": { fails: ["process/receipt/has-its-times"] },
  "receipt-of-what-is-kept": { fails: ["process/receipt/counts-what-nobody-got"] },
  "receipt-of-wrong-bytes": { fails: ["process/receipt/of-what-was-written"] },
  "receipt-of-wrong-hash": { fails: ["process/receipt/of-what-was-written"] },
  "receipt-unasked": { fails: ["process/receipt/only-when-asked"] },
  "receipt-without-a-cause": { fails: ["process/receipt/says-who-ended-it"] },
  "remove-ignored": { fails: ["process/terminate/remove-forgets"] },
  "replay-from-the-start": {
    fails: ["session/replay/missed-is-pushed", "session/replay/again-for-each-resume"],
  },
  "replay-ignored": {
    fails: [
      "session/replay/missed-is-pushed",
      "session/replay/exit-and-end",
      "session/replay/again-for-each-resume",
      "session/replay/goes-over-into-the-new",
    ],
  },
  "replay-of-output-only": { fails: ["session/replay/exit-and-end"] },
  "replay-skips-one": {
    fails: ["session/replay/missed-is-pushed", "session/replay/goes-over-into-the-new"],
  },
  "resume-counts-anew": { fails: ["session/resume-continues-the-count"] },
  "resume-repeats": { fails: ["session/resume-continues-the-count"] },
  "resume-takes-over": { fails: ["session/attached-session-refused", "session/takeover/without-it-refused"] },
  ...relayed,
  "screen-after-all": {
    relayed: true,
    fails: ["process/screen/is-of-a-seq", "process/screen/is-of-then-in-a-flood"],
  },
  "seq-as-string": {
    fails: [
      "process/output/seq-contiguous",
      "process/exit-code/the-largest",
      "process/output/streams-and-exit-code",
      "process/read/max-bytes-keeps-chunks-whole",
    ],
  },
  "seq-repeated": {
    fails: [
      "process/output/seq-contiguous",
      "process/exit-code/the-largest",
      "process/output/streams-and-exit-code",
      "process/read/max-bytes-keeps-chunks-whole",
    ],
  },
  "seq-skipped": {
    fails: [
      "process/output/seq-contiguous",
      "process/exit-code/the-largest",
      "process/output/streams-and-exit-code",
      "process/read/max-bytes-keeps-chunks-whole",
    ],
  },
  "sessions-share-processes": { fails: ["session/isolated"] },
  "signal-code-plain": { fails: ["process/exit-code/of-sigterm", "process/exit-code/of-sigsegv"] },
  "signal-numbers-refused": { fails: ["process/signal/any-name-or-number"] },
  "silence-from-the-start": { fails: ["process/deadlines/silence-counts-from-the-last-output"] },
  "signals-are-interrupts": {
    fails: [
      "process/signal/more-names-run-their-traps",
      "process/signal/more-names-by-default",
      "process/signal/more-names-reach-the-group",
    ],
  },
  "signals-spare-children": { fails: ["process/signal/more-names-reach-the-group"] },
  "start-answered-late": { fails: ["process/output/order/start-answered-first"] },
  "streams-merged": { fails: ["process/output/streams-and-exit-code"] },
  "takeover-ends-the-processes": { fails: ["session/takeover/attached", "session/takeover/waiting-read"] },
  "takeover-ignored": {
    fails: [
      "session/takeover/attached",
      "session/takeover/attaching",
      "session/takeover/waiting-read",
      "session/takeover/blocked-write",
      "session/takeover/two-at-once",
      "session/takeover/during-a-replay",
      "session/takeover/stalled-holder",
      "session/takeover/processes-go-over",
    ],
  },
  "takeover-leaves-reads-waiting": {
    fails: ["session/takeover/waiting-read", "session/takeover/blocked-write"],
  },
  "takeover-leaves-the-old-open": {
    fails: ["session/takeover/attached", "session/takeover/attaching", "session/takeover/two-at-once"],
  },
  "takeover-of-ready-ones-only": {
    fails: ["session/takeover/attaching", "session/takeover/two-at-once", "session/takeover/during-a-replay"],
  },
  "takeover-opens-sessions": { fails: ["session/takeover/unknown-and-new"] },
  "takeover-pushes-to-both": { fails: ["session/takeover/attached"] },
  "takeover-unasked": {
    fails: ["session/takeover/without-it-refused", "session/takeover/bad-values-refused"],
  },
  "takeover-untold": {
    fails: ["session/takeover/attached", "session/takeover/attaching", "session/takeover/waiting-read"],
  },
  "takeover-wrong-code": { fails: ["session/takeover/waiting-read"] },
  "terminate-is-polite": { fails: ["process/terminate/kills-at-once"] },
  "terminate-spares-children": { fails: ["process/terminate/kills-the-group"] },
  "typescript-gateway": {
    claims: ["pty"],
    fails: [
      "environment/info-equals-that-of-initialize",
      "process/exit-code/of-sigkill",
      "process/exit-code/of-sigterm",
      "process/output/exited-is-not-delayed",
      "process/output/tty-has-one-stream",
      "process/start/cwd-file-uri",
      "process/write/same-write-id-written-once",
      "session/detach-keeps-processes",
    ],
  },
  "unknown-fields-refused": { fails: ["process/start/unknown-fields-ignored"] },
  "unknown-method-ignored": { fails: ["handshake/unknown-method-needs-no-handshake"] },
  "utf8-replaced": { fails: ["process/output/bytes-are-exact"] },
  "violation-tolerated": { fails: ["handshake/violation/unknown-notification"] },
  "wait-blocks-everybody": { fails: ["websocket/connections-are-independent"], everywhere: true },
  "wait-blocks-its-connection": { fails: ["concurrency/long-poll-delays-nobody"] },
  "wait-ended-by-anything": { fails: ["process/read/old-output-does-not-wake"] },
  "wait-misses-the-exit": { fails: ["process/read/exit-wakes", "process/read/closed-returns-at-once"] },
  "wait-answers-the-last": { fails: ["process/wait/takes-the-first-of-several"] },
  "wait-backtracks": { fails: ["process/wait/takes-linear-time"] },
  "wait-begins-now": { fails: ["process/wait/finds-what-was-printed-before"] },
  "wait-counts-all-bytes": { fails: ["process/wait/counts-bytes-after-a-seq"] },
  "wait-ends-never": { fails: ["process/wait/ends-with-the-process"] },
  "wait-exits-at-once": { fails: ["process/wait/ends-when-its-time-has-passed"] },
  "wait-for-a-chunk": { fails: ["process/wait/finds-text-over-chunks"] },
  "wait-hides-gaps": { fails: ["process/wait/tells-of-a-gap"] },
  "wait-ignores-flags": { fails: ["process/wait/knows-flags"] },
  "wait-ignores-streams": { fails: ["process/wait/looks-at-the-stream-that-is-named"] },
  "wait-input-by-its-text": { kernel: true, fails: ["process/wait/tells-who-reads-its-pipe"] },
  "wait-input-of-sleepers": { kernel: true, fails: ["process/wait/tells-who-reads-its-pipe"] },
  "wait-port-of-anybody": { kernel: true, fails: ["process/wait/tells-who-listens"] },
  "wait-port-of-the-leader": { kernel: true, fails: ["process/wait/tells-who-listens"] },
  "wait-returns-the-head": { fails: ["process/wait/returns-head-and-tail"] },
  "wait-too-soon": { fails: ["process/wait/is-quiet-no-sooner"] },
  "write-id-forgotten": { fails: ["process/write/same-write-id-written-once"] },
  "write-ids-of-everybody": { fails: ["process/write/same-write-id-written-once"] },
  "writes-out-of-order": { fails: ["process/write/order-is-kept"] },
}

/** As the control server announces it. */
const kernelTells = existsSync("/proc/self/syscall")

/** What must fail may fail by waiting in vain, so it waits for less than what must pass. */
const [shortMs, longMs] = [2_500, 60_000]

const run = async (
  target: Target,
  ids: ReadonlyArray<string>,
  timeoutMs: number,
  without = Control.without,
) => {
  const chosen = select(cases, ids, "all").cases
  // What a server can do is found out once: on a busy machine it needs longer to start than a case may last here.
  await Promise.all(chosen.map((item) => Manifest.missing(item, target, longMs)))
  const options = { parallel: 3, timeoutMs, slow: false, without }
  return Runner.run({ cases: chosen, targets: [target], ...options })
}

/** How many of the unrelated cases a server plays. */
const sample = 3

/** Cases that a server passes: from another one on for each. */
const sureOf = (index: number, fails: ReadonlyArray<string>): ReadonlyArray<string> => {
  const others = unrelated.filter((id) => !fails.includes(id))
  return others.map((_, at) => others[(index + at) % others.length] ?? "").slice(0, sample)
}

const failed = (outcomes: ReadonlyArray<Outcome>): ReadonlyArray<string> =>
  outcomes.filter(({ status }) => status === "fail").map((outcome) => outcome.case.id)

/** Why a case has failed, or was not played. */
const whyNot = (outcome: Outcome): ReadonlyArray<string> =>
  outcome.status === "pass" ? [] : [`${outcome.case.id}: ${outcome.status}, ${outcome.reason}`]

test("every broken server has its line here", () => {
  const files = readdirSync(new URL("../targets/broken/", import.meta.url))
  expect(files.map((file) => file.replace(/\.mjs$/, "")).sort()).toEqual(Object.keys(broken).sort())
  expect(files.length).toBeGreaterThanOrEqual(20)
})

test("what to check first are ten cases, each with a server here that fails it", () => {
  const page = readFileSync(new URL("../FIRST.md", import.meta.url), "utf8")
  const rows = page.split("\n").filter((line) => /^\|.*`\w+\/[^`]+` *\|[^|]+\|$/.test(line))
  const seen = rows.map((row) => {
    const cells = row.split("|").map((cell) => cell.trim().replaceAll("`", ""))
    const [id = "", server = ""] = cells.slice(-3)
    const servers = server === "both" ? ["typescript-gateway", "frame-forwarder"] : [server]
    return {
      id,
      exists: cases.some((item) => item.id === id),
      fail: servers.every((name) => broken[name]?.fails.includes(id)),
    }
  })
  expect(seen.filter(({ exists, fail }) => !exists || !fail)).toEqual([])
  expect(new Set(seen.map(({ id }) => id)).size).toBe(10)
})

for (const over of ["stdio", "ws"] as const) {
  test.concurrent(
    `the control server passes all of these cases over ${over}`,
    { timeout: 600_000 },
    async () => {
      // Over stdio each case has a server of its own, which is slow: only the cases that a fault needs there.
      const own = Object.values(broken).filter(
        (one) => one.relayed !== true && (over === "ws" || one.over === over),
      )
      const ids = own.flatMap(({ fails }) => fails)
      const outcomes = await run(Control.target("control", over), [...ids, ...unrelated], longMs)
      expect(outcomes.filter(({ status }) => status !== "skip").flatMap(whyNot)).toEqual([])
    },
  )
}

test.concurrent("the server behind a relay passes all cases of its broken ones", async () => {
  const ids = Object.values(relayed).flatMap(({ fails }) => fails)
  const outcomes = await run(Control.target("relay", "ws"), ids, longMs, new Set())
  expect(outcomes.flatMap(whyNot)).toEqual([])
})

/** A fault that hangs its process has one of its own, as has every server that is not over WebSocket. */
const alone = ["wait-backtracks"]
const sharing = Object.keys(broken).filter(
  (name) => (broken[name]?.over ?? "ws") === "ws" && !alone.includes(name),
)
/** Several processes, because what one server computes holds up the others in its process. */
const processes = 3
let houses: ReadonlyArray<Control.Together> = []
beforeAll(async () => {
  const parts = Array.from({ length: processes }, (_, part) =>
    sharing.filter((_, index) => index % processes === part),
  )
  houses = await Promise.all(parts.map((names) => Control.together(names, longMs)))
})
afterAll(() => houses.forEach(({ close }) => close()))

for (const [index, [name, one]] of Object.entries(broken).entries()) {
  const { everywhere = false, fails, kernel = false, over = "ws" } = one
  test.skipIf(kernel && !kernelTells).concurrent(`${name} fails ${fails.join(", ")}`, async () => {
    const house = houses[sharing.indexOf(name) % processes]
    const server = house?.target(name) ?? Control.target(`broken/${name}`, over)
    const target = { ...server, close: () => {} }
    const lacks = new Set([...Control.without].filter((what) => one.claims?.includes(what) !== true))
    try {
      if (!everywhere) expect(failed(await run(target, sureOf(index, fails), longMs))).toEqual([])
      const wrong = one.relayed
        ? await run(target, fails, longMs, new Set())
        : await run(target, fails, shortMs, lacks)
      expect([...failed(wrong)].sort()).toEqual([...fails].sort())
    } finally {
      server.close()
    }
  })
}
