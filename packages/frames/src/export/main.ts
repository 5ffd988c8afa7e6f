import { readSigningKey } from '../bundles/readSigningKey.ts'
import { connectParent } from '../channel/connectParent.ts'
import { readAllowedOrigins } from '../channel/readAllowedOrigins.ts'
import { announceKey } from '../keys/announceKey.ts'
import { createEmbeddedKey } from '../keys/createEmbeddedKey.ts'
import { storedSettings } from '../view/settings.ts'
import { createExportHandler } from './createExportHandler.ts'
import { createView } from './createView.ts'

// Opened by itself the page has nothing to do, and no one to speak with.
if (window.parent !== window) {
  const embeddedKey = createEmbeddedKey('latchkey-export-frame')
  const view = createView()
  view.style(storedSettings().styles)
  document.addEventListener('visibilitychange', () => document.hidden && view.mask())
  // Also when the page is only kept for the back button.
  window.addEventListener('pagehide', () => view.clear())
  document.body.classList.add('framed')
  connectParent({
    handle: createExportHandler({ embeddedKey, signingKey: readSigningKey(), view }),
    announce: () => announceKey(embeddedKey),
    allowedOrigins: readAllowedOrigins(),
  })
}
