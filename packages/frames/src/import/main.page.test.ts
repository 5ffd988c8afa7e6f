import {
  ask,
  extract,
  extractKey,
  extractWallet,
  field,
  inject,
  type OpenedFrame,
  openImportFrame,
  press,
  readPlaces,
} from '@latchkey/testkit/frames/importFrame'
import { setFrame } from '@latchkey/testkit/frames/setFrame'
import { embeddedKeyPair } from '@latchkey/testkit/signer/embeddedKeyPair'
import type { Message } from '@latchkey/testkit/signer/frameHarness'
import { signExport as sign } from '@latchkey/testkit/signer/sealExport'
import { vectors } from '@latchkey/testkit/signer/vectors'
import { describe, expect, test } from 'vitest'
import { openSealed } from '../bundles/hpke.ts'
import { hexMember, parseObject } from '../bundles/members.ts'

const { importBundles: vector, exportBundle } = vectors
const { signingKey } = exportBundle
const phrase = 'legal winner thank year wave sausage worth useful legal winner thank yellow'

const stage = setFrame({ page: 'import', bundleSigningKey: () => signingKey.publicKey })

const open = (allow = '') => openImportFrame(stage.context, { frame: stage.frame, parent: stage.parent, allow })
async function openReady(allow?: string): Promise<OpenedFrame> {
  const opened = await open(allow)
  expect(await ask(opened, inject())).toMatchObject({ type: 'BUNDLE_INJECTED', value: true })
  return opened
}
const help = ({ inner }: OpenedFrame) => inner.locator('#help').textContent()
const masking = (opened: OpenedFrame) =>
  field(opened).evaluate((element) => getComputedStyle(element).getPropertyValue('-webkit-text-security'))
/** Decrypts the bundle of a reply like custody. */
async function unseal(answer: Message | undefined): Promise<Uint8Array> {
  expect(answer?.type).toBe('ENCRYPTED_BUNDLE_EXTRACTED')
  const bundle = parseObject(String(answer?.value), 'the bundle')
  const embeddedKey = await embeddedKeyPair(vector.target.privateKey)
  const [enc, ciphertext] = [hexMember(bundle, 'encappedPublic', ''), hexMember(bundle, 'ciphertext', '')]
  return openSealed({ enc, ciphertext, embeddedKey })
}
const text = (bytes: Uint8Array) => new TextDecoder().decode(bytes)
async function expectNothingLeft(opened: OpenedFrame, words: string): Promise<void> {
  for (const place of await readPlaces(opened)) expect(place).not.toContain(words)
}

test('masks a seed phrase, seals it to custody and clears it', async () => {
  const opened = await openReady()
  expect(await masking(opened)).toBe('disc')
  await field(opened).fill(phrase.toUpperCase())
  expect(await help(opened)).toBe('A recovery phrase of 12 words.')
  expect(text(await unseal(await extract(opened)))).toBe(phrase)
  expect(await opened.inner.getByText('Encrypted and sent').isVisible()).toBe(true)
  await expectNothingLeft(opened, 'winner')
})

test('seals one secret per key and starts over for the next import', async () => {
  const opened = await openReady()
  await field(opened).fill(phrase)
  await extract(opened)
  expect((await ask(opened, extractWallet))?.value).toBe(
    'Error: there is no import to extract: inject an import bundle first',
  )
  await ask(opened, inject())
  expect(await field(opened).inputValue()).toBe('')
  expect((await ask(opened, extractWallet))?.value).toBe('Error: Nothing has been entered yet')
})

