import { frameMessages } from 'latchkey/wire'
import { FrameError } from '../FrameError.ts'
import { type Credential, importCredential, stampBody } from './credential.ts'
import { deleteEmbeddedKey, ensureEmbeddedKey, publicKeyText, readEmbeddedKey } from './embeddedKey.ts'
import { openBundle } from './openBundle.ts'

export type Answer = { type: string; value: unknown }
export type AuthHandler = (type: string, value: unknown) => Promise<Answer | null>

/** What the auth frame does for each message; null for a message it does not know. The credential stays in here. */
export function createAuthHandler(): AuthHandler {
  let credential: Credential | null = null

  const inject = async (value: unknown): Promise<Answer> => {
    const bundle = text(value, 'a bundle')
    const keyPair = await readEmbeddedKey()
    if (!keyPair) throw new FrameError('unable to decrypt bundle using embedded key: there is none in this browser')
    credential = await importCredential(await openBundle(bundle.trim(), keyPair))
    return { type: frameMessages.bundleInjected, value: true }
  }

  return async (type, value) => {
    switch (type) {
      case frameMessages.injectCredentialBundle:
      case frameMessages.injectRecoveryBundle:
        return inject(value)
      case frameMessages.stampRequest: {
        if (!credential) throw new FrameError('the credential is null: inject a bundle before stamping')
        return { type: frameMessages.stamp, value: await stampBody(credential, text(value, 'a body')) }
      }
      case frameMessages.getEmbeddedPublicKey: {
        const keyPair = await readEmbeddedKey()
        return { type: frameMessages.embeddedPublicKey, value: keyPair ? await publicKeyText(keyPair) : '' }
      }
      case frameMessages.initEmbeddedKey:
        return { type: frameMessages.embeddedPublicKey, value: await publicKeyText(await ensureEmbeddedKey()) }
      case frameMessages.resetEmbeddedKey:
        credential = null
        await deleteEmbeddedKey()
        return { type: frameMessages.embeddedKeyReset, value: null }
      default:
        return null
    }
  }
}

function text(value: unknown, what: string): string {
  if (typeof value !== 'string' || value === '') throw new FrameError(`the message holds no text: ${what} was expected`)
  return value
}
