import { findViolations } from '@latchkey/testkit/react/findViolations'
import { openInParent, received, send, startParent } from '@latchkey/testkit/signer/frameHarness'
import type { Listening } from '@latchkey/testkit/signer/listen'
import { sealExport } from '@latchkey/testkit/signer/sealExport'
import { startFrame } from '@latchkey/testkit/signer/startFrame'
import { vectors } from '@latchkey/testkit/signer/vectors'
import { test } from '@latchkey/testkit/worker'
import type { Frame, Page } from 'playwright-core'
import { afterAll, beforeAll, expect } from 'vitest'
import { pressSeen } from '../../dev/src/testing/pressSeen.ts'

const { signingKey, organizationId } = vectors.exportBundle
const phrase = 'legal winner thank year wave sausage worth useful legal winner thank yellow'

let parent: Listening
let frames: Record<'auth' | 'export' | 'export-and-sign' | 'import', Listening>
beforeAll(async () => {
  parent = await startParent()
  const start = (page: 'auth' | 'export' | 'export-and-sign' | 'import') =>
    startFrame(() => parent.url, undefined, { page, bundleSigningKey: () => signingKey.publicKey })
  frames = {
    auth: await start('auth'),
    export: await start('export'),
    'export-and-sign': await start('export-and-sign'),
    import: await start('import'),
  }
})
afterAll(async () => {
  await Promise.all([parent, ...Object.values(frames ?? {})].map((server) => server?.close()))
})

async function open(page: Page): Promise<Frame> {
  const inner = page.frames()[1]
  if (!inner) throw new TypeError('no frame')
  await page.evaluate(() => {
    window.harness.frame.width = '100%'
    window.harness.frame.height = '420'
  })
  return inner
}
/** Expects no axe violations and no horizontal overflow in light, dark and forced colors. */
async function expectClean(inner: Frame, what: string): Promise<void> {
  const page = inner.page()
  const light = await findViolations(inner)
  await page.emulateMedia({ colorScheme: 'dark' })
  const dark = await findViolations(inner, ['color-contrast'])
  // With forced colors, no information may depend on color.
  await page.emulateMedia({ colorScheme: 'light', forcedColors: 'active' })
  const forced = await findViolations(inner, ['color-contrast'])
  await page.emulateMedia({ forcedColors: 'none' })
  const overflow = await inner.evaluate(() => document.documentElement.scrollWidth - window.innerWidth)
  expect({ what, light, dark, forced, overflow }).toEqual({ what, light: [], dark: [], forced: [], overflow: 0 })
}

test('shows every frame at 360 px without violations in light, dark and forced colors', async ({ browser }) => {
  const context = await browser.newContext({ viewport: { width: 360, height: 500 } })
  for (const [name, { url }] of Object.entries(frames)) {
    const alone = await context.newPage()
    await alone.goto(url)
    await expectClean(alone.mainFrame(), `${name} alone`)
  }

  const exporting = await openInParent(context, { url: frames.export.url, parent: parent.url, channel: true })
  const [ready] = await received(exporting, 'port', 1)
  const shown = await open(exporting)
  await expectClean(shown, 'export, waiting')
  const value = await sealExport({
    targetPublicKey: String(ready?.value),
    organizationId,
    secret: new TextEncoder().encode(phrase),
    signingKey: signingKey.privateKey,
  })
  await send(exporting, [{ type: 'INJECT_WALLET_EXPORT_BUNDLE', value, organizationId, requestId: '1' }])
  await received(exporting, 'port', 2)
  await expectClean(shown, 'export, asked')
  await pressSeen(shown.locator('#go-on'))
  await expectClean(shown, 'export, masked')
  await pressSeen(shown.locator('#reveal'))
  await expectClean(shown, 'export, revealed')

  const importing = await openInParent(context, { url: frames.import.url, parent: parent.url, channel: true })
  const { bundle, userId } = vectors.importBundles
  await send(importing, [
    { type: 'APPLY_SETTINGS', value: '{"enablePassphrase":true}', requestId: '1' },
    { type: 'INJECT_IMPORT_BUNDLE', value: bundle, organizationId, userId, requestId: '2' },
  ])
  await received(importing, 'port', 3)
  const asking = await open(importing)
  await expectClean(asking, 'import, empty')
  await asking.locator('#secret').fill('legal winnr wi')
  await expectClean(asking, 'import, wrong')
  await asking.locator('#show').click()
  await asking.locator('#secret').fill('legal wi')
  await expectClean(asking, 'import, helped')
  await asking.locator('#secret').fill(phrase)
  await expectClean(asking, 'import, whole')
  await send(importing, [{ type: 'EXTRACT_WALLET_ENCRYPTED_BUNDLE', requestId: '3' }])
  await asking.locator('#agree').waitFor()
  await expectClean(asking, 'import, asked')
  await pressSeen(asking.locator('#go-on'))
  await received(importing, 'port', 4)
  await expectClean(asking, 'import, done')

  const signing = await openInParent(context, {
    url: frames['export-and-sign'].url,
    parent: parent.url,
    channel: true,
  })
  const [announced] = await received(signing, 'port', 1)
  const asked = await open(signing)
  await expectClean(asked, 'signing, waiting')
  const keyBundle = await sealExport({
    targetPublicKey: String(announced?.value),
    organizationId,
    secret: new Uint8Array(32).fill(12),
    signingKey: signingKey.privateKey,
  })
  await send(signing, [{ type: 'INJECT_KEY_EXPORT_BUNDLE', value: keyBundle, organizationId, requestId: '1' }])
  await received(signing, 'port', 2)
  await expectClean(asked, 'signing, ready')
  const text = JSON.stringify({ message: 'a long line without a space '.repeat(60), type: 'ETHEREUM' })
  await send(signing, [{ type: 'SIGN_MESSAGE', value: text, requestId: '2' }])
  await asked.locator('#request').waitFor()
  await expectClean(asked, 'signing, asked')
  await send(signing, [{ type: 'CLEAR_EMBEDDED_PRIVATE_KEY', requestId: '3' }])
  await received(signing, 'port', 4)
  await expectClean(asked, 'signing, cleared')
  await context.close()
})
