/** The types that the parts of features in clients bring to the doors. */
export type { Delivery, Missing } from "./receipt/client.ts"
export type { RestartOptions } from "./restart/client.ts"
