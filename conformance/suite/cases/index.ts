/**
 * All cases of the wire suite, in the order in which they are listed and run.
 */
import type { Case } from "../Case.ts"
import { concurrencyHttp } from "./concurrency-http.ts"
import { concurrency } from "./concurrency.ts"
import { envelopeId } from "./envelope-id.ts"
import { envelope } from "./envelope.ts"
import { capabilityDiscovery, environmentConfig } from "./environment-config.ts"
import { environmentExact } from "./environment-exact.ts"
import { environment } from "./environment-policy.ts"
import { earlier } from "./earlier.ts"
import { info } from "./environment.ts"
import { fsCreateSymlink, fsRename, fsSetMode } from "./fs-change.ts"
import { fsCopy } from "./fs-copy.ts"
import { fsCanonicalize, fsCreateDirectory, fsReadDirectory } from "./fs-folders.ts"
import { fsMetadata } from "./fs-metadata.ts"
import { fsOpen } from "./fs-open.ts"
import { fsPathUrl } from "./fs-path-url.ts"
import { fsPath } from "./fs-path.ts"
import { fsReadBlock } from "./fs-read-block.ts"
import { fsReadFile } from "./fs-read-file.ts"
import { fsNoFollow, fsRemove } from "./fs-remove.ts"
import { fsSandbox } from "./fs-sandbox.ts"
import { fsWalkBounds } from "./fs-walk-bounds.ts"
import { fsWalk } from "./fs-walk.ts"
import { fsWatch } from "./fs-watch.ts"
import { fsWriteBlock } from "./fs-write-block.ts"
import { fsWriteFile } from "./fs-write-file.ts"
import { framing } from "./framing.ts"
import { handshakeFamilies } from "./handshake-families.ts"
import { gate } from "./handshake-gate.ts"
import { handshake } from "./handshake.ts"
import { httpHeaderEnv } from "./http-header-env.ts"
import { httpRedirect } from "./http-redirect.ts"
import { httpRequest } from "./http-request.ts"
import { httpStream } from "./http-stream.ts"
import { lifecycle } from "./lifecycle.ts"
import { limitFlags } from "./limit-flags.ts"
import { limits } from "./limits.ts"
import { networkProxy } from "./network-proxy.ts"
import { exitCode } from "./process-exit-code.ts"
import { anySignal, gracefulTerminate, processDeadlines } from "./process-deadlines.ts"
import { outputHistory, outputGrep } from "./process-history.ts"
import { processAttach, processRemove, processScopes } from "./process-attach.ts"
import { processAutoRemove } from "./process-auto-remove.ts"
import { processChanges } from "./process-changes.ts"
import { processList, sessionList } from "./process-list.ts"
import { processAnswers } from "./process-answers.ts"
import { processMarks } from "./process-marks.ts"
import { processPid } from "./process-pid.ts"
import { processReceipt } from "./process-receipt.ts"
import { processCredit } from "./process-credit.ts"
import { processCloseStdin, processResize, processSignals } from "./process-extensions.ts"
import { outputOrder } from "./process-output-order.ts"
import { outputTty } from "./process-output-tty.ts"
import { output } from "./process-output.ts"
import { readRetained } from "./process-read-retained.ts"
import { readWait } from "./process-read-wait.ts"
import { read } from "./process-read.ts"
import { processConfined } from "./process-confined.ts"
import { params } from "./params.ts"
import { processSandbox } from "./process-sandbox.ts"
import { signal } from "./process-signal.ts"
import { requestCancelFiles, requestCancelHttp } from "./request-cancel-beyond.ts"
import { requestCancel } from "./request-cancel.ts"
import { startCwd } from "./process-start-cwd.ts"
import { startProgram } from "./process-start-program.ts"
import { start } from "./process-start.ts"
import { terminate } from "./process-terminate.ts"
import { processRestart } from "./process-restart.ts"
import { processScreen } from "./process-screen.ts"
import { processWait } from "./process-wait.ts"
import { writeRefused } from "./process-write-refused.ts"
import { write } from "./process-write.ts"
import { sessionEnd } from "./session-end.ts"
import { sessionReplay } from "./session-replay.ts"
import { sessionTakeover } from "./session-takeover.ts"
import { sessionTime } from "./session-time.ts"
import { session } from "./session.ts"
import { violation } from "./violation.ts"
import { websocketAuthFlags } from "./websocket-auth-flags.ts"
import { websocketAuth } from "./websocket-auth.ts"
import { websocketHttp } from "./websocket-http.ts"
import { websocketJwt } from "./websocket-jwt.ts"
import { websocketStatus } from "./websocket-status.ts"
import { websocketListen } from "./websocket-listen.ts"
import { websocket } from "./websocket.ts"

/** Every case of the wire suite for the current wire. */
export const cases: ReadonlyArray<Case> = [
  ...handshake,
  ...gate,
  ...handshakeFamilies,
  ...violation,
  ...envelope,
  ...envelopeId,
  ...params,
  ...framing,
  ...limits,
  ...limitFlags,
  ...websocket,
  ...websocketHttp,
  ...websocketAuth,
  ...websocketJwt,
  ...websocketStatus,
  ...websocketAuthFlags,
  ...websocketListen,
  ...start,
  ...startProgram,
  ...startCwd,
  ...processSandbox,
  ...processConfined,
  ...output,
  ...outputTty,
  ...outputOrder,
  ...read,
  ...readWait,
  ...readRetained,
  ...write,
  ...writeRefused,
  ...processResize,
  ...processCloseStdin,
  ...signal,
  ...processSignals,
  ...terminate,
  ...processCredit,
  ...processReceipt,
  ...processWait,
  ...processScreen,
  ...processRestart,
  ...processDeadlines,
  ...outputHistory,
  ...outputGrep,
  ...processAttach,
  ...processAutoRemove,
  ...processChanges,
  ...processScopes,
  ...processRemove,
  ...processList,
  ...processMarks,
  ...processAnswers,
  ...processPid,
  ...sessionList,
  ...gracefulTerminate,
  ...anySignal,
  ...exitCode,
  ...info,
  ...environmentExact,
  ...environment,
  ...session,
  ...sessionReplay,
  ...sessionTakeover,
  ...sessionEnd,
  ...sessionTime,
  ...requestCancel,
  ...requestCancelHttp,
  ...requestCancelFiles,
  ...concurrency,
  ...concurrencyHttp,
  ...lifecycle,
  ...earlier,
  ...fsPath,
  ...fsPathUrl,
  ...fsReadFile,
  ...fsWriteFile,
  ...fsCreateDirectory,
  ...fsMetadata,
  ...fsCanonicalize,
  ...fsReadDirectory,
  ...fsRemove,
  ...fsNoFollow,
  ...fsCopy,
  ...fsRename,
  ...fsSetMode,
  ...fsCreateSymlink,
  ...fsSandbox,
  ...fsOpen,
  ...fsReadBlock,
  ...fsWriteBlock,
  ...fsWalk,
  ...fsWalkBounds,
  ...fsWatch,
  ...httpRequest,
  ...httpRedirect,
  ...httpHeaderEnv,
  ...httpStream,
  ...environmentConfig,
  ...capabilityDiscovery,
  ...networkProxy,
]
