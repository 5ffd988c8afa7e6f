import { type Account, showAccount } from '../view/account.ts'
import { createDecision } from '../view/decision.ts'
import { getElement, onUserClick, showStage } from '../view/page.ts'
import { applyStyles, type Settings } from '../view/settings.ts'
import { readSecret, suggestWords, type Typed } from './secretInput.ts'

export type View = {
  /** Shows the empty field, and whose account it is for. Ends a `confirm` that waits. */
  ask(account: Account): void
  /** What the user has typed so far; the passphrase is '' where none is asked for. */
  given(): { typed: Typed; passphrase: string }
  /**
   * Asks whether the input may go to the account. Rejects when the person says no, or does not decide in time, and when
   * another `confirm` or `ask` takes its place.
   */
  confirm(): Promise<void>
  /** Shows beside the field why the input is refused. */
  refuse(why: string): void
  /** Clears the input and shows that it was accepted. */
  finish(): void
  /** Clears the input. */
  clear(): void
  mask(): void
  apply(settings: Settings): void
}

const stages = ['waiting', 'card', 'agree', 'done']

/** The page of the import frame. The input stays in its two fields, which the page around it cannot read. */
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
      // Not the button: what the person types just now must not press it.
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
      // A hidden passphrase must not be sealed.
      if (!enablePassphrase) passphrase.value = ''
      applyStyles(passphraseStyles, passphrase, getElement('passphrase-label'))
    },
  }
}

function paintHelp(field: HTMLTextAreaElement): void {
  const typed = readSecret(field.value)
  if (typed.kind === 'phrase') say(`A seed phrase of ${typed.phrase.split(' ').length} words`, 'ok')
  else if (typed.kind === 'key') say('A private key', 'ok')
  else if (typed.kind === 'nothing') say('', '')
  else say(typed.help, typed.kind === 'wrong' ? 'bad' : '')
  // A suggestion would reveal how the masked word begins.
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

/** Clears the clipboard, so that the secret is not pasted elsewhere. Needs the page's permission; without it, nothing. */
function emptyClipboard(): void {
  // After the paste, which reads the same clipboard.
  setTimeout(() => navigator.clipboard?.writeText('').catch(() => undefined))
}
