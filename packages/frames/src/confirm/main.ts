import type { Confirmation, DecideConfirmationRequest } from 'latchkey-protocol'
import { openExportBundle, privateKeyText, seedPhraseText } from '../export/openExportBundle.ts'
import { FrameError } from '../FrameError.ts'
import { makeKeyPair, publicKeyText } from '../keys/createEmbeddedKey.ts'
import { readCustodyUrl, readSigningKey } from '../servedValues.ts'
import { getElement, onUserClick } from '../view/page.ts'
import { createConfirmationApi } from './createConfirmationApi.ts'
import { createConfirmationView } from './createConfirmationView.ts'

/**
 * Starts the page that custody's e-mail links open. Opening the page only shows the request; a button click decides.
 */
function start(): void {
  const view = createConfirmationView()
  // Browsers do not send the fragment to servers. Removing it keeps the secret out of copied URLs and photos.
  const secret = location.hash.slice(1)
  history.replaceState(null, '', location.pathname)
  const api = createConfirmationApi(readCustodyUrl())
  // Key of this page, to which custody encrypts an exported secret. Reused by retries, and never stored.
  let embeddedKey: CryptoKeyPair | undefined
  let reveals: Confirmation['reveals']
  const present = async (confirmation: Confirmation) => {
    reveals = confirmation.reveals
    if (!reveals || !embeddedKey || confirmation.exportBundle === undefined) return view.show(confirmation)
    const { exportBundle: bundle, organizationId } = confirmation
    const opened = await openExportBundle({ bundle, signingKey: readSigningKey(), organizationId, embeddedKey })
    view.reveal(
      reveals,
      reveals === 'phrase' ? seedPhraseText(opened.secret) : privateKeyText(opened.secret, undefined),
    )
    opened.secret.fill(0)
  }
  const show = (request: Promise<Confirmation>) => {
    view.wait()
    request.then(present).catch(view.fail)
  }
  const toRequest = async (decision: DecideConfirmationRequest['decision']) => {
    if (!reveals || decision !== 'accept') return { secret, decision }
    embeddedKey ??= await makeKeyPair()
    return { secret, decision, targetPublicKey: await publicKeyText(embeddedKey) }
  }
  const decide = async (decision: DecideConfirmationRequest['decision']) =>
    api.decide(await toRequest(decision)).catch(async (error: unknown) => {
      // The link may have been used in another tab, or have expired. The page then shows that state.
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
