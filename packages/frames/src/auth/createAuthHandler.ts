import { frameMessages } from 'latchkey/wire'
import type { Answer, Handle } from '../connectParent.ts'
import { type EmbeddedKey, publicKeyText } from '../createEmbeddedKey.ts'
import { FrameError } from '../FrameError.ts'
import { messageText } from '../messageText.ts'
import { type Credential, importCredential, stampBody } from './credential.ts'
import { openBundle } from './openBundle.ts'

/** What the auth frame does for each message; null for a message it does not know. The credential stays in here. */
export function createAuthHandler(embeddedKey: EmbeddedKey): Handle {
  let credential: Credential | null = null

  const inject = async (value: unknown): Promise<Answer> => {
    const bundle = messageText(value, 'a bundle')
    const keyPair = await embeddedKey.read()
    if (!keyPair) throw new FrameError('unable to decrypt bundle using embedded key: there is none in this browser')
    credential = await importCredential(await openBundle(bundle.trim(), keyPair))
    return { type: frameMessages.bundleInjected, value: true }
  }

  return async ({ type, value }) => {
    switch (type) {
      case frameMessages.injectCredentialBundle:
      case frameMessages.injectRecoveryBundle:
        return inject(value)
      case frameMessages.stampRequest: {
        if (!credential) throw new FrameError('the credential is null: inject a bundle before stamping')
        return { type: frameMessages.stamp, value: await stampBody(credential, messageText(value, 'a body')) }
      }
      case frameMessages.getEmbeddedPublicKey: {
        const keyPair = await embeddedKey.read()
        return { type: frameMessages.embeddedPublicKey, value: keyPair ? await publicKeyText(keyPair) : '' }
      }
      case frameMessages.initEmbeddedKey:
        return { type: frameMessages.embeddedPublicKey, value: await publicKeyText(await embeddedKey.ensure()) }
      case frameMessages.resetEmbeddedKey:
        credential = null
        await embeddedKey.delete()
        return { type: frameMessages.embeddedKeyReset, value: null }
      default:
        return null
    }
  }
}
