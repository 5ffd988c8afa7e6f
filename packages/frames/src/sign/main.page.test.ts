import { pressKeySeen } from '@latchkey/testkit/frames/pressKeySeen'
import { setFrame } from '@latchkey/testkit/frames/setFrame'
import { waitUntilUnseen } from '@latchkey/testkit/frames/waitUntilUnseen'
import { embed, type Message, openInParent, received, send } from '@latchkey/testkit/signer/frameHarness'
import { sealExport } from '@latchkey/testkit/signer/sealExport'
import { vectors } from '@latchkey/testkit/signer/vectors'
import type { Frame, Page } from 'playwright-core'
import { type Hex, parseEther, serializeTransaction, verifyMessage } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { expect, test } from 'vitest'
import { pressSeen } from '../../../dev/src/testing/pressSeen.ts'

// The page that embeds the frame is the attacker.

const { signingKey } = vectors.exportBundle
const organizationId = '11111111-2222-4333-8444-555555555555'
const privateKey: Hex = `0x${'0c'.repeat(32)}`
const account = privateKeyToAccount(privateKey)
const transaction = {
  type: 'eip1559',
  chainId: 1,
  nonce: 7,
  to: '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266',
  value: parseEther('1.5'),
  gas: 21_000n,
  maxFeePerGas: 20_000_000_000n,
  maxPriorityFeePerGas: 1_000_000_000n,
} as const

const stage = setFrame({ page: 'export-and-sign', bundleSigningKey: () => signingKey.publicKey })

type Opened = { page: Page; inner: Frame; key: string }
async function open(): Promise<Opened> {
  const page = await openInParent(stage.context, { url: stage.frame.url, parent: stage.parent.url, channel: true })
  const [ready] = await received(page, 'port', 1)
  expect(ready?.type).toBe('PUBLIC_KEY_READY')
  const inner = page.frames()[1]
  if (!inner) throw new TypeError('no frame')
  return { page, inner, key: String(ready?.value) }
}
async function ask({ page }: Opened, message: Message): Promise<Message> {
  const requestId = crypto.randomUUID()
  await send(page, [{ ...message, requestId }])
  await page.waitForFunction((id) => window.harness.port.some((reply) => reply.requestId === id), requestId)
  const reply = await page.evaluate((id) => window.harness.port.find((each) => each.requestId === id), requestId)
  if (!reply) throw new TypeError('no reply')
  return reply
}
async function injection(key: string, changes: Partial<Parameters<typeof sealExport>[0]> = {}): Promise<Message> {
  const secret = Buffer.from(privateKey.slice(2), 'hex')
  const owner = { userId: 'u', email: 'ann@example.com', address: account.address }
  const sealing = { targetPublicKey: key, organizationId, secret, signingKey: signingKey.privateKey, account: owner }
  return { type: 'INJECT_KEY_EXPORT_BUNDLE', value: await sealExport({ ...sealing, ...changes }), organizationId }
}
async function openWithKey(): Promise<Opened> {
  const opened = await open()
  expect(await ask(opened, await injection(opened.key))).toMatchObject({ type: 'BUNDLE_INJECTED', value: true })
  return opened
}
const signMessage = (message: string, rest: Partial<Message> = {}): Message => ({
  type: 'SIGN_MESSAGE',
  value: JSON.stringify({ message, type: 'ETHEREUM' }),
  ...rest,
})
const signTransaction = (text: string): Message => ({
  type: 'SIGN_TRANSACTION',
  value: JSON.stringify({ transaction: text, type: 'ETHEREUM' }),
})
const press = ({ inner }: Opened, name: string) => pressSeen(inner.getByRole('button', { name }))
const shown = ({ inner }: Opened) => inner.locator('#shown dd').allInnerTexts()
const status = ({ inner }: Opened) => inner.locator('#decision-status').textContent()
const asked = ({ inner }: Opened) => inner.locator('#request').waitFor()
const replies = ({ page }: Opened) => page.evaluate(() => window.harness.port.length)
/** Clicks the button through an element of the page that covers it. */
async function clickThrough({ page, inner }: Opened): Promise<void> {
  await page.waitForTimeout(1200)
  const box = await inner.locator('#go-on').boundingBox()
  if (box) await page.mouse.click(box.x + box.width / 2, box.y + box.height / 2)
  await page.waitForTimeout(200)
}
/** Clicks until the text appears. Chromium drops clicks on a frame that moved within the last second. */
const clickUntilTold = (opened: Opened, text: string) =>
  expect
    .poll(async () => {
      await clickThrough(opened)
      return status(opened)
    })
    .toContain(text)

