import { pressKeySeen } from '@latchkey/testkit/frames/pressKeySeen'
import { setFrame } from '@latchkey/testkit/frames/setFrame'
import { waitUntilUnseen } from '@latchkey/testkit/frames/waitUntilUnseen'
import { type Message, openInParent, post, received, send } from '@latchkey/testkit/signer/frameHarness'
import { sealExport } from '@latchkey/testkit/signer/sealExport'
import { vectors } from '@latchkey/testkit/signer/vectors'
import type { Frame, Page } from 'playwright-core'
import { beforeEach, describe, expect, test } from 'vitest'
import { pressSeen } from '../../../dev/src/testing/pressSeen.ts'

const { signingKey } = vectors.exportBundle
const organizationId = '11111111-2222-4333-8444-555555555555'
const phrase = 'legal winner thank year wave sausage worth useful legal winner thank yellow'

let pinned: string
beforeEach(() => {
  pinned = signingKey.publicKey
})
const stage = setFrame({ page: 'export', bundleSigningKey: () => pinned })

type Opened = { page: Page; inner: Frame; key: string }
async function open(channel = true): Promise<Opened> {
  const page = await openInParent(stage.context, { url: stage.frame.url, parent: stage.parent.url, channel })
  const [ready] = await received(page, channel ? 'port' : 'window', 1)
  expect(ready?.type).toBe('PUBLIC_KEY_READY')
  const inner = page.frames()[1]
  if (!inner) throw new TypeError('no frame')
  return { page, inner, key: String(ready?.value) }
}
const seal = (targetPublicKey: string, secret: string | Uint8Array = phrase, changes: Partial<Sealing> = {}) =>
  sealExport({
    targetPublicKey,
    organizationId,
    secret: typeof secret === 'string' ? new TextEncoder().encode(secret) : secret,
    signingKey: signingKey.privateKey,
    ...changes,
  })
type Sealing = Parameters<typeof sealExport>[0]
async function ask({ page }: Opened, message: Message): Promise<Message | undefined> {
  const before = await page.evaluate(() => window.harness.port.length)
  await send(page, [{ ...message, requestId: 'r' }])
  return (await received(page, 'port', before + 1))[before]
}
const wallet = (value: string, rest: Partial<Message> = { organizationId }): Message => ({
  type: 'INJECT_WALLET_EXPORT_BUNDLE',
  value,
  ...rest,
})
const html = ({ inner }: Opened) => inner.evaluate(() => document.documentElement.outerHTML)
const secret = ({ inner }: Opened) => inner.locator('#secret')
const press = ({ inner }: Opened, name: string) => pressSeen(inner.getByRole('button', { name }))
const confirm = (opened: Opened) => press(opened, 'I asked for this')
const reveal = (opened: Opened) => press(opened, 'Reveal')
const buttons = ({ inner }: Opened) => inner.getByRole('button').allTextContents()
const showCard = ({ inner }: Opened) => inner.evaluate(() => document.getElementById('card')?.removeAttribute('hidden'))

describe('a seed phrase', () => {
  test('shows after a click, hides after another and leaves no trace', async () => {
    const opened = await open()
    expect(await ask(opened, wallet(await seal(opened.key)))).toEqual({
      type: 'BUNDLE_INJECTED',
      value: true,
      requestId: 'r',
    })
    expect(await html(opened)).not.toContain('winner')
    expect(await opened.inner.getByRole('heading').textContent()).toBe('Show your recovery phrase?')
    expect(await buttons(opened)).toEqual(['I asked for this', 'Not now'])
    expect(await opened.inner.getByText('Preparing your export').isVisible()).toBe(false)

    await confirm(opened)
    expect(await opened.inner.getByRole('heading').textContent()).toBe('Recovery phrase')
    expect(await buttons(opened)).toEqual(['Reveal'])
    expect(await html(opened)).not.toContain('winner')
    await reveal(opened)
    expect(await secret(opened).textContent()).toBe(phrase)
    await opened.inner.getByRole('button', { name: 'Hide' }).click()
    expect(await html(opened)).not.toContain('winner')
    const stored = await opened.inner.evaluate(() => JSON.stringify({ ...localStorage, ...sessionStorage }))
    expect(stored).not.toContain('winner')
    const messages = await opened.page.evaluate(() => JSON.stringify([window.harness.port, window.harness.window]))
    expect(messages).not.toContain('winner')
  })

  test('names its account', async () => {
    const opened = await open()
    const account = { userId: 'u', email: 'ann@example.com', address: '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266' }
    await ask(opened, wallet(await seal(opened.key, phrase, { account })))
    const named = (stage: string) => opened.inner.locator(`${stage} .account span`).allTextContents()
    expect(await named('#confirm')).toEqual([account.email, account.address])
    await confirm(opened)
    expect(await named('#card')).toEqual([account.email, account.address])
  })

  test('stays hidden in a covered frame', async () => {
    const opened = await open()
    await ask(opened, wallet(await seal(opened.key)))
    await opened.page.evaluate(() => {
      const cover = document.createElement('div')
      cover.style.cssText = 'position:fixed;inset:0;background:#fff;pointer-events:none'
      document.body.append(cover)
    })
    await waitUntilUnseen(opened.inner.locator('#decision'))
    await pressSeen(opened.inner.locator('#go-on'), 1)
    expect(await buttons(opened)).toEqual(['I asked for this', 'Not now'])
    expect(await opened.inner.locator('#decision-status').textContent()).toContain('see all of this')
  })

  test('stays hidden after Not now', async () => {
    const opened = await open()
    await ask(opened, wallet(await seal(opened.key)))
    await press(opened, 'Not now')
    expect(await opened.inner.getByText('Hidden').isVisible()).toBe(true)
    expect(await buttons(opened)).toEqual([])
    await showCard(opened)
    await reveal(opened)
    expect(await html(opened)).not.toContain('winner')
  })

  test('hides when the user leaves the tab', async () => {
    const opened = await open()
    await ask(opened, wallet(await seal(opened.key)))
    await confirm(opened)
    await reveal(opened)
    await opened.inner.evaluate(() => {
      Object.defineProperty(document, 'hidden', { value: true })
      document.dispatchEvent(new Event('visibilitychange'))
    })
    expect(await html(opened)).not.toContain('winner')
    expect(await buttons(opened)).toEqual(['Reveal'])
  })

  test('works by keyboard alone', async () => {
    const opened = await open()
    await ask(opened, wallet(await seal(opened.key)))
    await opened.inner.locator('#go-on').focus()
    const { keyboard } = opened.page
    await pressKeySeen(opened.inner, 'Enter')
    await pressKeySeen(opened.inner, 'Space')
    expect(await secret(opened).textContent()).toBe(phrase)
    await keyboard.press('Tab')
    expect(await opened.inner.evaluate(() => document.activeElement?.id)).toBe('copy')
    await keyboard.press('Shift+Tab')
    await keyboard.press('Enter')
    expect(await html(opened)).not.toContain('winner')
  })

  test.each([['clipboard-write'], ['']])('is copied when the page allows %j', async (allow) => {
    if (allow) await stage.context.grantPermissions(['clipboard-write', 'clipboard-read'])
    const page = await openInParent(stage.context, {
      url: stage.frame.url,
      parent: stage.parent.url,
      channel: false,
      allow,
    })
    await page.evaluate(() => {
      document.body.append(document.createElement('textarea'))
    })
    const [ready] = await received(page, 'window', 1)
    const inner = page.frames()[1] as Frame
    await post(page, [wallet(await seal(String(ready?.value)))])
    for (const name of ['I asked for this', 'Reveal', 'Copy']) await pressSeen(inner.getByRole('button', { name }))
    await inner.getByText('Copied').waitFor()
    await page.locator('textarea').focus()
    await page.keyboard.press('Control+V')
    await expect.poll(() => page.locator('textarea').inputValue()).toBe(phrase)
  })
})

