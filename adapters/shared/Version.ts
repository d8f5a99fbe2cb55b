/** The version of this package, as `package.json` has it (a test holds them equal). */
export const version = "0.1.0"
