import type { Confirmation, DecideConfirmationRequest } from 'latchkey-protocol'
import { sealSecret } from '../bundles/hpke.ts'
import { openExportBundle, privateKeyText, seedPhraseText } from '../export/openExportBundle.ts'
import { FrameError } from '../FrameError.ts'
import { createSecretField, type SecretField } from '../import/createSecretField.ts'
import { openImportBundle } from '../import/openImportBundle.ts'
import { toPlaintext } from '../import/secretInput.ts'
import { makeKeyPair, publicKeyText } from '../keys/createEmbeddedKey.ts'
import { readCustodyUrl, readGatewayUrl, readSigningKey } from '../servedValues.ts'
import { getElement, onUserClick } from '../view/page.ts'
import { createConfirmationApi } from './createConfirmationApi.ts'
import { createConfirmationView } from './createConfirmationView.ts'
import { predict } from './predict.ts'
import { createTranslate, findLanguage, type Translate } from './texts/translate.ts'

/**
 * Starts the page that custody's e-mail links open. Opening the page only shows the request; a button click decides.
 */
function start(): void {
  const translate = translatePage()
  const view = createConfirmationView(translate)
  // Browsers do not send the fragment to servers. Removing it keeps the secret out of copied URLs and photos.
  const secret = location.hash.slice(1)
  history.replaceState(null, '', location.pathname)
  const api = createConfirmationApi(readCustodyUrl())
  // Key of this page, to which custody encrypts an exported secret. Reused by retries, and never stored.
  let embeddedKey: CryptoKeyPair | undefined
  let asked: Confirmation | undefined
  const field = createSecretField({ field: getElement<HTMLTextAreaElement>('typed'), translate })
  const present = async (confirmation: Confirmation) => {
    const { reveals } = confirmation
    asked = confirmation
    field.clear()
    if (!reveals || !embeddedKey || confirmation.exportBundle === undefined) return view.show(confirmation)
    const { exportBundle: bundle, organizationId } = confirmation
    const opened = await openExportBundle({ bundle, signingKey: readSigningKey(), organizationId, embeddedKey })
    view.reveal(
      reveals,
      reveals === 'phrase' ? seedPhraseText(opened.secret) : privateKeyText(opened.secret, undefined),
    )
    opened.secret.fill(0)
  }
  const showPrediction = async ({ predictable }: Confirmation) => {
    const gatewayUrl = readGatewayUrl()
    if (!predictable || !gatewayUrl) return
    view.prediction.wait()
    view.prediction.show(await predict(gatewayUrl, predictable))
  }
  const show = (request: Promise<Confirmation>) => {
    view.wait()
    request.then(present).catch(view.fail)
  }
  const toRequest = async (decision: DecideConfirmationRequest['decision']) => {
    if (asked?.takes && decision === 'accept') return { secret, decision, encryptedBundle: await seal(field, asked) }
    if (!asked?.reveals || decision !== 'accept') return { secret, decision }
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
  // The system may take a screenshot of a hidden tab, for example for a phone's list of apps.
  document.addEventListener('visibilitychange', () => document.hidden && field.mask())
  // Also dispatched when the page enters the back/forward cache.
  window.addEventListener('pagehide', field.clear)
  if (window.top !== window) view.fail(new FrameError('Open this page in its own tab.'))
  else if (!secret) view.fail(new FrameError('This link is incomplete. Open it again from the email.'))
  else {
    const read = api.read({ secret })
    show(read)
    read.then(showPrediction).catch(() => undefined)
  }
}

/** Shows the page in the language that its link names, or else in the browser's. */
function translatePage(): Translate {
  const named = new URLSearchParams(location.search).getAll('lang')
  const language = findLanguage([...named, ...navigator.languages])
  const translate = createTranslate(language)
  document.documentElement.lang = language
  document.title = translate('Confirm')
  for (const element of document.querySelectorAll('[data-text]'))
    element.textContent = translate(element.textContent ?? '')
  return translate
}

/** Seals the entered secret to custody's key, which is in a bundle that custody signed. */
async function seal(field: SecretField, { takes = 'phrase', importBundle = '', organizationId }: Confirmation) {
  const signingKey = readSigningKey()
  const { target } = await openImportBundle({ bundle: importBundle, signingKey, organizationId, userId: undefined })
  const secret = toPlaintext({ typed: field.read(), passphrase: '' }, takes, undefined)
  const sealed = await sealSecret(secret, target)
  secret.fill(0)
  return sealed
}

start()
