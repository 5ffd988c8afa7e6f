import { defineConfig } from '@playwright/test'

const url = `http://localhost:${process.env.PORT ?? 3001}`

// Each worker starts its own Latchkey devnet; the app is served once.
export default defineConfig({
  testDir: 'tests',
  // Sign-ups wait for an email and sends for a block, so leave time for slow machines.
  timeout: 120_000,
  expect: { timeout: 30_000 },
  use: { baseURL: url },
  webServer: {
    command: `next dev --port ${new URL(url).port}`,
    url,
    reuseExistingServer: !process.env.CI,
    // Next compiles the page at its first request.
    timeout: 180_000,
  },
})
