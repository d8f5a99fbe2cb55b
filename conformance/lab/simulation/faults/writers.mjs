// @ts-check
// Faults of those who write in the place of others. The programs `writers` find them, beside the processes of
// `sessions`.
import { faultIn, writers as played } from "./fault.mjs"

/** @import { Fault } from "./fault.mjs" */

const role = faultIn("core/process/Writers.ts", played)
const attachments = faultIn("core/server/Attachments.ts", played)
const handler = faultIn("core/server/handlers/attach.ts", played)
const session = faultIn("core/server/handlers/session.ts", played)
const notices = faultIn("core/server/Notices.ts", played)
const attaching = faultIn("core/client/Attaching.ts", played)

/** @type {readonly Fault[]} */
export const writers = [
  role("    before.told()\n", "", "who has lost the role is not told"),
  role("    after.told()\n", "", "who gets the role back is not told"),
  role("    if (index >= 0) this.taken.splice(index, 1)\n", "", "who leaves keeps the role"),
  role(
    "if (writer === undefined) this.taken.length = 0",
    "if (writer === undefined) this.taken.length += 0",
    "an owner takes its role back in vain",
  ),
  attachments("    attachment.writers.leave(attachment)\n", "", "an attachment that ends keeps the role"),
  attachments(
    "  if (target.processes.writer(target.id) === attachment) return Effect.succeed(target)\n",
    "  return Effect.succeed(target)\n",
    "everybody writes",
  ),
  handler(
    '  if (role !== "writer" || take === true) return true\n',
    '  if (role !== "writer") return true\n',
    "nobody can take the role",
  ),
  session(
    "            if (process.sharing.writers?.moved === true) holder.wrote?.(process.id)\n",
    "",
    "an owner that comes back is not told its role",
  ),
  notices(
    "      sender.enqueue(next)\n",
    "      now(processId)\n",
    "roles are told to a client that does not keep up",
  ),
  attaching("        follower.role.told(writer)\n", "", "who attaches again believes to have its role"),
]
