/** Answers to questions that programs ask their terminal, on the wire: `answers` of a start. */
import * as Schema from "effect/Schema"
import { beyond } from "../../protocol/Fields.ts"
import { lazy } from "../../protocol/Lazy.ts"
import * as Wire from "../Wire.ts"

/** The wire of the feature. */
export const answers = Wire.make({
  capabilities: {
    /** Beyond the peer implementation: `answers` of `process/start`. */
    processAnswers: Schema.Boolean,
  },
  startFields: lazy(() => ({
    /**
     * With the capability `processAnswers`, and of a PTY alone: the server answers what the process asks its terminal
     * (DA1, DSR 5, CPR), while nobody but the owner is its writer. The default is false.
     */
    answers: beyond(Schema.Boolean),
  })),
})

Wire.document(answers, { since: "1.1", examples: () => ({ startFields: { answers: false } }) })
