import { findChangedPictures, loadFonts, type Picture, takePicture } from '@latchkey/testkit/pictures'
import { findViolations } from '@latchkey/testkit/react/findViolations'
import { test } from '@latchkey/testkit/worker'
import type { Browser } from 'playwright-core'
import { expect } from 'vitest'
import type { MailPayload, NoticeKind } from '../keys/mailSeal.ts'
import { renderMail } from './renderMail.ts'

let browser: Browser
test.beforeAll(async ({ browser: shared }) => {
  browser = shared
})

const now = Date.UTC(2026, 10, 21, 12, 40)
const link = `https://wallet.example/confirm/#${'A'.repeat(43)}`
const asked = {
  app: 'Shop',
  email: 'me@home.example',
  requestedAtMs: now,
  expiresAtMs: now + 900_000,
  address: '0x228c59744a35A9e7C42c61AF7ecCfb318853Bd48',
  requestedFrom: 'Firefox on Linux',
  link,
}
const notices: NoticeKind[] = [
  'passkey-added',
  'key-added',
  'provider-added',
  'provider-removed',
  'factor-added',
  'factor-removed',
  'recovery-code-used',
  'credential-removed',
  'wallet-exported',
  'wallet-moved',
  'email-changed',
  'deletion-planned',
  'keys-destroyed',
  'account-frozen',
  'account-unfrozen',
]
const mails: MailPayload['content'][] = [
  { kind: 'sign-in', link, code: '012345678', expiresAtMs: now + 900_000, requestedFrom: 'Firefox on Linux' },
  { kind: 'address-code', code: '012345678', expiresAtMs: now + 600_000 },
  { kind: 'confirm', action: 'export-wallet', keyFingerprint: '0123 4567 89ab cdef', ...asked },
  { kind: 'confirm', action: 'change-email', detail: `${'w'.repeat(120)}@example.com`, ...asked },
  { kind: 'prove', action: 'change-email', openedBy: 'a passkey added on 21 November 2026 (“Phone of Ann”)', ...asked },
  ...notices.map((kind) => ({ kind, happenedAtMs: now, link, dueAtMs: now + 900_000 })),
]

test('passes axe-core and fits 360 px in light, dark and forced colors', async () => {
  const page = await browser.newPage({ viewport: { width: 360, height: 740 } })
  for (const content of mails) {
    const { html } = renderMail({ payload: { to: 'me@home.example', appName: 'Shop', content }, now })
    await page.setContent(html)
    const light = await findViolations(page)
    await page.emulateMedia({ colorScheme: 'dark' })
    const dark = await findViolations(page, ['color-contrast'])
    await page.emulateMedia({ colorScheme: 'light', forcedColors: 'active' })
    const forced = await findViolations(page)
    await page.emulateMedia({ colorScheme: 'light', forcedColors: 'none' })
    const overflow = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth)
    const { kind } = content
    expect({ kind, light, dark, forced, overflow }).toEqual({ kind, light: [], dark: [], forced: [], overflow: 0 })
  }
})

test('matches the reviewed pictures at 360 and 1280 px, light and dark', async () => {
  const page = await browser.newPage()
  const pictures: Picture[] = []
  for (const kind of ['sign-in', 'confirm', 'prove', 'passkey-added']) {
    const content = mails.find((mail) => mail.kind === kind)
    if (!content) throw new TypeError(`no mail ${kind}`)
    const { html } = renderMail({ payload: { to: 'me@home.example', appName: 'Shop', content }, now })
    await page.setContent(html)
    await loadFonts(page)
    for (const width of [360, 1280])
      for (const colorScheme of ['light', 'dark'] as const) {
        await page.setViewportSize({ width, height: 740 })
        await page.emulateMedia({ colorScheme })
        pictures.push(await takePicture(`${content.kind} ${width} ${colorScheme}`, page, { isWhole: true }))
      }
  }
  const path = 'packages/server/src/mail/pictures/mails.png'
  expect(await findChangedPictures(browser, path, pictures, 4)).toEqual([])
  await page.close()
})
