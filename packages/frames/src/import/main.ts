import { readSigningKey } from '../bundles/readSigningKey.ts'
import { connectParent } from '../channel/connectParent.ts'
import { readAllowedOrigins } from '../channel/readAllowedOrigins.ts'
import { storedSettings } from '../view/settings.ts'
import { createImportHandler } from './createImportHandler.ts'
import { createView } from './createView.ts'

// Opened by itself the page has nothing to do, and no one to speak with.
if (window.parent !== window) {
  const view = createView()
  view.apply(storedSettings())
  document.addEventListener('visibilitychange', () => document.hidden && view.mask())
  // Also when the page is only kept for the back button.
  window.addEventListener('pagehide', () => view.clear())
  document.body.classList.add('framed')
  connectParent({
    handle: createImportHandler({ signingKey: readSigningKey(), view }),
    // This frame has no key of its own: it seals to one of the custody service.
    announce: async () => ({ value: '' }),
    allowedOrigins: readAllowedOrigins(),
  })
}
