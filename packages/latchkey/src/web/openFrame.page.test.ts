import { type Listening, listen } from '@latchkey/testkit/signer/listen'
import { startFrame } from '@latchkey/testkit/signer/startFrame'
import type { SignerPage } from '@latchkey/testkit/signer/startPage'
import { test } from '@latchkey/testkit/worker'
import type { BrowserContext, Page } from 'playwright-core'
import { afterAll, afterEach, beforeEach, expect } from 'vitest'

let frame: Listening
let page: SignerPage
let newContext: () => Promise<BrowserContext>
let context: BrowserContext
let framing: string

test.beforeAll(async ({ browser, signerPage }) => {
  page = signerPage
  newContext = () => browser.newContext()
  frame = await startFrame(
    () => page.url,
    () => framing,
  )
})
afterAll(() => frame?.close())
beforeEach(async () => {
  framing = page.url
  context = await newContext()
})
afterEach(() => context.close())

async function open(): Promise<Page> {
  const tab = await context.newPage()
  await tab.goto(page.url)
  await tab.waitForFunction(() => window.page !== undefined)
  return tab
}
const options = (url = frame.url, timeoutMs = 60_000) => ({ url, elementId: 'keys', containerId: 'holder', timeoutMs })

test('empties and hides an existing container, and gets replies', async () => {
  const tab = await open()
  const found = await tab.evaluate(async (parameters) => {
    const holder = document.createElement('section')
    holder.id = 'holder'
    holder.innerHTML = '<p>old</p>'
    document.body.append(holder)
    const opened = window.page.openFrame(parameters)
    const key = await opened.publicKey()
    const answers = await Promise.all([
      opened.request('GET_EMBEDDED_PUBLIC_KEY'),
      opened
        .request('STAMP_REQUEST', 'x')
        .catch(({ code, details }: { code: string; details: string }) => ({ code, details })),
      opened.request('GET_EMBEDDED_PUBLIC_KEY'),
    ])
    const element = holder.firstElementChild as HTMLIFrameElement
    return {
      same: answers[0] === key && answers[2] === key,
      failed: answers[1] as { code: string; details: string },
      children: holder.childElementCount,
      display: holder.style.display,
      id: element.id,
      sandbox: element.getAttribute('sandbox'),
      src: element.src,
    }
  }, options())
  expect(found).toMatchObject({
    same: true,
    children: 1,
    display: 'none',
    id: 'keys',
    sandbox: 'allow-scripts allow-same-origin',
    src: `${frame.url}/`,
  })
  expect(found.failed.code).toBe('FRAME_FAILED')
  expect(found.failed.details).toMatch(/^the credential is null/)
})

test('removes the element and fails pending requests on close', async () => {
  const tab = await open()
  const codes = await tab.evaluate(async (parameters) => {
    const opened = window.page.openFrame(parameters)
    await opened.publicKey()
    const waiting = opened.request('STAMP_REQUEST', 'x').catch((error: { code: string }) => error.code)
    await Promise.resolve()
    opened.close()
    const later = opened.request('STAMP_REQUEST', 'x').catch((error: { code: string }) => error.code)
    return Promise.all([waiting, later])
  }, options())
  expect(codes).toEqual(['ABORTED', 'ABORTED'])
  expect(await tab.locator('iframe').count()).toBe(0)
})

async function failure(tab: Page, url: string): Promise<{ code: string; message: string }> {
  return tab.evaluate(
    (parameters) =>
      window.page
        .openFrame(parameters)
        .publicKey()
        .then(
          () => ({ code: 'none', message: '' }),
          ({ code, message }: { code: string; message: string }) => ({ code, message }),
        ),
    options(url, 1_500),
  )
}

test('names the usual causes, among them a policy of the page', async () => {
  const tab = await context.newPage()
  await tab.route(page.url, async (route) => {
    const response = await route.fetch()
    await route.fulfill({ response, headers: { ...response.headers(), 'content-security-policy': "frame-src 'none'" } })
  })
  await tab.goto(page.url)
  await tab.waitForFunction(() => window.page !== undefined)
  const { code, message } = await failure(tab, frame.url)
  expect(code).toBe('FRAME_TIMEOUT')
  expect(message).toContain(`The frame at ${frame.url}/ did not answer to open within 1500 ms.`)
  expect(message).toContain(`does not list the origin ${page.url}`)
  expect(message).toContain('Content-Security-Policy')
})

