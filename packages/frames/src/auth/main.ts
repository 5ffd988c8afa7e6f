import { connectParent } from '../channel/connectParent.ts'
import { readAllowedOrigins } from '../channel/readAllowedOrigins.ts'
import { announceKey } from '../keys/announceKey.ts'
import { createEmbeddedKey } from '../keys/createEmbeddedKey.ts'
import { createAuthHandler } from './createAuthHandler.ts'

// Opened by itself the page has nothing to do, and no one to speak with.
if (window.parent !== window) {
  const embeddedKey = createEmbeddedKey('latchkey-auth-frame')
  connectParent({
    handle: createAuthHandler(embeddedKey),
    announce: () => announceKey(embeddedKey),
    allowedOrigins: readAllowedOrigins(),
  })
}
