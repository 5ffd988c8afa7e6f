import { frameMessages } from 'latchkey/wire'
import type { Answer } from '../channel/createQueue.ts'
import { type EmbeddedKey, publicKeyText } from './createEmbeddedKey.ts'

/** Does what a page may ask of the embedded key itself; null for any other message. */
export async function handleKeyMessage(embeddedKey: EmbeddedKey, type: string): Promise<Answer | null> {
  switch (type) {
    case frameMessages.getEmbeddedPublicKey: {
      const keyPair = await embeddedKey.read()
      return { type: frameMessages.embeddedPublicKey, value: keyPair ? await publicKeyText(keyPair) : '' }
    }
    case frameMessages.initEmbeddedKey:
      return { type: frameMessages.embeddedPublicKey, value: await publicKeyText(await embeddedKey.ensure()) }
    case frameMessages.resetEmbeddedKey:
      await embeddedKey.delete()
      return { type: frameMessages.embeddedKeyReset, value: null }
    default:
      return null
  }
}
