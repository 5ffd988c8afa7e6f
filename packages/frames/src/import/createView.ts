import { type Account, showAccount } from '../view/account.ts'
import { createDecision } from '../view/decision.ts'
import { getElement, showStage } from '../view/page.ts'
import { applyStyles, type Settings } from '../view/settings.ts'
import { createSecretField } from './createSecretField.ts'
import type { Typed } from './secretInput.ts'

export type View = {
  /** Shows the empty field and the target account. Ends a pending `confirm`. */
  ask(account: Account): void
  /** Returns the current input. `passphrase` is empty if the field is disabled. */
  given(): { typed: Typed; passphrase: string }
  /**
   * Asks whether to send the input to the account. Rejects if the user declines or does not answer in time, or if
   * another `confirm` or `ask` replaces the question.
   */
  confirm(): Promise<void>
  /** Shows next to the field why the input was refused. */
  refuse(why: string): void
  /** Clears the input and shows that the import succeeded. */
  finish(): void
  clear(): void
  mask(): void
  apply(settings: Settings): void
}

const stages = ['waiting', 'card', 'agree', 'done']

/** Returns the view of the import frame. The parent page cannot read the input in its two fields. */
export function createView(): View {
  const [field, passphrase] = [getElement<HTMLTextAreaElement>('secret'), getElement<HTMLInputElement>('passphrase')]
  const secret = createSecretField({
    field,
    onMask(isMasked) {
      passphrase.type = isMasked ? 'password' : 'text'
    },
    onClear() {
      passphrase.value = ''
    },
  })
  const { clear } = secret
  const decision = createDecision(() => {
    clear()
    showStage('card', stages)
  })
  return {
    ask(account) {
      decision.end('another import bundle was injected')
      clear()
      showAccount(account)
      showStage('card', stages)
    },
    given: () => ({ typed: secret.read(), passphrase: passphrase.value }),
    confirm() {
      showStage('agree', stages)
      // Focuses the question instead of the button, because a user who is still typing would press the button.
      getElement('question').focus()
      return decision.wait()
    },
    refuse: secret.refuse,
    finish() {
      clear()
      showStage('done', stages)
    },
    clear,
    mask: secret.mask,
    apply({ styles, enablePassphrase, passphraseStyles }) {
      applyStyles(styles, field, getElement('label'))
      getElement('with-passphrase').hidden = !enablePassphrase
      // Clears the passphrase of a hidden field, which must not be sent.
      if (!enablePassphrase) passphrase.value = ''
      applyStyles(passphraseStyles, passphrase, getElement('passphrase-label'))
    },
  }
}
