import { test } from 'latchkey-dev/playwright'

/* Benchmark steps. `npm run bench -- kit` runs them in one worker, in this order, and reads their annotations. */

for (const by of ['passkey', 'mail'] as const)
  for (const time of ['first', 'again', 'third'] as const)
    test(`as-${by}-${time}`, async ({ page, wallet }, { annotations }) => {
      await page.goto('/')
      const began = performance.now()
      await wallet.as('ada', by)
      annotations.push({ type: 'ms', description: String(Math.round(performance.now() - began)) })
    })
