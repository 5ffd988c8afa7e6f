import { fileURLToPath } from 'node:url'
import { serveEntry } from '@latchkey/testkit/react/serveEntry'
import { setAuthModal } from '@latchkey/testkit/react/setAuthModal'
import type { Listening } from '@latchkey/testkit/signer/listen'
import { test } from '@latchkey/testkit/worker'
import { afterAll, describe, expect } from 'vitest'

const stage = setAuthModal()

test('moves the focus to a new step only from the step before it', async () => {
  await stage.atStep('initial&card', async (page) => {
    expect(await page.evaluate(() => document.activeElement?.tagName)).toBe('BODY')
    await page.getByRole('button', { name: 'Passkey' }).focus()
    await page.keyboard.press('Enter')
    const heading = page.getByRole('heading', { name: 'Verify passkey' })
    await expect.poll(() => heading.evaluate((element) => element === document.activeElement)).toBe(true)
  })
})

/** App with the card. `hosted` selects the hosted provider. */
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

describe('AuthCard in an app', () => {
  let server: Listening
  test.beforeAll(async () => {
    server = await serveEntry(fileURLToPath(new URL('../../..', import.meta.url)), entry)
  })
  afterAll(() => server?.close())

  const open = async (path: string) => {
    await stage.page.goto(`${server.url}/${path}`)
    return stage.page
  }

  test('uses the options of the provider, overridden by those of the element', async () => {
    const page = await open('')
    await page.getByRole('region', { name: 'From the provider' }).waitFor()
    expect(await page.locator('section.app').count()).toBe(1)
    expect(await page.getByRole('dialog').count()).toBe(0)
    await open('?header=Welcome')
    await page.getByRole('region', { name: 'Welcome' }).waitFor()
    // A self-hosted server has no terms of the provider.
    expect(await page.getByText('By signing in').count()).toBe(0)
    await open('?hosted')
    const terms = page.getByRole('link', { name: 'End User Terms' })
    expect(await terms.getAttribute('href')).toBe('https://www.alchemy.com/terms-conditions/end-user-terms')
  })

  test('completes a mail link in the card and keeps the dialog closed', async () => {
    const page = await open('?bundle=abc&orgId=7f0c8b1e-8f3c-4c55-8d0f-6d1f6a2b1c11')
    await page.getByRole('region', { name: /Completing authorization|From the provider|This link/ }).waitFor()
    const region = page.getByRole('region')
    await region.getByRole('alert').or(region.getByText("This link doesn't work in this browser")).first().waitFor()
    expect(await page.getByRole('dialog').count()).toBe(0)
  })

  test('loads only the dictionary of the selected language', async () => {
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

  test('falls back to English when a dictionary fails to load', async () => {
    await stage.page.route('**/japanese*', (route) => route.abort())
    const page = await open('?locale=ja')
    await page.getByRole('button', { name: 'Continue' }).waitFor()
    expect(await page.getByRole('region').getAttribute('lang')).toBe('en')
    await page.unroute('**/japanese*')
  })
})
