// @ts-check
// Mutations of processes that are restarted.
import { one } from "./mutation.mjs"

/** @param {string} file @param {string} find @param {string} replace @param {string} says @param {string[]} cases */
const mutated = (file, find, replace, says, ...cases) => ({
  ...one(`core/process/restart/${file}`, find, replace, says, ...cases),
  tests: ["core/server/ExecServer.Restart.test.ts"],
})

export const restarts = [
  one(
    "adapters/shared/cli/show/Changes.ts",
    "Rows.isLive(before)) && !Rows.isLive(row)",
    "Rows.isLive(before))",
    "a process that runs has exited",
  ),
  one(
    "adapters/shared/cli/control/Usage.ts",
    'stat.lastIndexOf(")")',
    'stat.indexOf(")")',
    "a parenthesis in the name of a program shifts what it uses",
  ),
  mutated(
    "Policy.ts",
    "restarts >= most",
    "restarts > most",
    "children follow each other once more than the start allows",
    "process/restart/follows-a-failure",
  ),
  mutated("Policy.ts", 'return when === "always" || ', "return ", "a policy of always is one of failures"),
  mutated(
    "Policy.ts",
    "before === 0 || ranMillis >= wellMillis",
    "before === 0",
    "the pauses never begin anew",
  ),
  mutated(
    "Restarts.ts",
    "yield* child.kill\n      while",
    "while",
    "what is left of a child lives beside the next one",
  ),
  mutated(
    "Restarts.ts",
    "    this.told?.finish()\n",
    "",
    "a process that is ended in a pause never exits",
    "process/restart/ends-with-a-terminate",
  ),
  mutated(
    "RestartedChild.ts",
    "kept.size = size",
    "void size",
    "the terminal of the next child has the size of the start",
  ),
]