describe('the key of the frame', () => {
  test('opens one export only, and is replaced in the next frame', async () => {
    const opened = await open()
    const bundle = await seal(opened.key)
    await ask(opened, wallet(bundle))
    expect(await ask(opened, wallet(bundle))).toMatchObject({
      type: 'ERROR',
      value: expect.stringMatching(/^Error: the key of this frame is used up/),
    })
    const next = await open()
    expect(next.key).not.toBe(opened.key)
    expect((await ask(next, wallet(bundle)))?.value).toMatch(/^Error: unable to decrypt bundle/)
  })
})

describe('what is refused', () => {
  const refused = async (opened: Opened, message: Message) => {
    const answer = await ask(opened, message)
    expect(answer?.type).toBe('ERROR')
    expect(await opened.inner.locator('#card').isVisible()).toBe(false)
    expect(await html(opened)).not.toContain('winner')
    return String(answer?.value)
  }

  test('opens nothing without its pinned key', async () => {
    pinned = '__BUNDLE_SIGNING_KEY__'
    const opened = await open()
    expect(await refused(opened, wallet(await seal(opened.key)))).toContain('without the key that signs')
  })
})

test('checks an organization given over the window, and accepts none', async () => {
  const opened = await open(false)
  const bundle = await seal(opened.key)
  await post(opened.page, [wallet(bundle, { organizationId: 'another' }), wallet(bundle, {})])
  const [, wrong, right] = await received(opened.page, 'window', 3)
  expect(wrong).toMatchObject({ type: 'ERROR', value: expect.stringContaining('organization id does not match') })
  expect(right).toEqual({ type: 'BUNDLE_INJECTED', value: true })
})

describe('settings', () => {
  const settings = (styles: Record<string, string>): Message => ({
    type: 'APPLY_SETTINGS',
    value: JSON.stringify({ styles }),
  })
  const look = ({ inner }: Opened) =>
    inner.evaluate(() => {
      const element = document.getElementById('secret') as HTMLElement
      return [getComputedStyle(element).color, getComputedStyle(document.body).backgroundColor]
    })

  test('apply to the secret and to the next frame', async () => {
    const opened = await open()
    const styles = { color: '#010203', backgroundColor: 'rgb(4, 5, 6)' }
    expect(await ask(opened, settings(styles))).toEqual({ type: 'SETTINGS_APPLIED', value: true, requestId: 'r' })
    expect(await look(opened)).toEqual(['rgb(1, 2, 3)', 'rgb(4, 5, 6)'])
    expect(await look(await open())).toEqual(['rgb(1, 2, 3)', 'rgb(4, 5, 6)'])
  })

  test('are ignored when no longer allowed', async () => {
    const opened = await open()
    await opened.inner.evaluate(() =>
      localStorage.setItem('TURNKEY_SETTINGS', JSON.stringify(JSON.stringify({ styles: { color: 'url(x)' } }))),
    )
    const next = await open()
    expect((await ask(next, wallet(await seal(next.key))))?.type).toBe('BUNDLE_INJECTED')
  })
})
