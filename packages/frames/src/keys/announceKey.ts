import type { connectParent } from '../channel/connectParent.ts'
import { type EmbeddedKey, publicKeyText } from './createEmbeddedKey.ts'

/** What a frame with a key says when it is ready: the public half, and whether the key outlives the page. */
export async function announceKey(embeddedKey: EmbeddedKey): Promise<connectParent.Announcement> {
  const value = await publicKeyText(await embeddedKey.ensure())
  return embeddedKey.isKept() ? { value } : { value, storage: 'memory' }
}
