/** Attaching to a process that a list has shown. */
import * as Effect from "effect/Effect"
import type * as ExecClient from "../../../../core/client/ExecClient.ts"
import type { ListedProcess } from "../../../../core/client/Lists.ts"
import type { Policy } from "../../../../core/protocol/Attach.ts"
import * as Access from "../server/Access.ts"

const remedy = (scope: string) => `use its unix socket, or have it started with --scope ${scope}`
const looking = `this server shows its clients nothing of each other: ${remedy("observe")}`
const writing = `this server lets its clients control nothing of each other: ${remedy("control")}`

/** Looks on, from behind the event `after`. */
export const look = (
  client: ExecClient.ExecClient,
  { processId, session, nextSeq }: ListedProcess,
  after = nextSeq - 1,
  policy: Policy = "skip",
) =>
  Effect.zipRight(
    Access.need(client, "processAttachAll", looking),
    client.attach({ processId, session }, after, { role: "viewer", policy }),
  )

/** May write, signal and end, from behind the event `after`; `take` takes that from whoever has it. */
export const write = (
  client: ExecClient.ExecClient,
  { processId, session }: ListedProcess,
  after: number,
  take: boolean,
  policy: Policy = "skip",
) =>
  Effect.zipRight(
    Access.need(client, "processControlAll", writing),
    client.attach({ processId, session }, after, { role: "writer", take, policy }),
  )

/** The same for a moment: who has it loses it, and has it again when this client leaves. */
export const act = (client: ExecClient.ExecClient, row: ListedProcess) =>
  write(client, row, row.nextSeq - 1, true)
