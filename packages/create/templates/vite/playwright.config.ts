import { defineConfig } from '@playwright/test'

const url = `http://localhost:${process.env.PORT ?? 5174}`

// Each worker has a Latchkey devnet of its own; the app is served once.
export default defineConfig({
  testDir: 'tests',
  // A sign-up takes a mail, a send a block: no time says how fast this machine is.
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
