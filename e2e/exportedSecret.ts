import { pressSeen } from 'latchkey-dev/testing'
import type { Page } from 'playwright-core'
import { demand } from './demand.ts'

/** Reveals the secret in the export frame and returns it; the page around the frame never holds it. */
export async function exportedSecret(page: Page): Promise<string> {
  const frame = page.frameLocator('#turnkey-export-iframe')
  const reveal = frame.getByRole('button', { name: 'Reveal' })
  // After a sign-in by mail the frame first asks for consent.
  const goOn = frame.getByRole('button', { name: 'I asked for this' })
  await goOn.or(reveal).waitFor()
  if (await goOn.isVisible()) await pressSeen(goOn)
  await reveal.waitFor()
  const secret = frame.locator('#secret')
  const covered = (await secret.textContent()) ?? ''
  demand(/^[•\s]+$/.test(covered), 'the secret is hidden until the person uncovers it')
  await pressSeen(reveal)
  await frame.locator('#secret:not(.masked)').waitFor()
  const text = ((await secret.textContent()) ?? '').trim()
  demand(!text.includes('•'), 'the secret shows after Reveal')
  const outside = await page.evaluate(() => document.documentElement.outerHTML + JSON.stringify({ ...localStorage }))
  demand(!outside.includes(text), 'the page around the frame does not hold the secret')
  return text
}
