import { copyText } from '../view/copyText.ts'
import { elementOf } from '../view/elementOf.ts'
import { onPersonClick } from '../view/onPersonClick.ts'

export type SecretBox = {
  /** Takes a secret, masked. It enters the document only while the person wants to see it. */
  fill(secret: string): void
  mask(): void
  /** Forgets the secret. */
  clear(): void
}

const mask = '•••• •••• •••• •••• •••• ••••'
const doneMs = 2000

/** The box of the export page that shows, hides and copies a secret. */
export function createSecretBox(): SecretBox {
  const [area, reveal, copy] = [elementOf('secret'), elementOf('reveal'), elementOf('copy')]
  const tell = createStatus()
  let secret: string | null = null
  let isShown = false

  const paint = (show: boolean) => {
    isShown = show && secret !== null
    area.replaceChildren(...(isShown && secret !== null ? wordsOf(secret) : [mask]))
    area.classList.toggle('masked', !isShown)
    area.ariaHidden = isShown ? null : 'true'
    reveal.textContent = isShown ? 'Hide' : 'Reveal'
    reveal.ariaExpanded = String(isShown)
    copy.hidden = !isShown
    tell('')
  }
  onPersonClick(reveal, () => paint(!isShown))
  onPersonClick(copy, async () => {
    if (secret === null || !isShown) return
    if (await copyText(secret, area)) tell('Copied', doneMs)
    else tell('It is selected: copy it by hand')
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

/** Each word of a phrase for itself, with the spaces between them; a key as it is. */
function wordsOf(secret: string): (Node | string)[] {
  if (!secret.includes(' ')) return [secret]
  return secret.split(/( )/).map((part) => {
    if (part === ' ') return part
    const word = document.createElement('span')
    word.textContent = part
    return word
  })
}

/** A word beside the buttons; it goes by itself after `lifeMs`, if given. */
function createStatus(): (text: string, lifeMs?: number) => void {
  const status = elementOf('status')
  let timer: ReturnType<typeof setTimeout> | undefined
  return function tell(text, lifeMs) {
    clearTimeout(timer)
    status.textContent = text
    if (lifeMs !== undefined) timer = setTimeout(tell, lifeMs, '')
  }
}