describe('the field', () => {
  test('masks by Hide, and when the user leaves the tab', async () => {
    const opened = await openReady()
    await field(opened).fill(phrase)
    await press(opened, 'Show')
    expect(await masking(opened)).toBe('none')
    await press(opened, 'Hide')
    expect(await masking(opened)).toBe('disc')
    await press(opened, 'Show')
    await opened.inner.evaluate(() => {
      Object.defineProperty(document, 'hidden', { value: true })
      document.dispatchEvent(new Event('visibilitychange'))
    })
    expect(await masking(opened)).toBe('disc')
    expect(await field(opened).inputValue()).toBe(phrase)
  })

  test('suggests words only while they are visible', async () => {
    const opened = await openReady()
    const words = () => opened.inner.locator('#words button').allTextContents()
    await field(opened).fill('legal aba')
    expect(await words()).toEqual([])
    await press(opened, 'Show')
    expect(await words()).toEqual(['abandon'])
    await press(opened, 'abandon')
    expect(await field(opened).inputValue()).toBe('legal abandon ')
    expect(await help(opened)).toBe('2 words; a recovery phrase has 12, 15, 18, 21 or 24.')
    await field(opened).fill('legal quux legal')
    expect(await help(opened)).toBe('Word 2 is not used in recovery phrases. Check its spelling.')
  })

  test('accepts a pasted numbered list and clears the clipboard', async () => {
    await stage.context.grantPermissions(['clipboard-read', 'clipboard-write'])
    const opened = await openReady('clipboard-write')
    const list = phrase.split(' ').map((word, index) => `${index + 1}. ${word}`)
    await opened.page.bringToFront()
    await opened.page.evaluate((copied) => navigator.clipboard.writeText(copied), list.join('\n'))
    await field(opened).focus()
    await opened.page.keyboard.press('Control+V')
    await expect.poll(() => help(opened)).toBe('A recovery phrase of 12 words.')
    expect(text(await unseal(await extract(opened)))).toBe(phrase)
    await opened.page.locator('body').click()
    await opened.page.waitForFunction(async () => (await navigator.clipboard.readText()) === '')
  })
})

describe('settings', () => {
  const settings = (value: unknown): Message => ({ type: 'APPLY_SETTINGS', value: JSON.stringify(value) })

  test('apply styles and a passphrase, also to the next frame', async () => {
    const opened = await openReady()
    const look = { styles: { color: '#010203' }, enablePassphrase: true, passphraseStyles: { padding: '7px' } }
    expect(await ask(opened, settings(look))).toMatchObject({ type: 'SETTINGS_APPLIED', value: true })
    const next = await openReady()
    for (const each of [opened, next]) {
      const passphrase = each.inner.getByLabel('Passphrase')
      expect(await field(each).evaluate((element) => getComputedStyle(element).color)).toBe('rgb(1, 2, 3)')
      expect(await passphrase.evaluate((element) => getComputedStyle(element).padding)).toBe('7px')
      await field(each).fill(phrase)
      await passphrase.fill('Zoë')
      expect(text(await unseal(await extract(each)))).toBe(`${phrase}\n--PASS--\nZoë`)
      await expectNothingLeft(each, 'Zoë')
    }

    await ask(next, inject())
    await field(next).fill(phrase)
    await next.inner.getByLabel('Passphrase').fill('Zoë')
    await ask(next, settings({}))
    expect(text(await unseal(await extract(next)))).toBe(phrase)
  })
})

describe('what is refused', () => {
  test('refuses bundles that are not for this import', async () => {
    const opened = await open()
    const { organizationId: _organization, ...anonymous } = inject()
    const { userId: _user, ...ownerless } = inject()
    const foreign = sign(Buffer.from('{}'), vectors.apiKeyStamp.privateKey)
    for (const [message, why] of [
      [inject({ value: 'garbage' }), 'is not JSON'],
      [inject({ organizationId: 'other' }), 'organization id does not match'],
      [inject({ userId: 'other' }), 'user id does not match'],
      [anonymous, 'the organization id was expected'],
      [ownerless, 'the user id was expected'],
      [inject({ value: foreign }), 'a key this frame does not know'],
    ] as const) {
      expect(await ask(opened, message)).toMatchObject({ type: 'ERROR', value: expect.stringContaining(why) })
      expect(await field(opened).isVisible()).toBe(false)
      expect((await ask(opened, extractWallet))?.value).toContain('inject an import bundle first')
    }
  })

  test('explains an incomplete or wrong secret and keeps it', async () => {
    const opened = await openReady()
    for (const [typed, message, why] of [
      ['legal winner', extractWallet, '2 words; a recovery phrase has 12, 15, 18, 21 or 24'],
      [phrase.replace('yellow', 'zoo'), extractWallet, 'These 12 words are not a valid recovery phrase'],
      [phrase, extractKey, 'This is a recovery phrase; the app asks for a private key'],
      [vector.privateKey.opensTo, extractWallet, 'This is a private key; the app asks for a recovery phrase'],
    ] as const) {
      await field(opened).fill(typed)
      const answer = await ask(opened, message)
      expect(answer).toMatchObject({ type: 'ERROR', value: expect.stringContaining(why) })
      expect(String(answer?.value)).not.toMatch(/legal|zoo|ac0974/)
      expect(await help(opened)).toContain(why)
      expect(await field(opened).inputValue()).toBe(typed)
    }
    await field(opened).fill(phrase)
    expect(text(await unseal(await extract(opened)))).toBe(phrase)
  })
})
