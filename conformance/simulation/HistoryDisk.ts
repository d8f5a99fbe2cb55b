/** The disk that histories of a run are kept on: slow, full for a while, and the same for every server of the run. */
import * as Effect from "effect/Effect"
import * as MemoryFiles from "../../core/process/history/MemoryFiles.ts"
import type { HistoryDiskPlan } from "./Plan.ts"
import type { World } from "./World.ts"

/** Makes the disk. */
export const historyDisk = (
  world: World,
  { writeMillis, full }: HistoryDiskPlan,
): MemoryFiles.MemoryFiles => {
  const isFull = () => full !== undefined && world.now >= full.from && world.now < full.to
  return MemoryFiles.make({
    capacity: () => (isFull() ? 0 : Infinity),
    beforeWrite: writeMillis === 0 ? Effect.yieldNow() : Effect.sleep(writeMillis),
  })
}
