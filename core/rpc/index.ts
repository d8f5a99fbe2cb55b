export * as Connection from "./Connection.ts"
export * as Router from "./Router.ts"
