import {
  ask,
  extractWallet,
  field,
  inject,
  type OpenedFrame,
  openImportFrame,
  press,
  readPlaces,
} from '@latchkey/testkit/frames/importFrame'
import { setFrame } from '@latchkey/testkit/frames/setFrame'
import { waitUntilUnseen } from '@latchkey/testkit/frames/waitUntilUnseen'
import { received, send } from '@latchkey/testkit/signer/frameHarness'
import { signExport as sign } from '@latchkey/testkit/signer/sealExport'
import { vectors } from '@latchkey/testkit/signer/vectors'
import { expect, test } from 'vitest'

// The page that embeds the frame is the attacker.

const { importBundles: vector, exportBundle } = vectors
const { signingKey, organizationId } = exportBundle
const { userId } = vector
const phrase = 'legal winner thank year wave sausage worth useful legal winner thank yellow'

const stage = setFrame({ page: 'import', bundleSigningKey: () => signingKey.publicKey })

const open = () => openImportFrame(stage.context, stage)
async function expectNothingLeft(opened: OpenedFrame, words: string): Promise<void> {
  for (const place of await readPlaces(opened)) expect(place).not.toContain(words)
}
const account = { userId, email: 'ann@example.com', address: '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266' }
const bundleFor = (changes: object = {}) =>
  sign(
    Buffer.from(
      JSON.stringify({ targetPublic: vector.target.publicKey, organizationId, ...account, ...changes }),
      'utf8',
    ),
    signingKey.privateKey,
  )
const named = ({ inner }: OpenedFrame) => inner.locator('#agree .account span').allTextContents()
const replies = ({ page }: OpenedFrame) => page.evaluate(() => window.harness.port.length)
const status = ({ inner }: OpenedFrame) => inner.locator('#decision-status').textContent()
/** Enters a complete phrase and makes the page request it. */
async function openAsked(changes?: object): Promise<OpenedFrame> {
  const opened = await open()
  await ask(opened, inject({ value: bundleFor(changes) }))
  await field(opened).fill(phrase)
  await send(opened.page, [{ ...extractWallet, requestId: 'x' }])
  await opened.inner.locator('#agree').waitFor()
  return opened
}
/** Clicks the button through an element of the page that covers it. */
async function clickThrough({ page, inner }: OpenedFrame): Promise<void> {
  await waitUntilUnseen(inner.locator('#decision'))
  await page.waitForTimeout(750)
  const box = await inner.locator('#go-on').boundingBox()
  if (box) await page.mouse.click(box.x + box.width / 2, box.y + box.height / 2)
  await page.waitForTimeout(200)
}

test('names the account before typing and before agreeing', async () => {
  const opened = await open()
  await ask(opened, inject({ value: bundleFor() }))
  const beside = opened.inner.locator('#card .account span')
  expect(await beside.allTextContents()).toEqual([account.email, account.address])
  await field(opened).fill(phrase)
  const reply = ask(opened, extractWallet)
  await opened.inner.locator('#agree').waitFor()
  expect(await named(opened)).toEqual([account.email, account.address])
  await press(opened, 'Import')
  expect((await reply)?.type).toBe('ENCRYPTED_BUNDLE_EXTRACTED')
})

test('shows account and buttons in a frame of default size', async () => {
  const opened = await openAsked()
  await opened.page.evaluate(() => {
    for (const frame of document.querySelectorAll('iframe')) {
      frame.style.width = '300px'
      frame.style.height = '150px'
    }
  })
  const places = () =>
    opened.inner.locator('#agree').evaluate((agree) => {
      const parts = [...agree.querySelectorAll('.account span, button')]
      return parts.map(
        (part) => part.getBoundingClientRect().bottom <= innerHeight && part.getBoundingClientRect().top >= 0,
      )
    })
  await opened.inner.waitForFunction(() => innerHeight === 150)
  expect(await places()).toEqual([true, true, true, true])
})

test('releases nothing without a click, whatever the page sends', async () => {
  const opened = await openAsked()
  const before = await replies(opened)
  await opened.inner.evaluate(() => document.getElementById('go-on')?.click())
  await opened.page.keyboard.press('Enter')
  await opened.page.keyboard.press('Space')
  expect(await ask(opened, { type: 'APPLY_SETTINGS', value: '{}' })).toMatchObject({ type: 'SETTINGS_APPLIED' })
  expect(await replies(opened)).toBe(before + 1)
  await press(opened, 'Not now')
  const list = await received(opened.page, 'port', before + 2)
  expect(list.at(-1)).toEqual({ type: 'ERROR', value: 'Error: the person declined', requestId: 'x' })
  await expectNothingLeft(opened, 'winner')
})