test('shows a message and signs it after a click', async () => {
  const opened = await openWithKey()
  const message = 'Sign in to example.com\nNonce: 7'
  const reply = ask(opened, signMessage(message, { address: account.address.toLowerCase() }))
  await asked(opened)
  expect(await opened.inner.getByRole('heading').textContent()).toBe('Sign this message?')
  expect(await shown(opened)).toEqual([message, `0x${Buffer.from(message).toString('hex')}`])
  expect(await opened.inner.locator('#request .account').textContent()).toContain(account.address)
  expect(await replies(opened)).toBe(2)
  await press(opened, 'Sign')
  const { type, value } = await reply
  expect(type).toBe('MESSAGE_SIGNED')
  expect(value).toBe(await account.signMessage({ message }))
  expect(await verifyMessage({ address: account.address, message, signature: value as Hex })).toBe(true)
  // Neither page nor document may contain the key.
  const places = await opened.inner.evaluate(() =>
    JSON.stringify([document.documentElement.outerHTML, { ...localStorage }, { ...sessionStorage }]),
  )
  const messages = await opened.page.evaluate(() => JSON.stringify(window.harness.port))
  for (const place of [places, messages]) expect(place).not.toContain('0c0c0c')
})

test('shows a transaction and signs it unchanged', async () => {
  const opened = await openWithKey()
  const reply = ask(opened, signTransaction(serializeTransaction(transaction)))
  await asked(opened)
  expect(await shown(opened)).toEqual([
    transaction.to,
    '1.5 ETH (1500000000000000000 wei)',
    'Ethereum (chain 1)',
    'None',
    'At most 0.00042 ETH: 21000 gas at 20 gwei, including a tip of 1 gwei per gas',
    '7',
  ])
  await opened.inner.locator('#shown').evaluate((box) => box.scrollTo(0, box.scrollHeight))
  await press(opened, 'Sign')
  expect(await reply).toMatchObject({
    type: 'TRANSACTION_SIGNED',
    value: await account.signTransaction(transaction),
  })
})

test('works by keyboard alone and requires reading to the end', async () => {
  const opened = await openWithKey()
  const message = Array.from({ length: 200 }, (_, line) => `line ${line}`).join('\n')
  const reply = ask(opened, signMessage(message))
  await asked(opened)
  await clickUntilTold(opened, 'Please read to the end first.')
  await opened.inner.locator('#question').focus()
  await opened.page.keyboard.press('Tab')
  expect(await opened.inner.locator('#shown').evaluate((box) => box === document.activeElement)).toBe(true)
  await opened.page.keyboard.press('End')
  const left = () =>
    opened.inner.locator('#shown').evaluate((box) => box.scrollHeight - box.clientHeight - box.scrollTop)
  await expect.poll(left).toBeLessThan(3)
  await opened.page.keyboard.press('Tab')
  await pressKeySeen(opened.inner, 'Enter')
  expect((await reply).type).toBe('MESSAGE_SIGNED')
})

test('never replaces a shown request, and ignores a click right after one appears', async () => {
  const opened = await openWithKey()
  const reply = ask(opened, signMessage('what is read'))
  await asked(opened)
  expect(await ask(opened, signMessage('what is signed'))).toMatchObject({
    type: 'ERROR',
    value: 'Error: another request is waiting for the user: one at a time',
  })
  expect(await shown(opened)).toContain('what is read')
  await press(opened, 'Sign')
  expect((await reply).value).toBe(await account.signMessage({ message: 'what is read' }))
  // With a stopped clock, the browser reports this click as the second click of a double click.
  await opened.inner.evaluate(() => {
    const atMs = performance.now()
    performance.now = () => atMs
  })
  const next = ask(opened, signMessage('the next'))
  await asked(opened)
  await opened.inner.getByRole('button', { name: 'Sign' }).click()
  expect(await status(opened)).toContain('see all of this')
  await opened.inner.evaluate(() => Reflect.deleteProperty(performance, 'now'))
  await press(opened, 'Sign')
  expect((await next).type).toBe('MESSAGE_SIGNED')
})

test('ignores clicks of the page and clicks on hidden content', async () => {
  const opened = await openWithKey()
  const reply = ask(opened, signMessage('hidden'))
  await asked(opened)
  await opened.inner.evaluate(() => document.getElementById('go-on')?.click())
  const cover = async (style: string) => {
    await opened.page.evaluate((css) => {
      window.harness.frame.style.cssText = css
    }, style)
  }
  const request = opened.inner.locator('#request')
  await cover('opacity: 0.02')
  await waitUntilUnseen(request)
  await clickUntilTold(opened, 'see all of this')
  await cover('clip-path: inset(0 0 0 50%)')
  await waitUntilUnseen(request)
  await clickThrough(opened)
  await opened.page.evaluate(() => {
    window.harness.frame.style.cssText = ''
    const over = document.createElement('div')
    over.style.cssText = 'position:fixed;inset:0 0 auto 0;height:150px;background:white;pointer-events:none'
    document.body.append(over)
  })
  await waitUntilUnseen(request)
  await clickThrough(opened)
  expect(await replies(opened)).toBe(2)
  await ask(opened, { type: 'CLEAR_EMBEDDED_PRIVATE_KEY' })
  expect((await reply).type).toBe('ERROR')
})

