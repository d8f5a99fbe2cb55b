/**
 * All cases of the wire suite, in the order in which they are listed and run.
 */
import type { Case } from "../Case.ts"
import { concurrency, concurrencyHttp } from "./concurrency.ts"
import { envelope, envelopeId } from "./envelope.ts"
import { capabilityDiscovery, environmentConfig, info } from "./environment.ts"
import { environment, environmentExact } from "./environment-policy.ts"
import { earlier } from "./earlier.ts"
import { fsCreateSymlink, fsRename, fsSetMode } from "./fs-change.ts"
import { fsCopy } from "./fs-copy.ts"
import { fsCanonicalize, fsCreateDirectory, fsMetadata, fsReadDirectory } from "./fs-folders.ts"
import { fsOpen, fsReadBlock, fsWriteBlock } from "./fs-read-block.ts"
import { fsPath, fsPathUrl } from "./fs-path.ts"
import { fsReadFile, fsWriteFile } from "./fs-read-file.ts"
import { fsNoFollow, fsRemove } from "./fs-remove.ts"
import { fsSandbox } from "./fs-sandbox.ts"
import { fsWalk, fsWalkBounds } from "./fs-walk.ts"
import { fsWatch } from "./fs-watch.ts"
import { framing } from "./framing.ts"
import { gate, handshake, handshakeFamilies, violation } from "./handshake.ts"
import { httpHeaderEnv, httpRedirect } from "./http-redirect.ts"
import { httpRequest } from "./http-request.ts"
import { httpStream } from "./http-stream.ts"
import { lifecycle } from "./lifecycle.ts"
import { limitFlags, limits } from "./limits.ts"
import { networkProxy } from "./network-proxy.ts"
import { exitCode, signal, terminate } from "./process-terminate.ts"
import { anySignal, gracefulTerminate, processDeadlines } from "../features/deadline/cases.ts"
import { outputGrep, outputHistory } from "../features/history/cases.ts"
import { processAttach, processRemove, processScopes } from "../features/attach/cases.ts"
import {
  processAutoRemove,
  processChanges,
  processList,
  processPid,
  sessionList,
} from "../features/list/cases.ts"
import { processAnswers } from "../features/answers/cases.ts"
import { processMarks } from "../features/marks/cases.ts"
import { processEgressAsk } from "../features/egress/asks.ts"
import { processEgress } from "../features/egress/cases.ts"
import { processSecrets } from "../features/secrets/cases.ts"
import { processReceipt } from "../features/receipt/cases.ts"
import { processCredit } from "../features/credit/cases.ts"
import { processCloseStdin, processResize, processSignals } from "./process-extensions.ts"
import { output, outputOrder, outputTty } from "./process-output.ts"
import { read, readRetained, readWait } from "./process-read.ts"
import { processConfined } from "./process-confined.ts"
import { params } from "./params.ts"
import { processSandbox } from "./process-sandbox.ts"
import { requestCancel, requestCancelFiles, requestCancelHttp } from "./request-cancel.ts"
import { start, startCwd } from "./process-start.ts"
import { startProgram } from "./process-start-program.ts"
import { processPort } from "../features/port/cases.ts"
import { processRestart } from "../features/restart/cases.ts"
import { processScreen } from "../features/screen/cases.ts"
import { processWait } from "../features/wait/cases.ts"
import { write, writeRefused } from "./process-write.ts"
import { session, sessionEnd, sessionTime } from "./session.ts"
import { sessionReplay } from "../features/replay/cases.ts"
import { sessionTakeover } from "../features/takeover/cases.ts"
import { websocketAuthFlags, websocketListen, websocketStatus } from "./websocket-listen.ts"
import { websocketAuth, websocketJwt } from "./websocket-auth.ts"
import { websocket, websocketHttp } from "./websocket.ts"

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
  ...processEgress,
  ...processEgressAsk,
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
  ...processSecrets,
  ...processWait,
  ...processScreen,
  ...processPort,
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
