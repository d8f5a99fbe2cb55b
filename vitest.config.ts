import { defineConfig } from "vitest/config"

export default defineConfig({
  test: {
    include: ["core/**/*.test.ts", "adapters/**/*.test.ts", "conformance/**/*.test.ts"],
    testTimeout: 30_000,
    hookTimeout: 120_000,
  },
})
