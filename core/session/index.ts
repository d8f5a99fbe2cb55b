export * as SessionIds from "./SessionIds.ts"
export * as SessionRegistry from "./SessionRegistry.ts"
