import { findViolations } from '@latchkey/testkit/react/findViolations'
import type { Page } from 'playwright-core'

/**
 * Returns axe violations and overflow of the page. By default also checks dark mode (contrast only) and forced colors.
 */
export async function findFaults(page: Page, { isLightOnly = false } = {}): Promise<string[]> {
  const found = await findViolations(page)
  if (!isLightOnly) {
    await page.emulateMedia({ colorScheme: 'dark' })
    found.push(...(await findViolations(page, ['color-contrast'])))
    await page.emulateMedia({ colorScheme: 'light', forcedColors: 'active' })
    found.push(...(await findViolations(page)))
    await page.emulateMedia({ colorScheme: 'light', forcedColors: 'none' })
  }
  const width = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth)
  return [...found, ...(width > 0 ? [`${width} px too wide`] : [])]
}
