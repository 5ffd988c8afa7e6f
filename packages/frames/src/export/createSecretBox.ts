import { getElement, onSeenClick } from '../view/page.ts'
import { copyText, toWords } from '../view/secretText.ts'

export type SecretBox = {
  /** Sets a secret, masked. The document contains the secret only while it is revealed. */
  fill(secret: string): void
  mask(): void
  clear(): void
}

const mask = '•••• •••• •••• •••• •••• ••••'
const doneMs = 2000

/** Creates the element in which users show, hide and copy a secret. */
export function createSecretBox(): SecretBox {
  const [area, reveal, copy] = [getElement('secret'), getElement('reveal'), getElement('copy')]
  const setStatus = createStatus()
  let secret: string | null = null
  let isShown = false

  const paint = (show: boolean) => {
    isShown = show && secret !== null
    area.replaceChildren(...(isShown && secret !== null ? toWords(secret) : [mask]))
    area.classList.toggle('masked', !isShown)
    area.ariaHidden = isShown ? null : 'true'
    reveal.textContent = isShown ? 'Hide' : 'Reveal'
    reveal.ariaExpanded = String(isShown)
    copy.hidden = !isShown
    setStatus('')
  }
  const seen = { area: getElement('secret-actions'), status: getElement('status') }
  onSeenClick(reveal, seen, () => paint(!isShown))
  onSeenClick(copy, seen, async () => {
    if (secret === null || !isShown) return
    if (await copyText(secret, area)) setStatus('Copied', doneMs)
    else setStatus('It is selected. Copy it by hand.')
  })
  return {
    fill(value) {
      secret = value
      paint(false)
    },
    mask: () => paint(false),
    clear() {
      secret = null
      paint(false)
    },
  }
}

/** Returns a function that shows a text next to the buttons. With `lifeMs`, the text disappears after that time. */
function createStatus(): (text: string, lifeMs?: number) => void {
  const status = getElement('status')
  let timer: ReturnType<typeof setTimeout> | undefined
  return function setStatus(text, lifeMs) {
    clearTimeout(timer)
    status.textContent = text
    if (lifeMs !== undefined) timer = setTimeout(setStatus, lifeMs, '')
  }
}
