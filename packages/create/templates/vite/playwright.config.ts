import { defineConfig } from '@playwright/test'

const url = `http://localhost:${process.env.PORT ?? 5174}`

// Each worker starts its own Latchkey devnet; the app is served once.
export default defineConfig({
  testDir: 'tests',
  // Sign-ups wait for an email and sends for a block, so leave time for slow machines.
  timeout: 120_000,
  expect: { timeout: 30_000 },
  use: { baseURL: url },
  webServer: {
    command: `vite --port ${new URL(url).port}`,
    url,
    reuseExistingServer: !process.env.CI,
    timeout: 180_000,
  },
})
