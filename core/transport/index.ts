export * as Listener from "./Listener.ts"
export * as Transport from "./Transport.ts"
