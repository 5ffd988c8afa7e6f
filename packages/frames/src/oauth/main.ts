import { linkParameters, oauthMessage } from 'latchkey-protocol'
import { readAllowedOrigins } from '../servedValues.ts'
import { getElement } from '../view/page.ts'
import { type Returned, readAnswer } from './readAnswer.ts'

/**
 * Starts the page to which identity providers redirect. It passes the provider's code to the app: as a message to the
 * page that opened this window, otherwise in the app's URL, like an e-mail link.
 */
function start(): void {
  const returned = window.top === window ? readAnswer(location.search, readAllowedOrigins()) : null
  // Removes the code from the URL and the history.
  history.replaceState(null, '', location.pathname)
  const opener: Window | null = window.opener
  if (!returned) show("That didn't work", 'Go back to the app and start again.')
  else if (!returned.isPopup) location.replace(toAddress(returned))
  else if (!opener) show('Almost done', 'Close this window, go back to the app and start again.')
  else {
    opener.postMessage({ type: oauthMessage, ...returned.answer }, returned.returnUrl.origin)
    window.close()
    show('Done', 'You can close this window.')
  }
}

function toAddress({ returnUrl, answer }: Returned): string {
  const url = new URL(returnUrl)
  // Appends as text, because `URLSearchParams` would re-encode the app's own parameters.
  const ours = new URLSearchParams([[linkParameters.oauth, new URLSearchParams(answer).toString()]])
  url.search = url.search === '' ? ours.toString() : `${url.search}&${ours}`
  return url.href
}

function show(title: string, text: string): void {
  getElement('title').textContent = title
  getElement('status').textContent = text
}

start()
