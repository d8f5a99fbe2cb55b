/** Plays the whole system in virtual time from one number. Not part of the package. */
export * as Mix from "./Mix.ts"
export * as PlanMaker from "./PlanMaker.ts"
export * as Simulation from "./Simulation.ts"
export * as Report from "./Report.ts"
