import type { RevealedSecret } from 'latchkey-protocol'
import { getElement, onUserClick } from '../view/page.ts'
import { copyText, toWords } from '../view/secretText.ts'
import type { Translate } from './texts/translate.ts'

export type RevealedView = {
  /** Shows a secret, but only while the tab is visible. */
  fill(kind: RevealedSecret, secret: string): void
}

const texts = {
  phrase: {
    title: 'Recovery phrase',
    text: 'Write these words down in order and keep them offline. Anyone who has them can take everything. Support will never ask for them.',
  },
  key: {
    title: 'Private key',
    text: 'Keep it where only you can read it. Anyone who has this key can take everything. Support will never ask for it.',
  },
} as const

const copiedMs = 2000

/** Returns the view of an exported secret. Calls `onSaved` once the user confirms that the secret is saved. */
export function createRevealedView(translate: Translate, onSaved: () => void): RevealedView {
  const area = getElement('secret')
  const status = getElement('copied')
  let secret: string | null = null
  // The system may take a screenshot of a hidden tab, for example for a phone's list of apps.
  const paint = () => area.replaceChildren(...(secret === null || document.hidden ? [] : toWords(secret)))
  const clear = () => {
    secret = null
    paint()
  }
  document.addEventListener('visibilitychange', paint)
  // Also dispatched when the page enters the back/forward cache.
  window.addEventListener('pagehide', clear)
  onUserClick(getElement('saved'), () => {
    clear()
    onSaved()
  })
  onUserClick(getElement('copy'), async () => {
    if (secret === null) return
    const isCopied = await copyText(secret, area)
    status.textContent = translate(isCopied ? 'Copied' : 'It is selected. Copy it by hand.')
    if (isCopied) setTimeout(() => status.replaceChildren(), copiedMs)
  })
  return {
    fill(kind, value) {
      secret = value
      getElement('secret-title').textContent = translate(texts[kind].title)
      getElement('secret-text').textContent = translate(texts[kind].text)
      area.classList.toggle('phrase', kind === 'phrase')
      paint()
    },
  }
}
