import { connectParent } from '../channel/connectParent.ts'
import { FrameError } from '../FrameError.ts'
import { readAllowedOrigins } from '../servedValues.ts'
import { createPaperKey } from './createPaperKey.ts'
import { createPaperKeyHandler } from './createPaperKeyHandler.ts'
import { createPaperKeyView } from './createPaperKeyView.ts'

if (window.parent !== window) {
  const view = createPaperKeyView()
  const making = createPaperKey()
  document.body.classList.add('framed')
  // Also dispatched when the page enters the back/forward cache.
  window.addEventListener('pagehide', () => {
    view.clear()
    void making.then(({ key }) => key.wipe())
  })
  // In nested frames, the user cannot know which page requests the key.
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
