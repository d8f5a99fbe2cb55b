/** Takes away from a plan what its failure does not need: processes, disturbances, absences, calls and readers. */
import type { ClientPlan, Plan } from "./Plan.ts"
import { play, type Outcome } from "./Simulation.ts"

/** Runs that one shrinking may take. */
const mostRuns = 400

/** A plan that fails by the same invariant, and how. */
export interface Shrunk {
  readonly plan: Plan
  readonly outcome: Outcome
}

/** Some of the items of a list, whatever they are: only `get` and `set` of one list meet. */
type Items = ReadonlyArray<unknown>

/** A list within a plan, and the plan with another one in its place. */
interface List {
  readonly get: (plan: Plan) => Items
  readonly set: (plan: Plan, items: Items) => Plan
}

/** The smallest plan that can be found from a failing one. */
export const shrink = (plan: Plan, outcome: Outcome): Shrunk => {
  let best: Shrunk = { plan, outcome }
  let runs = 0

  const improves = (candidate: Plan): boolean => {
    if (runs >= mostRuns) return false
    runs += 1
    const outcome = play(candidate)
    if (outcome.violation?.invariant !== best.outcome.violation?.invariant) return false
    best = { plan: candidate, outcome }
    return true
  }

  const without = ({ get, set }: List): boolean => {
    let smaller = false
    for (let size = get(best.plan).length; size >= 1; size >>= 1)
      for (let from = 0; from < get(best.plan).length;) {
        const items = get(best.plan)
        const rest: Items = [...items.slice(0, from), ...items.slice(from + size)]
        if (improves(set(best.plan, rest))) smaller = true
        else from += size
      }
    return smaller
  }

  for (let more = true; more && runs < mostRuns;) more = listsOf(best.plan).map(without).some(Boolean)
  return best
}

const listsOf = (plan: Plan): ReadonlyArray<List> => [
  ...plan.clients.flatMap((_, index) => [
    ofClient(index, "processes"),
    ofClient(index, "waits"),
    ofClient(index, "records"),
    ofClient(index, "lists"),
    ofClient(index, "viewers"),
    ofClient(index, "drills"),
  ]),
  ofFleet("starts"),
  ofFleet("faults"),
  {
    get: ({ disturbances }) => disturbances,
    set: (plan, items) => ({ ...plan, disturbances: items as Plan["disturbances"] }),
  },
  ...plan.clients.map((_, index) => ofClient(index, "absences")),
  ...plan.clients.flatMap(({ processes }, client) =>
    processes.flatMap((_, process) => [ofProcess(client, process, "calls"), ofScript(client, process)]),
  ),
]

const inClient = (plan: Plan, index: number, change: (client: ClientPlan) => ClientPlan): Plan => ({
  ...plan,
  clients: plan.clients.map((client, at) => (at === index ? change(client) : client)),
})

const ofFleet = (name: "starts" | "faults"): List => ({
  get: ({ fleet }) => fleet?.[name] ?? [],
  set: (plan, items) =>
    plan.fleet === undefined ? plan : { ...plan, fleet: { ...plan.fleet, [name]: items as never } },
})

type Named = "processes" | "waits" | "records" | "lists" | "viewers" | "drills" | "absences"

const ofClient = (index: number, name: Named): List => ({
  get: ({ clients }) => clients[index]?.[name] ?? [],
  set: (plan, items) => inClient(plan, index, (client) => ({ ...client, [name]: items as never })),
})

const ofProcess = (client: number, index: number, name: "calls"): List => ({
  get: ({ clients }) => clients[client]?.processes[index]?.[name] ?? [],
  set: (plan, items) =>
    inClient(plan, client, (one) => ({
      ...one,
      processes: one.processes.map((process, at) =>
        at === index ? { ...process, [name]: items as typeof process.calls } : process,
      ),
    })),
})

const ofScript = (client: number, index: number): List => ({
  get: ({ clients }) => clients[client]?.processes[index]?.script.acts ?? [],
  set: (plan, acts) =>
    inClient(plan, client, (one) => ({
      ...one,
      processes: one.processes.map((process, at) =>
        at === index
          ? { ...process, script: { ...process.script, acts: acts as typeof process.script.acts } }
          : process,
      ),
    })),
})