test('rejects pending requests when the key is cleared', async () => {
  const opened = await openWithKey()
  const reply = ask(opened, signMessage('x'))
  await asked(opened)
  expect(await ask(opened, { type: 'CLEAR_EMBEDDED_PRIVATE_KEY' })).toMatchObject({
    type: 'EMBEDDED_PRIVATE_KEY_CLEARED',
    value: true,
  })
  expect((await reply).value).toBe('Error: the key was cleared')
  expect(await opened.inner.getByRole('heading').textContent()).toBe('The key was cleared')
  expect((await ask(opened, signMessage('x'))).value).toMatch(/^Error: there is no key to sign with/)
  // Each embedded key decrypts one bundle.
  const bundle = await injection(opened.key)
  expect((await ask(opened, bundle)).value).toMatch(/^Error: the key of this frame is used up/)
  const { value } = await ask(opened, { type: 'INIT_EMBEDDED_KEY' })
  expect(value).not.toBe(opened.key)
  expect((await ask(opened, await injection(String(value)))).type).toBe('BUNDLE_INJECTED')
})

test('refuses foreign bundles and malformed requests', async () => {
  const opened = await open()
  const { key } = opened
  const other = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8'
  for (const [message, why] of [
    [signMessage('x'), 'there is no key to sign with'],
    [await injection(key, { signingKey: vectors.apiKeyStamp.privateKey }), 'a key this frame does not know'],
    [await injection(key, { organizationId: 'another' }), 'organization id does not match'],
    [await injection(key, { account: { address: other } }), 'the key of another address'],
    [{ ...(await injection(key)), address: other }, 'the key of another address'],
    [{ ...(await injection(key)), keyFormat: 'SOLANA' }, 'unsupported key format'],
    [await injection(key, { secret: Buffer.alloc(32) }), 'holds no private key'],
    [{ ...(await injection(key)), type: 'INJECT_WALLET_EXPORT_BUNDLE' }, 'INJECT_WALLET_EXPORT_BUNDLE is refused'],
    [{ type: 'SET_EMBEDDED_KEY_OVERRIDE', value: 'x', organizationId }, 'SET_EMBEDDED_KEY_OVERRIDE is refused'],
    [{ type: 'RESET_TO_DEFAULT_EMBEDDED_KEY' }, 'could install one that it knows'],
    [{ type: 'APPLY_SETTINGS', value: '{"styles":{"color":"white"}}' }, 'takes no styles'],
    [{ type: 'STAMP_REQUEST', value: '{}' }, 'does not know this message'],
  ] as const) {
    const reply = await ask(opened, message)
    expect([reply.type, reply.value], why).toEqual(['ERROR', expect.stringContaining(why)])
  }
  expect((await ask(opened, await injection(key))).type).toBe('BUNDLE_INJECTED')
  for (const [message, why] of [
    [signMessage('x', { address: other }), `this page holds the key of ${account.address}, no other`],
    [{ type: 'SIGN_MESSAGE', value: JSON.stringify({ message: 'x', type: 'SOLANA' }) }, "Solana's curve is not served"],
    [{ type: 'SIGN_MESSAGE', value: 'x' }, 'is not JSON'],
    [signMessage(''), 'has no message'],
    [signMessage('x'.repeat(100_001)), 'longer than 100000'],
    [signTransaction('0x1234'), 'no Ethereum transaction'],
    [signTransaction(await account.signTransaction(transaction)), 'signed already'],
  ] as const) {
    const reply = await ask(opened, message)
    expect([reply.type, reply.value], why).toEqual(['ERROR', expect.stringContaining(why)])
  }
  expect(await opened.inner.locator('#request').isVisible()).toBe(false)
})

test('does nothing in a nested frame', async () => {
  const page = await stage.context.newPage()
  await page.goto(stage.parent.url)
  await page.evaluate(async (src) => {
    const middle = document.createElement('iframe')
    middle.src = src
    const loaded = new Promise((resolve) => middle.addEventListener('load', resolve))
    document.body.append(middle)
    await loaded
  }, stage.parent.url)
  const middle = page.frames()[1]
  if (!middle) throw new TypeError('no frame')

  await embed(middle, { url: stage.frame.url, channel: true })
  const [first] = await received(middle, 'port', 1)
  expect(first).toMatchObject({ type: 'ERROR', value: expect.stringContaining('a frame of a frame') })
  await send(middle, [{ type: 'INIT_EMBEDDED_KEY', requestId: '1' }])
  expect((await received(middle, 'port', 2))[1]).toMatchObject({ type: 'ERROR', requestId: '1' })
  await page.close()
})
