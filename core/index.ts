export * from "./spawn/index.ts"
export * from "./transport/index.ts"
