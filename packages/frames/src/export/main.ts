import { connectParent } from '../channel/connectParent.ts'
import { createEmbeddedKey } from '../keys/createEmbeddedKey.ts'
import { announceKey } from '../keys/keyMessages.ts'
import { readAllowedOrigins, readSigningKey } from '../servedValues.ts'
import { storedSettings } from '../view/settings.ts'
import { createExportHandler } from './createExportHandler.ts'
import { createView } from './createView.ts'

if (window.parent !== window) {
  const embeddedKey = createEmbeddedKey('latchkey-export-frame')
  const view = createView()
  view.style(storedSettings().styles)
  document.addEventListener('visibilitychange', () => document.hidden && view.mask())
  // Also dispatched when the page enters the back/forward cache.
  window.addEventListener('pagehide', () => view.clear())
  document.body.classList.add('framed')
  connectParent({
    handle: createExportHandler({ embeddedKey, signingKey: readSigningKey(), view }),
    async announce() {
      const announcement = await announceKey(embeddedKey)
      await view.nameKey(announcement.value)
      return announcement
    },
    allowedOrigins: readAllowedOrigins(),
  })
}
