/** Answers to questions that programs ask their terminal, on the wire: `answers` of a start. */
import * as Shape from "../../protocol/shape/index.ts"
import * as Wire from "../Wire.ts"

/** The wire of the feature. */
export const answers = Wire.make({
  capabilities: {
    /** Beyond the peer implementation: `answers` of `process/start`. */
    processAnswers: Shape.boolean,
  },
  startFields: {
    /**
     * With the capability `processAnswers`, and of a PTY alone: the server answers what the process asks its terminal
     * (DA1, DSR 5, CPR), while its owner alone is its writer. The default is false.
     */
    answers: Shape.beyond(Shape.boolean),
  },
})