test.each(['removed', 'moved'])('reports that the page has %s the frame during a request', async (how) => {
  const tab = await open()
  const lost = await tab.evaluate(
    async ([parameters, way]) => {
      const opened = window.page.openFrame(parameters)
      await opened.publicKey()
      const alive = [opened.isAlive()]
      const waiting = opened.request('STAMP_REQUEST', 'x').catch((error: unknown) => error)
      const element = document.getElementById('keys') as HTMLIFrameElement
      if (way === 'removed') element.remove()
      else document.body.append(element)
      const { code, message } = (await waiting) as { code: string; message: string }
      alive.push(opened.isAlive())
      const later = await opened.request('STAMP_REQUEST', 'x').catch((error: { code: string }) => error.code)
      return { alive, code, message, later }
    },
    [options(), how] as const,
  )
  expect(lost).toMatchObject({ alive: [true, false], code: 'FRAME_LOST', later: 'FRAME_LOST' })
  expect(lost.message).toContain('The page has removed, moved or reloaded the frame.')
})

test('times out when a frame stays silent', async () => {
  // This frame accepts the port, sends its key, and responds only with an unknown request id.
  const silent = await listen((_request, response) => {
    response.writeHead(200, { 'content-type': 'text/html' })
    response.end(`<script>onmessage = ({ ports: [port] }) => {
      port.postMessage({ type: 'PUBLIC_KEY_READY', value: '04' })
      port.onmessage = ({ data }) => port.postMessage({ type: 'STAMP', value: 'for another', requestId: 'other' })
    }</script>`)
  })
  const tab = await open()
  const code = await tab.evaluate(
    (parameters) =>
      window.page
        .openFrame(parameters)
        .request('STAMP_REQUEST', 'x')
        .catch((error: { code: string }) => error.code),
    options(silent.url, 1_000),
  )
  expect(code).toBe('FRAME_TIMEOUT')
  await silent.close()
})

test('gives no port to a page of another origin', async () => {
  const thief = await listen((_request, response) => {
    response.writeHead(200, { 'content-type': 'text/html' })
    response.end(
      `<script>onmessage = ({ ports: [port] }) => port.postMessage({ type: 'PUBLIC_KEY_READY', value: '04' })</script>`,
    )
  })
  const redirecting = await listen((_request, response) => {
    response.writeHead(302, { location: thief.url }).end()
  })
  expect((await failure(await open(), redirecting.url)).code).toBe('FRAME_TIMEOUT')
  await Promise.all([thief.close(), redirecting.close()])
})

test('appends a visible frame to the content of its container', async () => {
  const tab = await open()
  const found = await tab.evaluate(
    async (parameters) => {
      const holder = document.createElement('section')
      holder.id = 'holder'
      holder.innerHTML = '<p>kept</p>'
      document.body.append(holder)
      window.page.openFrame(parameters)
      window.page.openFrame(parameters)
      const element = holder.querySelector('iframe')
      return {
        children: Array.from(holder.children, ({ tagName }) => tagName),
        display: holder.style.display,
        allow: element?.allow,
        sandbox: element?.getAttribute('sandbox'),
        title: element?.title,
      }
    },
    { ...options(), visible: true, title: 'Wallet export' },
  )
  expect(found).toEqual({
    children: ['P', 'IFRAME'],
    display: '',
    allow: 'clipboard-write',
    sandbox: 'allow-scripts allow-same-origin',
    title: 'Wallet export',
  })
})

test('refuses a visible frame without a container', async () => {
  const tab = await open()
  const code = await tab.evaluate(
    (parameters) => {
      try {
        window.page.openFrame(parameters)
        return undefined
      } catch (error) {
        return (error as { code: string }).code
      }
    },
    { ...options(), visible: true, title: 'Wallet export' },
  )
  expect(code).toBe('FRAME_FAILED')
})
