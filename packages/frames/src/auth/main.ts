import { connectParent } from '../connectParent.ts'
import { createEmbeddedKey, publicKeyText } from '../createEmbeddedKey.ts'
import { readAllowedOrigins } from '../readAllowedOrigins.ts'
import { createAuthHandler } from './createAuthHandler.ts'

// Opened by itself the page has nothing to do, and no one to speak with.
if (window.parent !== window) {
  const embeddedKey = createEmbeddedKey('latchkey-auth-frame')
  connectParent({
    handle: createAuthHandler(embeddedKey),
    announce: async () => publicKeyText(await embeddedKey.ensure()),
    allowedOrigins: readAllowedOrigins(),
  })
}
