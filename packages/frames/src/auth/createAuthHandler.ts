import { frameMessages, type LentKey, lendingMessages } from 'latchkey-protocol'
import type { Handle } from '../channel/createQueue.ts'
import { messageText, type Reply } from '../channel/message.ts'
import { FrameError } from '../FrameError.ts'
import type { EmbeddedKey } from '../keys/createEmbeddedKey.ts'
import { handleKeyMessage } from '../keys/keyMessages.ts'
import { type Credential, importCredential, stampBody } from './credential.ts'
import { openBundle } from './openBundle.ts'

/**
 * Returns a handler of the auth frame's messages; null for an unknown message. The credential stays in this closure. If
 * the browser refuses the frame's storage, the page gets the non-extractable key and can store it. Resetting the
 * embedded key does not end the credential: it can stamp until the session ends at custody or the page is closed.
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

  const lend = (): Reply => {
    if (embeddedKey.isKept()) throw new FrameError('the key is not lent: this browser keeps it for this frame')
    if (!credential) throw new FrameError('the credential is null: inject a bundle before asking for its key')
    const { publicKey, key: privateKey, verifyingKey } = credential
    const value: LentKey = { publicKey, keyPair: { privateKey, publicKey: verifyingKey } }
    return { type: lendingMessages.keyLent, value }
  }
  return async ({ type, value, channel }) => {
    switch (type) {
      case frameMessages.injectCredentialBundle:
      case frameMessages.injectRecoveryBundle:
        return inject(value)
      case frameMessages.stampRequest:
        return stamp(value)
      case lendingMessages.lendKey:
        // Sends the key only over the port. Published clients never request it, and some share their window.
        return channel === 'port' ? lend() : null
      default:
        return handleKeyMessage(embeddedKey, type)
    }
  }
}
