import { findViolations } from '@latchkey/testkit/react/findViolations'
import type { Page } from 'playwright-core'

/** Violations of axe on the page as it is: light, dark (only colours differ) and in forced colours. */
export async function findFaults(page: Page): Promise<string[]> {
  const light = await findViolations(page)
  await page.emulateMedia({ colorScheme: 'dark' })
  const dark = await findViolations(page, ['color-contrast'])
  await page.emulateMedia({ colorScheme: 'light', forcedColors: 'active' })
  const forced = await findViolations(page)
  await page.emulateMedia({ colorScheme: 'light', forcedColors: 'none' })
  const width = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth)
  return [...light, ...dark, ...forced, ...(width > 0 ? [`${width} px too wide`] : [])]
}
