import { fileURLToPath } from 'node:url'
import { findViolations } from '@latchkey/testkit/react/findViolations'
import { serveEntry } from '@latchkey/testkit/react/serveEntry'
import { setAuthModal } from '@latchkey/testkit/react/setAuthModal'
import type { Listening } from '@latchkey/testkit/signer/listen'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'

const stage = setAuthModal()

describe('its steps', () => {
  test('behavior: each is a region of the page by its heading, without Close, clean by axe-core, light and dark', async () => {
    const steps = [
      ['initial', 'Sign in'],
      ['failed', 'Sign in'],
      ['code_refused', "You're one click away"],
      ['email_completing', 'Completing authorization'],
      ['passkey_failed', 'Verify passkey'],
      ['passkey_create', 'Add a passkey?'],
      ['confirming', 'Confirm in the mail we sent you'],
      ['account_deleting', 'This account is being deleted'],
    ] as const
    await stage.atStep('initial&card', async (page) => {
      for (const [step, name] of steps) {
        await stage.show(step)
        const region = page.getByRole('region', { name })
        await region.waitFor()
        expect(await region.getByRole('button', { name: 'Close' }).count()).toBe(0)
        const light = await findViolations(page)
        await page.emulateMedia({ colorScheme: 'dark' })
        const dark = await findViolations(page, ['color-contrast'])
        await page.emulateMedia({ colorScheme: 'light' })
        expect({ step, light, dark }).toEqual({ step, light: [], dark: [] })
      }
      expect(await page.getByRole('dialog').count()).toBe(0)
    })
  })

  test('behavior: it takes the focus at a new step only from the step before it', async () => {
    await stage.atStep('initial&card', async (page) => {
      expect(await page.evaluate(() => document.activeElement?.tagName)).toBe('BODY')
      await page.getByRole('button', { name: 'Passkey' }).focus()
      await page.keyboard.press('Enter')
      const heading = page.getByRole('heading', { name: 'Verify passkey' })
      await expect.poll(() => heading.evaluate((element) => element === document.activeElement)).toBe(true)
    })
  })
})

