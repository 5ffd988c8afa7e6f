import { defineConfig } from '@playwright/test'

const url = `http://localhost:${process.env.PORT ?? 3001}`

// Each worker starts its own Latchkey devnet. The app is served once.
export default defineConfig({
  testDir: 'tests',
  // Allows for slow machines: sign-ups wait for an e-mail, and sending waits for a block.
  timeout: 120_000,
  expect: { timeout: 30_000 },
  use: { baseURL: url },
  webServer: {
    command: `next dev --port ${new URL(url).port}`,
    url,
    reuseExistingServer: !process.env.CI,
    // Next.js compiles the page at the first request.
    timeout: 180_000,
  },
})
