import { connectParent } from '../channel/connectParent.ts'
import { createEmbeddedKey } from '../keys/createEmbeddedKey.ts'
import { announceKey } from '../keys/keyMessages.ts'
import { readAllowedOrigins } from '../servedValues.ts'
import { createAuthHandler } from './createAuthHandler.ts'

if (window.parent !== window) {
  const embeddedKey = createEmbeddedKey('latchkey-auth-frame')
  connectParent({
    handle: createAuthHandler(embeddedKey),
    announce: () => announceKey(embeddedKey),
    allowedOrigins: readAllowedOrigins(),
  })
}
