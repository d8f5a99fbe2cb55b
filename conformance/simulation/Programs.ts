/** The programs of a client, from its plan. */
import type { Actor } from "./Actor.ts"
import { AgentProgram } from "./AgentProgram.ts"
import type { Children } from "./Children.ts"
import { DeadlineJudge } from "./DeadlineJudge.ts"
import type { Disk } from "./Disk.ts"
import { DrillProgram } from "./DrillProgram.ts"
import { FileProgram } from "./FileProgram.ts"
import { HttpProgram } from "./HttpProgram.ts"
import { ListProgram } from "./ListProgram.ts"
import type { Origin } from "./Origin.ts"
import type { ClientPlan } from "./Plan.ts"
import { run as runCall } from "./ProcessCalls.ts"
import { ProcessProgram } from "./ProcessProgram.ts"
import type { Program } from "./Program.ts"
import * as RecordCalls from "./RecordCalls.ts"
import { ViewerProgram } from "./ViewerProgram.ts"
import * as WaitCalls from "./WaitCalls.ts"

/** What programs reach. */
export interface Stage {
  readonly children: Children
  readonly disk: Disk
  readonly origin: Origin
}

/** What a client does. */
export const programsOf = (
  { children, disk, origin }: Stage,
  actor: Actor,
  { processes, waits, records, lists, viewers, files, http, agents, drills }: ClientPlan,
  actors: ReadonlyArray<Actor>,
): ReadonlyArray<Program> => [
  ...processes.map(
    (plan) =>
      new ProcessProgram(actor, plan, children.truth(plan.key), (program) =>
        plan.calls.map((call) => runCall(program, call)),
      ),
  ),
  ...waits.map((plan) => {
    const truth = children.truth(plan.key)
    truth.witness = new DeadlineJudge(actor.world, truth, plan)
    const calls = (program: ProcessProgram) => plan.waits.map((call) => WaitCalls.run(program, call))
    return new ProcessProgram(actor, plan, truth, calls)
  }),
  ...records.map((plan) => RecordCalls.programOf(actor, plan, children)),
  ...lists.map((plan) => new ListProgram(actor, plan, children)),
  ...viewers.map((plan) => new ViewerProgram(actor, plan, actors[plan.of % actors.length] ?? actor)),
  ...files.map((plan) => new FileProgram(actor, plan, disk)),
  ...http.map((plan) => new HttpProgram(actor, plan, origin)),
  ...agents.map((plan) => new AgentProgram(actor, plan, children)),
  ...drills.map((plan) => new DrillProgram(actor, plan, children)),
]