describe('options of both', () => {
  const withOptions = (options: object, place = '') =>
    `initial${place}&options=${encodeURIComponent(JSON.stringify(options))}`

  test('param: theme decides over the page and the system, system over the page', async () => {
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

  test('param: tokens take the place of the design, by scheme too', async () => {
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

  test('param: illustrationStyle is another look of the same picture, and each can be told from its ground', async () => {
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

  test('param: className is on both, modalBaseClassName on the dialog alone', async () => {
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

  test('param: hideSignInText leaves the name, hideError no banner, poweredBy: false no mark of ours', async () => {
    const auth = { hideSignInText: true, hideError: true, brand: 'Acme' }
    await stage.atStep(withOptions({ auth, ui: { poweredBy: false } }).replace('initial', 'failed'), async (page) => {
      const title = page.getByRole('dialog', { name: 'Sign in' }).getByRole('heading')
      expect((await title.boundingBox())?.width).toBeLessThanOrEqual(1)
      expect(await page.getByRole('alert').count()).toBe(0)
      expect(await page.getByText('powered by').count()).toBe(0)
      await page.getByText('Acme').waitFor()
    })
  })

  test('param: sections keep their order; ways that we do not have are left out with their divider', async () => {
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
})

/** An app with the card; `?hosted` uses the hosted provider, `?embedded` has no card. */
const entry = `
import { createRoot } from 'react-dom/client'
import { createConfig } from '/src/wallet/createConfig.ts'
import { defineLatchkeyDevChain } from '/src/core/chains/latchkeyDev.ts'
import { alchemyEndpoints, latchkeyEndpoints } from '/src/signer/endpoints.ts'
import { LatchkeyProvider } from '/src/react/LatchkeyProvider.ts'
import { useAuthModal } from '/src/react/hooks/useAuthModal.ts'
import { AuthCard } from '/src/react/ui/AuthCard.ts'
import '/src/react/ui/styles.css'

const query = new URLSearchParams(location.search)
const endpoints = query.has('hosted') ? alchemyEndpoints : latchkeyEndpoints('http://127.0.0.1:9')
const config = createConfig({ chain: defineLatchkeyDevChain({}), apiKey: 'key', endpoints })
const ui = { locale: query.get('locale') ?? undefined, auth: { header: 'From the provider', className: 'app' } }
function Page() {
  const { openAuthModal } = useAuthModal()
  return <main><h1>Page</h1><button onClick={openAuthModal}>Open</button><AuthCard header={query.get('header') ?? undefined} /></main>
}
createRoot(document.getElementById('root')).render(<LatchkeyProvider config={config} uiConfig={ui}><Page /></LatchkeyProvider>)
`

describe('in an app', () => {
  let server: Listening
  beforeAll(async () => {
    server = await serveEntry(fileURLToPath(new URL('../../..', import.meta.url)), entry)
  })
  afterAll(() => server?.close())

  const open = async (path: string) => {
    await stage.page.goto(`${server.url}/${path}`)
    return stage.page
  }

  test('default: the options of the provider, and those of the element in their place', async () => {
    const page = await open('')
    await page.getByRole('region', { name: 'From the provider' }).waitFor()
    expect(await page.locator('section.app').count()).toBe(1)
    expect(await page.getByRole('dialog').count()).toBe(0)
    await open('?header=Welcome')
    await page.getByRole('region', { name: 'Welcome' }).waitFor()
    // A server of one's own has terms of its own.
    await page.getByText('End User Terms').waitFor()
    expect(await page.getByRole('link', { name: 'End User Terms' }).count()).toBe(0)
    await open('?hosted')
    const terms = page.getByRole('link', { name: 'End User Terms' })
    expect(await terms.getAttribute('href')).toBe('https://www.alchemy.com/terms-conditions/end-user-terms')
  })

  test('error: a sign-in that fails is reported in the card, and the address is kept', async () => {
    const page = await open('')
    await page.getByRole('textbox', { name: 'Email' }).fill('you@example.com')
    await page.keyboard.press('Enter')
    const region = page.getByRole('region')
    await region.getByRole('alert').waitFor()
    expect(await page.getByRole('textbox', { name: 'Email' }).inputValue()).toBe('you@example.com')
    expect(await page.getByRole('dialog').count()).toBe(0)
  })

  test('behavior: a link of a mail is completed in the card, and the dialog stays closed', async () => {
    const page = await open('?bundle=abc&orgId=7f0c8b1e-8f3c-4c55-8d0f-6d1f6a2b1c11')
    await page.getByRole('region', { name: /Completing authorization|From the provider|This link/ }).waitFor()
    const region = page.getByRole('region')
    await region.getByRole('alert').or(region.getByText('This link does not open here')).first().waitFor()
    expect(await page.getByRole('dialog').count()).toBe(0)
  })

  test('behavior: in another language its dictionary is loaded, and no other', async () => {
    const requests: string[] = []
    const note = (request: { url(): string }) => requests.push(request.url())
    stage.page.on('request', note)
    const page = await open('?locale=fr')
    await page.getByRole('button', { name: 'Continuer' }).waitFor()
    stage.page.off('request', note)
    const loaded = ['german', 'spanish', 'french', 'japanese'].filter((name) =>
      requests.some((url) => url.includes(`/${name}`)),
    )
    expect(loaded).toEqual(['french'])
    expect(await page.getByRole('region').getAttribute('lang')).toMatch(/^fr/)
  })

  test('error: a dictionary that cannot be loaded gives way to English', async () => {
    await stage.page.route('**/japanese*', (route) => route.abort())
    const page = await open('?locale=ja')
    await page.getByRole('button', { name: 'Continue' }).waitFor()
    expect(await page.getByRole('region').getAttribute('lang')).toBe('en')
    await page.unroute('**/japanese*')
  })
})
