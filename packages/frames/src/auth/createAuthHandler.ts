import { frameMessages } from 'latchkey/wire'
import type { Handle } from '../channel/createQueue.ts'
import { messageText, type Reply } from '../channel/message.ts'
import { FrameError } from '../FrameError.ts'
import type { EmbeddedKey } from '../keys/createEmbeddedKey.ts'
import { handleKeyMessage } from '../keys/keyMessages.ts'
import { type Credential, importCredential, stampBody } from './credential.ts'
import { openBundle } from './openBundle.ts'

/**
 * Handles each message of the auth frame; null for an unknown one. The credential never leaves this closure. It goes on
 * stamping when the embedded key is reset, as in the documented frame: the session ends at custody, or with the page.
 */
export function createAuthHandler(embeddedKey: EmbeddedKey): Handle {
  let credential: Credential | null = null

  const inject = async (value: unknown): Promise<Reply> => {
    const bundle = messageText(value, 'a bundle')
    const keyPair = await embeddedKey.read()
    if (!keyPair) throw new FrameError('unable to decrypt bundle using embedded key: it is no longer in this browser')
    credential = await importCredential(await openBundle(bundle.trim(), keyPair))
    return { type: frameMessages.bundleInjected, value: true }
  }
  const stamp = async (value: unknown): Promise<Reply> => {
    if (!credential) throw new FrameError('the credential is null: inject a bundle before stamping')
    return { type: frameMessages.stamp, value: await stampBody(credential, messageText(value, 'a body')) }
  }

  return async ({ type, value }) => {
    switch (type) {
      case frameMessages.injectCredentialBundle:
      case frameMessages.injectRecoveryBundle:
        return inject(value)
      case frameMessages.stampRequest:
        return stamp(value)
      default:
        return handleKeyMessage(embeddedKey, type)
    }
  }
}
