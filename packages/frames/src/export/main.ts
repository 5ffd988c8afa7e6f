import { connectParent } from '../connectParent.ts'
import { createEmbeddedKey, publicKeyText } from '../createEmbeddedKey.ts'
import { readAllowedOrigins } from '../readAllowedOrigins.ts'
import { createExportHandler } from './createExportHandler.ts'
import { createView } from './createView.ts'
import { readSigningKey } from './readSigningKey.ts'
import { storedStyles } from './styles.ts'

// Opened by itself the page has nothing to do, and no one to speak with.
if (window.parent !== window) {
  const embeddedKey = createEmbeddedKey('latchkey-export-frame')
  const view = createView()
  view.style(storedStyles())
  // Also when the page is only kept for the back button.
  window.addEventListener('pagehide', () => view.clear())
  document.body.classList.add('framed')
  connectParent({
    handle: createExportHandler({ embeddedKey, signingKey: readSigningKey(), view }),
    announce: async () => publicKeyText(await embeddedKey.ensure()),
    allowedOrigins: readAllowedOrigins(),
  })
}
