export * as EnvironmentInfo from "./EnvironmentInfo.ts"
export * as ExecServer from "./ExecServer.ts"
export * as Notifier from "./Notifier.ts"
export * as WireError from "./WireError.ts"
