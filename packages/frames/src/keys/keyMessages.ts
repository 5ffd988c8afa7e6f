import { frameMessages } from 'latchkey-protocol'
import type { connectParent } from '../channel/connectParent.ts'
import type { Reply } from '../channel/message.ts'
import { type EmbeddedKey, publicKeyText } from './createEmbeddedKey.ts'

/** Returns a frame's announcement: its public key, and whether the key survives a reload. */
export async function announceKey(embeddedKey: EmbeddedKey): Promise<connectParent.Announcement> {
  const value = await publicKeyText(await embeddedKey.ensure())
  return embeddedKey.isKept() ? { value } : { value, storage: 'memory' }
}

/** Handles messages about the embedded key. Returns null for other messages. */
export async function handleKeyMessage(embeddedKey: EmbeddedKey, type: string): Promise<Reply | null> {
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
