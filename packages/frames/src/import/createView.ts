import { elementOf } from '../view/elementOf.ts'
import { onPersonClick } from '../view/onPersonClick.ts'
import type { Settings } from '../view/settings.ts'
import { showStage } from '../view/showStage.ts'
import { applyStyles } from '../view/styles.ts'
import { readSecret, type Typed } from './readSecret.ts'
import { suggestWords } from './suggestWords.ts'

export type View = {
  /** Shows the empty field. */
  ask(): void
  /** What the person has given so far; the passphrase is '' where none is asked for. */
  given(): { typed: Typed; passphrase: string }
  /** Says beside the field why it cannot be taken. */
  refuse(why: string): void
  /** Forgets what was given and says that it was taken. */
  finish(): void
  /** Forgets what was given. */
  clear(): void
  mask(): void
  apply(settings: Settings): void
}

const stages = ['waiting', 'card', 'done']

/** The page of the import frame. What is typed stays in its two fields, which no one else can read. */
export function createView(): View {
  const [field, passphrase] = [elementOf<HTMLTextAreaElement>('secret'), elementOf<HTMLInputElement>('passphrase')]
  const paint = () => paintHelp(field)
  const mask = (isMasked: boolean) => {
    field.classList.toggle('masked', isMasked)
    passphrase.type = isMasked ? 'password' : 'text'
    elementOf('show').textContent = isMasked ? 'Show' : 'Hide'
    elementOf('show').ariaPressed = String(!isMasked)
    paint()
  }
  const clear = () => {
    field.value = ''
    passphrase.value = ''
    mask(true)
  }
  field.addEventListener('input', paint)
  field.addEventListener('paste', emptyClipboard)
  onPersonClick(elementOf('show'), () => mask(!field.classList.contains('masked')))
  onPersonClick(elementOf('clear'), () => {
    clear()
    field.focus()
  })
  return {
    ask() {
      clear()
      showStage('card', stages)
    },
    given: () => ({ typed: readSecret(field.value), passphrase: passphrase.value }),
    refuse: (why) => say(why, 'bad'),
    finish() {
      clear()
      showStage('done', stages)
    },
    clear,
    mask: () => mask(true),
    apply({ styles, enablePassphrase, passphraseStyles }) {
      applyStyles(styles, field, elementOf('label'))
      elementOf('with-passphrase').hidden = !enablePassphrase
      // What nobody sees any more must not be sealed along.
      if (!enablePassphrase) passphrase.value = ''
      applyStyles(passphraseStyles, passphrase, elementOf('passphrase-label'))
    },
  }
}

function paintHelp(field: HTMLTextAreaElement): void {
  const typed = readSecret(field.value)
  if (typed.kind === 'phrase') say(`A seed phrase of ${typed.phrase.split(' ').length} words`, 'ok')
  else if (typed.kind === 'key') say('A private key', 'ok')
  else if (typed.kind === 'nothing') say('', '')
  else say(typed.help, typed.kind === 'wrong' ? 'bad' : '')
  // A word offered tells how the hidden one begins.
  const offered = field.classList.contains('masked') ? [] : suggestWords(field.value)
  elementOf('words').replaceChildren(...offered.map((word) => wordButton(word, field)))
}

function say(text: string, tone: 'ok' | 'bad' | ''): void {
  const help = elementOf('help')
  help.textContent = text === '' ? '' : `${text}.`
  help.dataset.tone = tone
}

function wordButton(word: string, field: HTMLTextAreaElement): HTMLButtonElement {
  const button = document.createElement('button')
  button.type = 'button'
  button.className = 'second'
  button.textContent = word
  onPersonClick(button, () => {
    field.value = `${field.value.replace(/[a-z]+$/i, word)} `
    field.focus()
    paintHelp(field)
  })
  return button
}

/** What was pasted should not be pasted elsewhere by mistake. Where the page does not let the frame, it stays. */
function emptyClipboard(): void {
  // After the paste, which reads the same clipboard.
  setTimeout(() => navigator.clipboard?.writeText('').catch(() => undefined))
}
