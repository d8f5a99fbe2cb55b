/** `nice[:N]`: processes with a lower priority. */
import * as Result from "effect/Result"
import type { BuiltIn } from "./BuiltIn.ts"
import * as BuiltIns from "./BuiltIn.ts"
import { layerWrap } from "./Wrap.ts"

const usual = "10"

export const nice: BuiltIn = {
  name: "nice",
  options: "[:N]",
  says: `runs processes with a lower priority: N is added to their niceness, ${usual} by default`,
  example: "nice:15",
  missing: () => BuiltIns.lacks("nice", "coreutils"),
  read: (text = usual) =>
    Result.map(BuiltIns.whole("the niceness", text, -20, 19), (niceness) => {
      const program = BuiltIns.find("nice") ?? "nice"
      return layerWrap((spec) => ({ ...spec, argv: [program, "-n", String(niceness), ...spec.argv] }))
    }),
}
