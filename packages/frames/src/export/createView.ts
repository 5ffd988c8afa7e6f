import { FrameError } from '../FrameError.ts'
import type { Styles } from './styles.ts'

export type SecretKind = 'wallet' | 'key'

export type View = {
  /** Replaces all else on the page. The secret enters the document only while the person wants to see it. */
  show(kind: SecretKind, secret: string): void
  style(styles: Styles): void
  /** Forgets the secret. */
  clear(): void
}

const texts = {
  wallet: {
    label: 'Seed phrase',
    warning: 'Anyone with these words can take everything in this wallet. Write them down and keep them offline.',
  },
  key: {
    label: 'Private key',
    warning: 'Anyone with this key can take everything in this wallet. Keep it where only you can read it.',
  },
} as const
const mask = '•••• •••• •••• •••• •••• ••••'
const doneMs = 2000

/** The page of the export frame. */
export function createView(): View {
  const at = (id: string) => elementOf(id)
  const [card, area, reveal, copy, status] = [at('card'), at('secret'), at('reveal'), at('copy'), at('status')]
  let secret: string | null = null
  let timer: ReturnType<typeof setTimeout> | undefined

  const tell = (text: string) => {
    clearTimeout(timer)
    status.textContent = text
    if (text !== '') timer = setTimeout(tell, doneMs, '')
  }
  const paint = (isShown: boolean) => {
    area.textContent = isShown ? secret : mask
    area.classList.toggle('masked', !isShown)
    if (isShown) area.removeAttribute('aria-hidden')
    else area.setAttribute('aria-hidden', 'true')
    reveal.textContent = isShown ? 'Hide' : 'Reveal'
    reveal.setAttribute('aria-expanded', String(isShown))
    copy.hidden = !isShown
    tell('')
  }
  reveal.addEventListener('click', (event) => {
    // Only a person opens it: a script of this origin would have to come from this page.
    if (event.isTrusted && secret !== null) paint(copy.hidden === true)
  })
  copy.addEventListener('click', async () => {
    if (secret === null || copy.hidden) return
    tell((await copyText(secret, area)) ? 'Copied' : 'Select the text and copy it by hand')
  })

  return {
    show(kind, value) {
      secret = value
      at('waiting').hidden = true
      at('label').textContent = texts[kind].label
      at('warning').textContent = texts[kind].warning
      paint(false)
      card.hidden = false
    },
    style(styles) {
      for (const [name, value] of Object.entries(styles)) apply(name, value, area)
    },
    clear() {
      secret = null
      paint(false)
      card.hidden = true
    },
  }
}

/** Through the CSSOM, so that no value becomes a rule of its own. */
function apply(name: string, value: string, area: HTMLElement): void {
  if (name === 'labelColor') {
    elementOf('label').style.color = value
    return
  }
  const property = name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)
  area.style.setProperty(property, value)
  if (name === 'backgroundColor') document.body.style.backgroundColor = value
}

/** By the clipboard where the page around lets the frame, else by the selection. */
async function copyText(text: string, area: HTMLElement): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text)
    return true
  } catch {
    const selection = getSelection()
    selection?.selectAllChildren(area)
    const isCopied = document.execCommand('copy')
    if (isCopied) selection?.removeAllRanges()
    return isCopied
  }
}

function elementOf(id: string): HTMLElement {
  const element = document.getElementById(id)
  if (!element) throw new FrameError(`the page has no element ${id}`)
  return element
}
