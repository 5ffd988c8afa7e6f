import { connectParent } from '../channel/connectParent.ts'
import { readAllowedOrigins, readSigningKey } from '../servedValues.ts'
import { storedSettings } from '../view/settings.ts'
import { createImportHandler } from './createImportHandler.ts'
import { createView } from './createView.ts'

if (window.parent !== window) {
  const view = createView()
  view.apply(storedSettings())
  document.addEventListener('visibilitychange', () => document.hidden && view.mask())
  // Also dispatched when the page enters the back/forward cache.
  window.addEventListener('pagehide', () => view.clear())
  document.body.classList.add('framed')
  connectParent({
    handle: createImportHandler({ signingKey: readSigningKey(), view }),
    // This frame has no key. It encrypts to one of custody's keys.
    announce: async () => ({ value: '' }),
    allowedOrigins: readAllowedOrigins(),
  })
}
