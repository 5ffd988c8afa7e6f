import { connectParent } from '../connectParent.ts'
import { readAllowedOrigins } from '../readAllowedOrigins.ts'

// Opened by itself the page has nothing to do, and no one to speak with.
if (window.parent !== window) {
  document.body.classList.add('framed')
  connectParent({ handle: async () => null, announce: async () => '', allowedOrigins: readAllowedOrigins() })
}
