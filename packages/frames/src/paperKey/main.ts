import { connectParent } from '../channel/connectParent.ts'
import { FrameError } from '../FrameError.ts'
import { readAllowedOrigins } from '../servedValues.ts'
import { createPaperKey } from './createPaperKey.ts'
import { createPaperKeyHandler } from './createPaperKeyHandler.ts'
import { createPaperKeyView } from './createPaperKeyView.ts'

// Does nothing unless embedded in a page.
if (window.parent !== window) {
  const view = createPaperKeyView()
  const making = createPaperKey()
  document.body.classList.add('framed')
  // Also runs when the page enters the back/forward cache.
  window.addEventListener('pagehide', () => {
    view.clear()
    void making.then(({ key }) => key.wipe())
  })
  // In nested frames, the user cannot tell which page is asking.
  const isNested = window.parent !== window.top
  const handling = making.then((paperKey) => createPaperKeyHandler(paperKey, view))
  connectParent({
    async handle(message) {
      if (isNested) throw new FrameError('a paper key is made only directly within the page that a person sees')
      return (await handling)(message)
    },
    announce: async () => ({ value: (await making).key.address }),
    allowedOrigins: readAllowedOrigins(),
  })
}
