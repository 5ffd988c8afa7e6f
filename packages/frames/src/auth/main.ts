import { connectParent } from '../connectParent.ts'
import { readAllowedOrigins } from '../readAllowedOrigins.ts'
import { createAuthHandler } from './createAuthHandler.ts'
import { ensureEmbeddedKey, publicKeyText } from './embeddedKey.ts'

// Opened by itself the page has nothing to do, and no one to speak with.
if (window.parent !== window) {
  connectParent({
    handle: createAuthHandler(),
    announce: async () => publicKeyText(await ensureEmbeddedKey()),
    allowedOrigins: readAllowedOrigins(),
  })
}
