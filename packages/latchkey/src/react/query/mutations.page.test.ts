import { fileURLToPath } from 'node:url'
import { serveEntry } from '@latchkey/testkit/react/serveEntry'
import { launchChromium } from '@latchkey/testkit/signer/launchChromium'
import type { Listening } from '@latchkey/testkit/signer/listen'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'

const root = fileURLToPath(new URL('../../..', import.meta.url))

/** A page that sends and signs with a client whose requests are counted: it gets no further than the first. */
const entry = `
import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { useState } from 'react'
import { createRoot } from 'react-dom/client'
import { createClient, custom } from 'viem'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { toLightAccount } from '/src/accounts/lightAccount/toLightAccount.ts'
import { latchkeyDev } from '/src/core/chains/latchkeyDev.ts'
import { latchkeyEndpoints } from '/src/signer/endpoints.ts'
import { createSmartAccountClient } from '/src/wallet/client/createSmartAccountClient.ts'
import { createConfig } from '/src/wallet/createConfig.ts'
import { LatchkeyProvider } from '/src/react/LatchkeyProvider.ts'
import { useExportAccount } from '/src/react/hooks/useExportAccount.ts'
import { useSendUserOperation } from '/src/react/hooks/useSendUserOperation.ts'
import { useSignMessage } from '/src/react/hooks/useSignMessage.ts'

const config = createConfig({ chain: latchkeyDev, apiKey: 'key', endpoints: latchkeyEndpoints('http://127.0.0.1:9') })
let requests = 0
const request = async () => {
  document.getElementById('requests').textContent = String(++requests)
  throw new TypeError('no node')
}
const transport = custom({ request }, { retryCount: 0 })
const owner = privateKeyToAccount(generatePrivateKey())
const account = await toLightAccount({ client: createClient({ chain: latchkeyDev, transport }), owner })
const client = createSmartAccountClient({ account, chain: latchkeyDev, transport })
const target = '0x000000000000000000000000000000000000dEaD'

function Page() {
  const { sendUserOperation, error, isSendingUserOperation } = useSendUserOperation({ client })
  const signing = useSignMessage({ client })
  const exporting = useExportAccount({ params: { iframeContainerId: 'export' } })
  const [ofClient, setOfClient] = useState('')
  const sendByClient = () =>
    client.sendUserOperation({ uo: { target, data: '0x' } }).catch((error) => setOfClient(error.shortMessage))
  return (
    <>
      <button type="button" onClick={() => sendUserOperation({ uo: { target, data: '0x' } })}>Send</button>
      <button type="button" onClick={() => signing.signMessage({ message: 'tea' })}>Sign</button>
      <button type="button" onClick={() => exporting.exportAccount()}>Export</button>
      <button type="button" onClick={sendByClient}>Client</button>
      <output aria-label="send">{isSendingUserOperation ? 'waits' : (error?.shortMessage ?? '')}</output>
      <output aria-label="sign">{signing.error?.shortMessage ?? ''}</output>
      <output aria-label="export">{exporting.error?.shortMessage ?? ''}</output>
      <output aria-label="client">{ofClient}</output>
    </>
  )
}

document.body.append(Object.assign(document.createElement('p'), { id: 'requests', textContent: '0' }))
const page = (queryClient) => <LatchkeyProvider config={config} queryClient={queryClient}><Page /></LatchkeyProvider>
// Only a mounted query client hears that the network is cut, and pauses mutations then.
const queryClient = new QueryClient({ defaultOptions: { mutations: { networkMode: 'online' } } })
const mounted = <QueryClientProvider client={queryClient}>{page(queryClient)}</QueryClientProvider>
createRoot(document.getElementById('root')).render(location.search === '?mounted' ? mounted : page())
`

let browser: Browser
let server: Listening
beforeAll(async () => {
  const started = await Promise.all([launchChromium(), serveEntry(root, entry)])
  browser = started[0]
  server = started[1]
})
afterAll(async () => {
  await browser?.close()
  await server?.close()
})

test.each([
  ['the app’s query client, which pauses mutations', '?mounted'],
  ['a query client of its own', ''],
])('behavior: what is pressed offline fails at once, and runs only when it is pressed again: %s', async (_, search) => {
  const context = await browser.newContext()
  const page = await context.newPage()
  await page.goto(`${server.url}${search}`)
  await page.getByRole('button', { name: 'Send' }).waitFor()
  await page.evaluate(() => addEventListener('offline', () => Object.assign(window, { isCut: true })))
  await context.setOffline(true)
  // The page hears of it a moment after the browser did.
  await page.waitForFunction('window.isCut')
  for (const name of ['Send', 'Sign', 'Export', 'Client']) {
    await page.getByRole('button', { name }).click()
    const text = page.getByLabel(name.toLowerCase(), { exact: true })
    await expect.poll(() => text.textContent()).toBe('You are offline. Nothing was sent.')
  }
  const requests = () => page.locator('#requests').textContent()
  expect(await requests()).toBe('0')

  await context.setOffline(false)
  await expect.poll(() => page.evaluate(() => navigator.onLine)).toBe(true)
  // What TanStack Query had kept would run upon the event that has come by now.
  await page.evaluate(() => new Promise((resolve) => setTimeout(resolve, 300)))
  expect(await requests()).toBe('0')
  await page.getByRole('button', { name: 'Send' }).click()
  await expect.poll(requests).not.toBe('0')
  await context.close()
})
