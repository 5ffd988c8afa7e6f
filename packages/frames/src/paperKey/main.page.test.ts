import { setFrame } from '@latchkey/testkit/frames/setFrame'
import { type Message, openInParent, received, send } from '@latchkey/testkit/signer/frameHarness'
import { paperKeyMessages, toOwnerProof } from 'latchkey-protocol'
import type { Frame, Page } from 'playwright-core'
import { recoverMessageAddress } from 'viem'
import { mnemonicToAccount } from 'viem/accounts'
import { expect, test } from 'vitest'
import { pressSeen } from '../../../dev/src/testing/pressSeen.ts'

const stage = setFrame({ page: 'paper-key', bundleSigningKey: () => '' })
const account = '0x1111111111111111111111111111111111111111'
const proof = toOwnerProof({ account, chainId: 1, nonce: '0x00112233445566778899aabbccddeeff' })

type Opened = { page: Page; inner: Frame; address: string }
async function open(): Promise<Opened> {
  const page = await openInParent(stage.context, { url: stage.frame.url, parent: stage.parent.url, channel: true })
  const [ready] = await received(page, 'port', 1)
  const inner = page.frames()[1]
  if (!inner) throw new TypeError('no frame')
  return { page, inner, address: String(ready?.value) }
}

async function ask({ page }: Opened, message: Message, id: string): Promise<Message | undefined> {
  await send(page, [{ ...message, requestId: id }])
  const replies = () => page.evaluate(() => window.harness.port)
  await expect.poll(async () => (await replies()).some(({ requestId }) => requestId === id)).toBe(true)
  return (await replies()).find(({ requestId }) => requestId === id)
}

const readWords = ({ inner }: Opened) => inner.locator('#secret span').allTextContents()

/** Opens the frame and reveals the words by clicking. */
async function showWords(): Promise<Opened & { words: string[] }> {
  const opened = await open()
  await send(opened.page, [{ type: paperKeyMessages.confirm, requestId: 'confirm' }])
  await pressSeen(opened.inner.getByRole('button', { name: 'Show the words' }))
  const words = await readWords(opened)
  expect(words).toHaveLength(12)
  return { ...opened, words }
}

/** Fills both fields with the words that the labels request. `change` replaces the last word. */
async function fillIn({ inner, words }: { inner: Frame; words: readonly string[] }, change = (word: string) => word) {
  for (const id of ['first', 'second']) {
    const label = await inner.locator(`#${id}-label`).textContent()
    const word = words[Number(label?.replace('Word ', '')) - 1] ?? ''
    await inner.locator(`#${id}`).fill(id === 'second' ? change(word) : word)
  }
  await inner.getByRole('button', { name: 'Done' }).click()
}

test('makes a key, shows its words once and proves that it can sign', async () => {
  const opened = await showWords()
  const { inner, words, address } = opened
  expect(mnemonicToAccount(words.join(' ')).address).toBe(address)
  await inner.getByRole('button', { name: 'I’ve written them down' }).click()
  expect(await readWords(opened)).toEqual([])
  await fillIn(opened, () => 'wrong')
  await inner.getByText('That is not the word on this line.').waitFor()
  await inner.getByRole('button', { name: 'Show the words again' }).click()
  expect(await readWords(opened)).toEqual(words)
  await inner.getByRole('button', { name: 'I’ve written them down' }).click()
  await fillIn(opened, (word) => ` ${word.toUpperCase()} `)
  await inner.getByText('Your paper key is ready').waitFor()
  expect(await received(opened.page, 'port', 2)).toMatchObject([
    {},
    { type: paperKeyMessages.confirmed, value: address, requestId: 'confirm' },
  ])
  const html = await inner.evaluate(() => document.documentElement.outerHTML)
  for (const word of words) expect(html).not.toContain(`>${word}<`)
  const proven = await ask(opened, { type: paperKeyMessages.prove, value: proof }, 'prove')
  const signature = String(proven?.value) as `0x${string}`
  expect(await recoverMessageAddress({ message: proof, signature })).toBe(address)
})

test('signs nothing before the words are written down, and nothing but proofs after', async () => {
  const opened = await showWords()
  const early = await ask(opened, { type: paperKeyMessages.prove, value: proof }, 'early')
  expect(early).toMatchObject({ type: 'ERROR', value: expect.stringContaining('not written') })
  await opened.inner.getByRole('button', { name: 'I’ve written them down' }).click()
  await fillIn(opened)
  await opened.inner.getByText('Your paper key is ready').waitFor()
  for (const [index, value] of [
    'hello',
    `${proof}\n`,
    proof.replace('chain 1', 'chain 0'),
    proof.replace('0x11', 'you'),
    { raw: '0x12' },
  ].entries())
    expect(await ask(opened, { type: paperKeyMessages.prove, value: value as string }, `p${index}`)).toMatchObject({
      type: 'ERROR',
    })
})

test('makes another key for each frame, and shows no words to a script or in a hidden tab', async () => {
  const first = await open()
  const second = await open()
  expect(first.address).not.toBe(second.address)
  await send(second.page, [{ type: paperKeyMessages.confirm, requestId: 'confirm' }])
  await second.inner.getByRole('button', { name: 'Show the words' }).waitFor()
  await second.inner.evaluate(() => document.getElementById('show')?.click())
  expect(await readWords(second)).toEqual([])
  const shown = await showWords()
  await shown.inner.evaluate(() => {
    Object.defineProperty(document, 'hidden', { value: true, configurable: true })
    document.dispatchEvent(new Event('visibilitychange'))
  })
  expect(await readWords(shown)).toEqual([])
})
