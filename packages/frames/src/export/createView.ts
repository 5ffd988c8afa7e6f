import { elementOf } from '../view/elementOf.ts'
import { onPersonClick } from '../view/onPersonClick.ts'
import { showStage } from '../view/showStage.ts'
import { applyStyles, type Styles } from '../view/styles.ts'
import { createSecretBox } from './createSecretBox.ts'

export type SecretKind = 'wallet' | 'key'

export type View = {
  /** Replaces all else on the page. A seed phrase is asked for once more before it can be revealed. */
  show(kind: SecretKind, secret: string): void
  style(styles: Styles): void
  /** Masks what is revealed. */
  mask(): void
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
const stages = ['waiting', 'confirm', 'card', 'gone']

/** The page of the export frame. */
export function createView(): View {
  const box = createSecretBox()
  const showCard = () => {
    showStage('card', stages)
    elementOf('reveal').focus()
  }
  const clear = () => {
    box.clear()
    showStage('gone', stages)
  }
  onPersonClick(elementOf('go-on'), showCard)
  onPersonClick(elementOf('not-me'), clear)
  return {
    show(kind, secret) {
      elementOf('label').textContent = texts[kind].label
      elementOf('warning').textContent = texts[kind].warning
      box.fill(secret)
      // A passkey has just proved the person; a mail session proves only that a mail was once read.
      showStage(kind === 'wallet' ? 'confirm' : 'card', stages)
    },
    style: (styles) => applyStyles(styles, elementOf('secret'), elementOf('label')),
    mask: box.mask,
    clear,
  }
}
