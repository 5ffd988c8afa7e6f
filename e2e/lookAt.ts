import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { expect } from 'vitest'
import { findFaults } from './findFaults.ts'

/**
 * Checks a console page with axe at both widths, and at the narrow width in all color schemes. LATCHKEY_SCREENSHOTS
 * sets a folder for screenshots.
 */
export async function lookAt(page: Page, name: string): Promise<void> {
  for (const width of [360, 1280]) {
    await page.setViewportSize({ width, height: 900 })
    expect([name, width, await findFaults(page, { isLightOnly: width > 360 })]).toEqual([name, width, []])
    const folder = process.env.LATCHKEY_SCREENSHOTS
    if (!folder) continue
    mkdirSync(folder, { recursive: true })
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme })
      await page.screenshot({ path: join(folder, `${name}-${width}-${colorScheme}.png`), fullPage: true })
    }
    await page.emulateMedia({ colorScheme: 'light' })
  }
}
