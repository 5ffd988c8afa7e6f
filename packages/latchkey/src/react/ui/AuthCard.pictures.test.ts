import { setAuthModal } from '@latchkey/testkit/react/setAuthModal'
import { expect, test } from 'vitest'

const stage = setAuthModal()

const withOptions = (options: object, place = '') =>
  `initial${place}&options=${encodeURIComponent(JSON.stringify(options))}`

test('prefers the theme option to the page and the system', async () => {
  for (const place of ['', '&card'])
    for (const [theme, colour] of [
      ['light', 'rgb(255, 255, 255)'],
      ['dark', 'rgb(23, 25, 30)'],
      ['system', 'rgb(23, 25, 30)'],
      [undefined, 'rgb(255, 255, 255)'],
    ])
      await stage.atStep(withOptions({ ui: { theme } }, place), async (page) => {
        await page.emulateMedia({ colorScheme: 'dark' })
        await page.evaluate(() => document.documentElement.setAttribute('data-theme', 'light'))
        const root = page.locator('.lk-dialog')
        const background = await root.evaluate((element) => getComputedStyle(element).backgroundColor)
        await page.emulateMedia({ colorScheme: 'light' })
        expect({ theme, background }).toEqual({ theme, background: colour })
      })
})

test('replaces design values by tokens, also per color scheme', async () => {
  const tokens = { primary: 'light-dark(rgb(1, 2, 3), rgb(4, 5, 6))', 'radius-m': '3px' }
  for (const [theme, colour] of [
    ['light', 'rgb(1, 2, 3)'],
    ['dark', 'rgb(4, 5, 6)'],
  ])
    await stage.atStep(withOptions({ ui: { tokens, theme } }), async (page) => {
      const button = page.getByRole('button', { name: 'Continue' })
      const style = await button.evaluate((element) => {
        const { backgroundColor, borderTopLeftRadius } = getComputedStyle(element)
        return { backgroundColor, borderTopLeftRadius }
      })
      expect(style).toEqual({ backgroundColor: colour, borderTopLeftRadius: '3px' })
    })
})

test('draws every illustration style differently, and visible on its background', async () => {
  const looks = new Set<string>()
  for (const illustrationStyle of ['outline', 'linear', 'filled', 'flat'])
    for (const step of ['passkey_verify', 'passkey_failed'])
      await stage.atStep(withOptions({ ui: { illustrationStyle } }).replace('initial', step), async (page) => {
        const look = await page.locator('.lk-glyph').evaluate((element) => {
          const { color, backgroundColor, borderTopWidth } = getComputedStyle(element)
          return { color, backgroundColor, borderTopWidth }
        })
        expect(look.color).not.toBe(look.backgroundColor)
        looks.add(JSON.stringify(look))
      })
  expect(looks.size).toBe(8)
})

test('sets className on card and dialog, modalBaseClassName on the dialog alone', async () => {
  const options = { auth: { className: 'mine' }, ui: { modalBaseClassName: 'base' } }
  for (const [place, count] of [
    ['', 1],
    ['&card', 0],
  ] as const)
    await stage.atStep(withOptions(options, place), async (page) => {
      expect(await page.locator('.lk-dialog.mine').count()).toBe(1)
      expect(await page.locator('.base').count()).toBe(count)
    })
})

test('applies hideSignInText, hideError and poweredBy: false', async () => {
  const auth = { hideSignInText: true, hideError: true, brand: 'Acme' }
  await stage.atStep(withOptions({ auth, ui: { poweredBy: false } }).replace('initial', 'failed'), async (page) => {
    const title = page.getByRole('dialog', { name: 'Sign in' }).getByRole('heading')
    expect((await title.boundingBox())?.width).toBeLessThanOrEqual(1)
    expect(await page.getByRole('alert').count()).toBe(0)
    expect(await page.getByText('powered by').count()).toBe(0)
    await page.getByText('Acme').waitFor()
  })
})

test('keeps the order of sections and drops unsupported ones with their divider', async () => {
  const sections = [
    [{ type: 'social', authProviderId: 'google' }],
    [{ type: 'passkey' }],
    [{ type: 'email', emailMode: 'otp' }],
  ]
  await stage.atStep(withOptions({ auth: { sections } }, '&card'), async (page) => {
    expect(await page.getByRole('button').allTextContents()).toEqual(['Passkey', 'Continue'])
    expect(await page.locator('.lk-divider').count()).toBe(1)
  })
})
