import { type Account, showAccount } from '../view/account.ts'
import { createDecision } from '../view/decision.ts'
import { getElement, onUserClick, showStage } from '../view/page.ts'
import { applyStyles, type Settings } from '../view/settings.ts'
import { readSecret, suggestWords, type Typed } from './secretInput.ts'

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
  const paint = () => paintHelp(field)
  const mask = (isMasked: boolean) => {
    field.classList.toggle('masked', isMasked)
    passphrase.type = isMasked ? 'password' : 'text'
    getElement('show').textContent = isMasked ? 'Show' : 'Hide'
    getElement('show').ariaPressed = String(!isMasked)
    paint()
  }
  const clear = () => {
    field.value = ''
    passphrase.value = ''
    mask(true)
  }
  const decision = createDecision(() => {
    clear()
    showStage('card', stages)
  })
  field.addEventListener('input', paint)
  field.addEventListener('paste', emptyClipboard)
  onUserClick(getElement('show'), () => mask(!field.classList.contains('masked')))
  onUserClick(getElement('clear'), () => {
    clear()
    field.focus()
  })
  return {
    ask(account) {
      decision.end('another import bundle was injected')
      clear()
      showAccount(account)
      showStage('card', stages)
    },
    given: () => ({ typed: readSecret(field.value), passphrase: passphrase.value }),
    confirm() {
      showStage('agree', stages)
      // Focuses the question instead of the button, because a user who is still typing would press the button.
      getElement('question').focus()
      return decision.wait()
    },
    refuse: (why) => say(why, 'bad'),
    finish() {
      clear()
      showStage('done', stages)
    },
    clear,
    mask: () => mask(true),
    apply({ styles, enablePassphrase, passphraseStyles }) {
      applyStyles(styles, field, getElement('label'))
      getElement('with-passphrase').hidden = !enablePassphrase
      // Clears the passphrase of a hidden field, which must not be sent.
      if (!enablePassphrase) passphrase.value = ''
      applyStyles(passphraseStyles, passphrase, getElement('passphrase-label'))
    },
  }
}

function paintHelp(field: HTMLTextAreaElement): void {
  const typed = readSecret(field.value)
  if (typed.kind === 'phrase') say(`A recovery phrase of ${typed.phrase.split(' ').length} words`, 'ok')
  else if (typed.kind === 'key') say('A private key', 'ok')
  else if (typed.kind === 'nothing') say('', '')
  else say(typed.help, typed.kind === 'wrong' ? 'bad' : '')
  // No suggestions while the field is masked, because they reveal the current word.
  const offered = field.classList.contains('masked') ? [] : suggestWords(field.value)
  getElement('words').replaceChildren(...offered.map((word) => wordButton(word, field)))
}

function say(text: string, tone: 'ok' | 'bad' | ''): void {
  const help = getElement('help')
  help.textContent = text === '' ? '' : `${text}.`
  help.dataset.tone = tone
}

function wordButton(word: string, field: HTMLTextAreaElement): HTMLButtonElement {
  const button = document.createElement('button')
  button.type = 'button'
  button.className = 'second'
  button.textContent = word
  onUserClick(button, () => {
    field.value = `${field.value.replace(/[a-z]+$/i, word)} `
    field.focus()
    paintHelp(field)
  })
  return button
}

/** Clears the clipboard, so that the secret is not pasted elsewhere. Requires the `clipboard-write` permission. */
function emptyClipboard(): void {
  // Deferred, because the paste itself still reads the clipboard.
  setTimeout(() => navigator.clipboard?.writeText('').catch(() => undefined))
}
