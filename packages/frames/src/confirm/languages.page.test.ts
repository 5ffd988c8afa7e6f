import { reviewTexts, startReview } from '@latchkey/testkit/frames/startReview'
import { findViolations } from '@latchkey/testkit/react/findViolations'
import { test } from '@latchkey/testkit/worker'
import type { Browser } from 'playwright-core'
import { afterAll, expect } from 'vitest'

let browser: Browser
let review: Awaited<ReturnType<typeof startReview>>
test.beforeAll(async ({ browser: launched }) => {
  browser = launched
  review = await startReview()
})
afterAll(() => review?.close())

test.each(Object.entries(reviewTexts))('shows a review in %s', async (language, texts) => {
  const [title, label, act, refuse, accept, done] = texts
  // Firefox and WebKit: e2e/engines/confirmation.test.ts.
  const context = await browser.newContext({ viewport: { width: 360, height: 740 }, locale: language })
  try {
    const page = await context.newPage()
    const link = new URL(await review.openReview(language))
    // The browser's language counts where the link names none.
    if (language === 'fr') link.searchParams.delete('lang')
    await page.goto(link.href)
    await page.getByRole('heading', { name: title, exact: true }).waitFor()
    expect(await page.locator('html').getAttribute('lang')).toBe(language)
    expect(await page.locator('#facts > div').allTextContents()).toContain(`${label}${act}`)
    expect(await page.getByRole('button', { name: refuse, exact: true }).isVisible()).toBe(true)
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme })
      expect(await findViolations(page)).toEqual([])
    }
    expect(await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth)).toBe(0)
    await page.getByRole('button', { name: accept, exact: true }).click()
    await page.getByRole('heading', { name: done, exact: true }).waitFor()
    expect(await findViolations(page)).toEqual([])
  } finally {
    await context.close()
  }
})
