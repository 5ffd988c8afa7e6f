import type { BrowserContext, Frame, Page } from 'playwright-core'
import { pressSeen } from '../../../dev/src/testing/pressSeen.ts'
import { type Message, openInParent, received, send } from '../signer/frameHarness.ts'
import type { Listening } from '../signer/listen.ts'
import { vectors } from '../signer/vectors.ts'

export type OpenedFrame = { page: Page; inner: Frame }

/** Opens the import frame and waits until it has announced itself over the port. */
export async function openImportFrame(
  context: BrowserContext,
  { frame, parent, allow = '' }: { frame: Listening; parent: Listening; allow?: string },
): Promise<OpenedFrame> {
  const page = await openInParent(context, { url: frame.url, parent: parent.url, channel: true, allow })
  await received(page, 'port', 1)
  const inner = page.frames()[1]
  if (!inner) throw new TypeError('no frame')
  return { page, inner }
}

export async function ask({ page }: OpenedFrame, message: Message): Promise<Message | undefined> {
  const requestId = crypto.randomUUID()
  await send(page, [{ ...message, requestId }])
  await page.waitForFunction((id) => window.harness.port.some((reply) => reply.requestId === id), requestId)
  return page.evaluate((id) => window.harness.port.find((reply) => reply.requestId === id), requestId)
}

export const inject = (changes: Partial<Message> = {}): Message => ({
  type: 'INJECT_IMPORT_BUNDLE',
  value: vectors.importBundles.bundle,
  organizationId: vectors.exportBundle.organizationId,
  userId: vectors.importBundles.userId,
  ...changes,
})
export const extractWallet: Message = { type: 'EXTRACT_WALLET_ENCRYPTED_BUNDLE' }
export const extractKey: Message = { type: 'EXTRACT_KEY_ENCRYPTED_BUNDLE' }
export const field = ({ inner }: OpenedFrame) => inner.getByLabel('Recovery phrase or private key')
export const press = ({ inner }: OpenedFrame, name: string) => pressSeen(inner.getByRole('button', { name }))

export async function extract(opened: OpenedFrame, message = extractWallet): Promise<Message | undefined> {
  const reply = ask(opened, message)
  await press(opened, 'Import')
  return reply
}

/** Returns all text of page and frame that could contain the typed secret. */
export async function readPlaces({ page, inner }: OpenedFrame): Promise<string[]> {
  const messages = await page.evaluate(() => JSON.stringify([window.harness.port, window.harness.window]))
  const stored = await inner.evaluate(() => JSON.stringify([{ ...localStorage }, { ...sessionStorage }, location.href]))
  const shown = await inner.evaluate(() => [
    document.documentElement.outerHTML,
    ...[...document.querySelectorAll<HTMLInputElement>('input, textarea')].map(({ value }) => value),
  ])
  return [messages, stored, ...shown]
}
