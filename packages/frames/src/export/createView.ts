import { hex } from '@scure/base'
import { formatKeyFingerprint } from 'latchkey-protocol'
import { type Account, showAccount } from '../view/account.ts'
import { getElement, onSeenClick, onUserClick, showStage } from '../view/page.ts'
import { applyStyles, type Styles } from '../view/settings.ts'
import { createSecretBox } from './createSecretBox.ts'

export type SecretKind = 'wallet' | 'key'

export type View = {
  /** Shows a masked secret. A recovery phrase requires another confirmation before it can be revealed. */
  show(kind: SecretKind, secret: string, account: Account): void
  style(styles: Styles): void
  /** Shows the fingerprint of the frame's key, which the confirmation e-mail also contains. */
  nameKey(publicKey: string): Promise<void>
  /** Masks the secret again. */
  mask(): void
  clear(): void
}

const texts = {
  wallet: {
    label: 'Recovery phrase',
    warning: 'Anyone with these words can take everything in this wallet. Write them down and keep them offline.',
  },
  key: {
    label: 'Private key',
    warning: 'Anyone with this key can take everything in this wallet. Keep it where only you can read it.',
  },
} as const
const stages = ['waiting', 'confirm', 'card', 'cleared']

export function createView(): View {
  const box = createSecretBox()
  const showCard = () => {
    showStage('card', stages)
    getElement('reveal').focus()
  }
  const clear = () => {
    box.clear()
    showStage('cleared', stages)
  }
  onSeenClick(getElement('go-on'), { area: getElement('decision'), status: getElement('decision-status') }, showCard)
  onUserClick(getElement('not-me'), clear)
  return {
    show(kind, secret, account) {
      showAccount(account)
      getElement('label').textContent = texts[kind].label
      getElement('warning').textContent = texts[kind].warning
      box.fill(secret)
      // A passkey has just verified the user. An e-mail session only proves that the user read an e-mail some time ago.
      showStage(kind === 'wallet' ? 'confirm' : 'card', stages)
    },
    async nameKey(publicKey) {
      // Empty after the key was deleted and before a new one is created.
      if (publicKey === '') return
      const digest = await crypto.subtle.digest('SHA-256', new Uint8Array(hex.decode(publicKey)))
      getElement('fingerprint').textContent = formatKeyFingerprint(new Uint8Array(digest))
    },
    style: (styles) => applyStyles(styles, getElement('secret'), getElement('label')),
    mask: box.mask,
    clear,
  }
}
