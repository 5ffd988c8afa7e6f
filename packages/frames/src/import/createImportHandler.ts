import { frameMessages } from 'latchkey-protocol'
import { sealSecret } from '../bundles/hpke.ts'
import type { Handle, Later } from '../channel/createQueue.ts'
import { expectedId, type Message, messageText, type Reply } from '../channel/message.ts'
import { FrameError } from '../FrameError.ts'
import { readSettings, storeSettings } from '../view/settings.ts'
import type { View } from './createView.ts'
import { openImportBundle } from './openImportBundle.ts'
import { toPlaintext } from './secretInput.ts'

export declare namespace createImportHandler {
  type Parameters = {
    signingKey: string | null
    view: Pick<View, 'ask' | 'given' | 'confirm' | 'refuse' | 'finish' | 'apply'>
  }
  type ReturnType = Handle
}

/** Returns a handler of the import frame's messages; null for an unknown message. */
export function createImportHandler({
  signingKey,
  view,
}: createImportHandler.Parameters): createImportHandler.ReturnType {
  /**
   * Custody's key for the current import. Custody decrypts one bundle with this key, so the frame encrypts only one.
   */
  let target: Uint8Array | null = null

  const inject = async (message: Message): Promise<Reply> => {
    const opened = await openImportBundle({
      bundle: messageText(message.value, 'an import bundle'),
      signingKey,
      organizationId: expectedId(message, 'organizationId'),
      userId: expectedId(message, 'userId'),
    })
    target = opened.target
    view.ask(opened.account)
    return { type: frameMessages.bundleInjected, value: true }
  }
  const extract = async (kind: 'phrase' | 'key', keyFormat: unknown): Promise<Later> => {
    if (!target) throw new FrameError('there is no import to extract: inject an import bundle first')
    // Rejects incomplete input before asking the user.
    read(kind, keyFormat).fill(0)
    return { later: handOver(target, kind, keyFormat) }
  }
  /**
   * Asks the user before the secret leaves the frame: a page could inject a bundle of another account, which only the
   * user can notice.
   */
  const handOver = async (agreed: Uint8Array, kind: 'phrase' | 'key', keyFormat: unknown): Promise<Reply> => {
    await view.confirm()
    const secret = read(kind, keyFormat)
    target = null
    view.finish()
    return { type: frameMessages.encryptedBundleExtracted, value: await sealSecret(secret, agreed) }
  }
  const read = (kind: 'phrase' | 'key', keyFormat: unknown): Uint8Array => {
    try {
      return toPlaintext(view.given(), kind, keyFormat)
    } catch (error) {
      if (error instanceof FrameError) view.refuse(error.message)
      throw error
    }
  }

  return async (message) => {
    switch (message.type) {
      case frameMessages.injectImportBundle:
        return inject(message)
      case frameMessages.extractWalletEncryptedBundle:
        return extract('phrase', undefined)
      case frameMessages.extractKeyEncryptedBundle:
        return extract('key', message.keyFormat)
      case frameMessages.applySettings: {
        const settings = readSettings(messageText(message.value, 'settings'))
        view.apply(settings)
        storeSettings(settings)
        return { type: frameMessages.settingsApplied, value: true }
      }
      default:
        return null
    }
  }
}
