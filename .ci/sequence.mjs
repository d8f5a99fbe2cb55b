// @ts-check
// The order of test files. Files that share workers follow each other, because a worker goes on only with the next file
// in line. Within a project those that took longest the last time begin first, as vitest's cache has it; on a new
// checkout the largest.
import { BaseSequencer } from "vitest/node"

/** @import { TestSpecification } from "vitest/node" */

/** The projects whose files share workers; those with workers of their own, among them the longest, come first. */
const shared = ["core", "together"]

/** Sorts by project, and within one as vitest does. */
export class Sequencer extends BaseSequencer {
  /** @override @param {TestSpecification[]} files */
  async sort(files) {
    const usual = await super.sort(files)
    return usual.sort((a, b) => shared.indexOf(a.project.name) - shared.indexOf(b.project.name))
  }
}
