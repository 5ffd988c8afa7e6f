import { frameMessages } from 'latchkey/wire'
import type { Handle, Message } from '../connectParent.ts'
import type { EmbeddedKey } from '../createEmbeddedKey.ts'
import { FrameError } from '../FrameError.ts'
import { messageText } from '../messageText.ts'
import type { SecretKind, View } from './createView.ts'
import { openExportBundle } from './openExportBundle.ts'
import { privateKeyText, seedPhraseText } from './secretText.ts'
import { readStyles, storeStyles } from './styles.ts'

export declare namespace createExportHandler {
  type Parameters = {
    embeddedKey: EmbeddedKey
    signingKey: string | null
    view: Pick<View, 'show' | 'style'>
  }
  type ReturnType = Handle
}

/** What the export frame does for each message; null for a message it does not know. */
export function createExportHandler(parameters: createExportHandler.Parameters): createExportHandler.ReturnType {
  const { embeddedKey, signingKey, view } = parameters

  const inject = async (kind: SecretKind, message: Message) => {
    const bundle = messageText(message.value, 'an export bundle')
    const organizationId = expectedOrganization(message)
    const keyPair = await embeddedKey.read()
    if (!keyPair) throw new FrameError('the key of this frame is used up: open a new frame for another export')
    const opened = await openExportBundle({ bundle, signingKey, organizationId, embeddedKey: keyPair })
    const secret = kind === 'wallet' ? seedPhraseText(opened) : privateKeyText(opened, message.keyFormat)
    opened.fill(0)
    // One key, one export: what was sealed to it opens no more, here or in another tab.
    await embeddedKey.delete()
    view.show(kind, secret)
    return { type: frameMessages.bundleInjected, value: true }
  }

  return async (message) => {
    switch (message.type) {
      case frameMessages.injectWalletExportBundle:
        return inject('wallet', message)
      case frameMessages.injectKeyExportBundle:
        return inject('key', message)
      case frameMessages.applySettings: {
        const styles = readStyles(messageText(message.value, 'settings'))
        view.style(styles)
        storeStyles(styles)
        return { type: frameMessages.settingsApplied, value: true }
      }
      case frameMessages.resetEmbeddedKey:
        await embeddedKey.delete()
        return { type: frameMessages.embeddedKeyReset, value: null }
      default:
        return null
    }
  }
}

/**
 * A page that hands over a port can always tell whose secret it asked for, so it must. One that does not is of a time
 * when it could not: there the signed organization is taken as it is.
 */
function expectedOrganization({ organizationId, channel }: Message): string | undefined {
  if (organizationId === undefined && channel === 'window') {
    console.warn('This page does not say whose key it exports: upgrade its client to have that checked.')
    return undefined
  }
  return messageText(organizationId, 'the organization id of the export')
}
