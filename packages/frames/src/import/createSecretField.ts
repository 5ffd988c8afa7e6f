import { getElement, onUserClick } from '../view/page.ts'
import { readSecret, suggestWords, type Typed } from './secretInput.ts'

export declare namespace createSecretField {
  type Parameters = {
    field: HTMLTextAreaElement
    onMask?(isMasked: boolean): void
    onClear?(): void
    /** @default English */
    translate?(text: string): string
  }
}

export type SecretField = {
  read(): Typed
  /** Shows below the field why the input was refused. */
  refuse(why: string): void
  clear(): void
  mask(): void
}

/**
 * Returns the field in which a user enters a secret: masked, with help and words of recovery phrases below it. Uses the
 * page's elements `help`, `words`, `show` and `clear`.
 */
export function createSecretField({
  field,
  onMask,
  onClear,
  translate = (text) => text,
}: createSecretField.Parameters): SecretField {
  const say: Say = (text, tone) => {
    const help = getElement('help')
    help.textContent = text === '' ? '' : `${translate(text)}.`
    help.dataset.tone = tone
  }
  const paint = () => paintHelp(field, say)
  const mask = (isMasked: boolean) => {
    field.classList.toggle('masked', isMasked)
    getElement('show').textContent = translate(isMasked ? 'Show' : 'Hide')
    getElement('show').ariaPressed = String(!isMasked)
    onMask?.(isMasked)
    paint()
  }
  const clear = () => {
    field.value = ''
    onClear?.()
    mask(true)
  }
  field.addEventListener('input', paint)
  field.addEventListener('paste', emptyClipboard)
  onUserClick(getElement('show'), () => mask(!field.classList.contains('masked')))
  onUserClick(getElement('clear'), () => {
    clear()
    field.focus()
  })
  return { read: () => readSecret(field.value), refuse: (why) => say(why, 'bad'), clear, mask: () => mask(true) }
}

type Say = (text: string, tone: 'ok' | 'bad' | '') => void

function paintHelp(field: HTMLTextAreaElement, say: Say): void {
  const typed = readSecret(field.value)
  if (typed.kind === 'phrase') say(`A recovery phrase of ${typed.phrase.split(' ').length} words`, 'ok')
  else if (typed.kind === 'key') say('A private key', 'ok')
  else if (typed.kind === 'nothing') say('', '')
  else say(typed.help, typed.kind === 'wrong' ? 'bad' : '')
  // No suggestions while the field is masked, because they reveal the current word.
  const offered = field.classList.contains('masked') ? [] : suggestWords(field.value)
  getElement('words').replaceChildren(...offered.map((word) => wordButton(word, field, say)))
}

function wordButton(word: string, field: HTMLTextAreaElement, say: Say): HTMLButtonElement {
  const button = document.createElement('button')
  button.type = 'button'
  button.className = 'second'
  button.textContent = word
  onUserClick(button, () => {
    field.value = `${field.value.replace(/[a-z]+$/i, word)} `
    field.focus()
    paintHelp(field, say)
  })
  return button
}

/** Clears the clipboard, so that the secret is not pasted elsewhere. Requires the `clipboard-write` permission. */
function emptyClipboard(): void {
  // Deferred, because the paste itself still reads the clipboard.
  setTimeout(() => navigator.clipboard?.writeText('').catch(() => undefined))
}
