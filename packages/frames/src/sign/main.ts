import { connectParent } from '../channel/connectParent.ts'
import { FrameError } from '../FrameError.ts'
import { createEmbeddedKey } from '../keys/createEmbeddedKey.ts'
import { announceKey } from '../keys/keyMessages.ts'
import { readAllowedOrigins, readSigningKey } from '../servedValues.ts'
import { createSignHandler } from './createSignHandler.ts'
import { createView } from './createView.ts'

if (window.parent !== window) {
  const embeddedKey = createEmbeddedKey('latchkey-sign-frame')
  const { handle, clear } = createSignHandler({ embeddedKey, signingKey: readSigningKey(), view: createView() })
  // Also dispatched when the page enters the back/forward cache.
  window.addEventListener('pagehide', clear)
  document.body.classList.add('framed')
  // In nested frames, the user cannot know which page requests the signature.
  const isNested = window.parent !== window.top
  const refuse = async (): Promise<never> => {
    throw new FrameError('this page signs only directly within the page that a person sees, not in a frame of a frame')
  }
  connectParent({
    handle: isNested ? refuse : handle,
    announce: isNested ? refuse : () => announceKey(embeddedKey),
    allowedOrigins: readAllowedOrigins(),
  })
}