test('clears what was typed for an earlier bundle', async () => {
  const opened = await openAsked()
  const before = await replies(opened)
  const other = { address: '0x70997970C51812dc3A010C7d01b50e0d17dc79C8', email: undefined }
  await send(opened.page, [{ ...inject({ value: bundleFor(other) }), requestId: 'y' }])
  const [refused, injected] = (await received(opened.page, 'port', before + 2)).slice(before)
  expect([refused?.requestId, refused?.value]).toEqual(['x', 'Error: another import bundle was injected'])
  expect(injected).toMatchObject({ type: 'BUNDLE_INJECTED', requestId: 'y' })
  await expectNothingLeft(opened, 'winner')
  expect(await opened.inner.locator('#card .account span').allTextContents()).toEqual([other.address])
})

test('ends an older question when the page asks again', async () => {
  const opened = await openAsked()
  const before = await replies(opened)
  await send(opened.page, [{ ...extractWallet, requestId: 'y' }])
  const [ended] = (await received(opened.page, 'port', before + 1)).slice(before)
  expect(ended).toEqual({ type: 'ERROR', value: 'Error: the page asked for it again', requestId: 'x' })
  await press(opened, 'Import')
  const [sealed] = (await received(opened.page, 'port', before + 2)).slice(before + 1)
  expect(sealed).toMatchObject({ type: 'ENCRYPTED_BUNDLE_EXTRACTED', requestId: 'y' })
})

test.each([
  ['cover a part of', 'position:fixed;left:30px;top:80px;width:60px;height:30px;background:#fff;pointer-events:none'],
])('ignores a click through page content: %s', async (_what, style) => {
  const opened = await openAsked()
  const before = await replies(opened)
  await opened.page.evaluate((css) => {
    const cover = document.createElement('div')
    cover.style.cssText = css
    document.body.append(cover)
  }, style)
  await expect
    .poll(async () => {
      await clickThrough(opened)
      return status(opened)
    })
    .toContain('see all of this')
  expect(await replies(opened)).toBe(before)
  await opened.page.locator('div').evaluate((cover) => cover.remove())
  await press(opened, 'Import')
  expect((await received(opened.page, 'port', before + 1)).at(-1)?.type).toBe('ENCRYPTED_BUNDLE_EXTRACTED')
})

test.each([
  ['see-through', 'opacity: 0.01'],
  ['cut off', 'clip-path: inset(170px 0 0 0)'],
])('ignores a click while the page makes the frame %s', async (_what, style) => {
  const opened = await openAsked()
  const before = await replies(opened)
  await opened.page.evaluate((css) => window.harness.frame.setAttribute('style', css), style)
  await clickThrough(opened)
  expect(await replies(opened)).toBe(before)
  expect(await opened.inner.locator('#agree').isVisible()).toBe(true)
})

test('ignores a click while the frame is too small for the account', async () => {
  const opened = await openAsked()
  const before = await replies(opened)
  await opened.page.evaluate(() => {
    window.harness.frame.height = '60'
  })
  await opened.inner.locator('#go-on').scrollIntoViewIfNeeded()
  await clickThrough(opened)
  expect(await replies(opened)).toBe(before)
})

test('keeps the account readable in any colors of the page', async () => {
  const opened = await openAsked()
  const paints = () =>
    opened.inner.locator('#agree .account').evaluate((element) => {
      const { color, backgroundColor, fontSize } = getComputedStyle(element)
      return [color, backgroundColor, fontSize]
    })
  const before = await paints()
  const styles = { backgroundColor: '#14161a', color: '#14161a', labelColor: '#14161a', fontSize: '1px' }
  await ask(opened, { type: 'APPLY_SETTINGS', value: JSON.stringify({ styles }) })
  expect(await paints()).toEqual(before)
  expect(before[0]).not.toBe(before[1])
})

test('shows look-alike letters by their code points', async () => {
  const opened = await openAsked({ email: 'аnn@example.com', address: undefined })
  expect(await named(opened)).toEqual(['{U+430}nn@example.com'])
})
