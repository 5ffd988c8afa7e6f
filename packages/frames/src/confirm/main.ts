import type { Confirmation, DecideConfirmationRequest } from 'latchkey-protocol'
import { FrameError } from '../FrameError.ts'
import { readCustodyUrl } from '../servedValues.ts'
import { getElement, onUserClick } from '../view/page.ts'
import { createConfirmationApi } from './createConfirmationApi.ts'
import { createConfirmationView } from './createConfirmationView.ts'

/** Starts the page of custody's mail links. It shows the request; only a button click decides. */
function start(): void {
  const view = createConfirmationView()
  // Browsers do not send the fragment; removing it from the address bar prevents sharing or photographing it.
  const secret = location.hash.slice(1)
  history.replaceState(null, '', location.pathname)
  const api = createConfirmationApi(readCustodyUrl())
  const show = (request: Promise<Confirmation>) => {
    view.wait()
    request.then(view.show, view.fail)
  }
  const decide = (decision: DecideConfirmationRequest['decision']) =>
    api.decide({ secret, decision }).catch(async (error: unknown) => {
      // The link was decided in another tab or has expired, which the page shows.
      const confirmation = await api.read({ secret }).catch(() => undefined)
      if (confirmation === undefined || confirmation.state === 'open') throw error
      return confirmation
    })
  onUserClick(getElement('accept'), () => show(decide('accept')))
  onUserClick(getElement('refuse'), () => show(decide('refuse')))
  onUserClick(getElement('end-sessions'), () => {
    view.wait()
    api.decide({ secret, decision: 'end-sessions' }).then(view.showEnded, view.fail)
  })
  if (window.top !== window) view.fail(new FrameError('Open this page in its own tab.'))
  else if (!secret) view.fail(new FrameError('This link is incomplete. Open it again from the email.'))
  else show(api.read({ secret }))
}

start()
