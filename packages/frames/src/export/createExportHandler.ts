import { frameMessages, signingMessages, signingPagePath } from 'latchkey-protocol'
import type { Handle } from '../channel/createQueue.ts'
import { expectedId, type Message, messageText, type Reply } from '../channel/message.ts'
import { FrameError } from '../FrameError.ts'
import type { EmbeddedKey } from '../keys/createEmbeddedKey.ts'
import { handleKeyMessage } from '../keys/keyMessages.ts'
import { overrideRefusals } from '../keys/overrideRefusals.ts'
import { readSettings, storeSettings } from '../view/settings.ts'
import type { SecretKind, View } from './createView.ts'
import { openExportBundle, privateKeyText, seedPhraseText } from './openExportBundle.ts'

export declare namespace createExportHandler {
  type Parameters = {
    embeddedKey: EmbeddedKey
    signingKey: string | null
    view: Pick<View, 'show' | 'style' | 'nameKey'>
  }
  type ReturnType = Handle
}

const signs = `it is served by the page ${signingPagePath} of this origin, for projects with frameSigning: 'on'`
const refusals: Readonly<Record<string, string>> = {
  ...overrideRefusals,
  [signingMessages.signMessage]: signs,
  [signingMessages.signTransaction]: signs,
  [signingMessages.clearEmbeddedPrivateKey]: signs,
}

/** Returns a handler of the export frame's messages; null for an unknown message. */
export function createExportHandler(parameters: createExportHandler.Parameters): createExportHandler.ReturnType {
  const { embeddedKey, view } = parameters
  return async (message) => {
    switch (message.type) {
      case frameMessages.injectWalletExportBundle:
        return inject(parameters, 'wallet', message)
      case frameMessages.injectKeyExportBundle:
        return inject(parameters, 'key', message)
      case frameMessages.applySettings: {
        const settings = readSettings(messageText(message.value, 'settings'))
        view.style(settings.styles)
        storeSettings(settings)
        return { type: frameMessages.settingsApplied, value: true }
      }
      default: {
        const refusal = refusals[message.type]
        if (refusal !== undefined) throw new FrameError(`${message.type} is refused: ${refusal}`)
        const reply = await handleKeyMessage(embeddedKey, message.type)
        if (reply?.type === frameMessages.embeddedPublicKey) await view.nameKey(String(reply.value))
        return reply
      }
    }
  }
}

async function inject(
  { embeddedKey, signingKey, view }: createExportHandler.Parameters,
  kind: SecretKind,
  message: Message,
): Promise<Reply> {
  const bundle = messageText(message.value, 'an export bundle')
  const organizationId = expectedId(message, 'organizationId')
  const keyPair = await embeddedKey.read()
  if (!keyPair) throw new FrameError('the key of this frame is used up: open a new frame for another export')
  const opened = await openExportBundle({ bundle, signingKey, organizationId, embeddedKey: keyPair })
  const secret = kind === 'wallet' ? seedPhraseText(opened.secret) : privateKeyText(opened.secret, message.keyFormat)
  opened.secret.fill(0)
  // Each key serves one export, so that neither this nor another tab can decrypt the bundle again.
  await embeddedKey.delete()
  view.show(kind, secret, opened.account)
  return { type: frameMessages.bundleInjected, value: true }
}
