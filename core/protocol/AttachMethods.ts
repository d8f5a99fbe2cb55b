/** The rows of the method table for several clients at one process. */
import * as Attach from "./Attach.ts"
import { request } from "./Method.ts"

/** Client to server, answered. */
export const requests = {
  "process/attach": request({
    params: Attach.AttachParams,
    result: Attach.AttachResult,
    family: "exec",
    slotted: false,
    says: "joins a process, of another session too, as a viewer or its writer (beyond the peer; capability processAttach)",
  }),
  "process/detach": request({
    params: Attach.DetachParams,
    result: Attach.DetachResult,
    family: "exec",
    slotted: false,
    says: "leaves a process, which goes on (beyond the peer; capability processAttach)",
  }),
}

/** Server to client, not answered. */
export const serverNotifications = {
  "process/gap": {
    params: Attach.GapParams,
    says: "output that an attachment misses (capability processAttach)",
  },
  "process/writer": {
    params: Attach.WriterParams,
    says: "the client has become the writer of a process, or is it no longer (capability processAttach)",
  },
  "process/detached": {
    params: Attach.DetachedParams,
    says: "an attachment has ended before its process was closed (capability processAttach)",
  },
}
