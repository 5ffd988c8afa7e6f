import { getElement, onSeenClick, onUserClick, showStage } from '../view/page.ts'
import { toWords } from '../view/secretText.ts'

const stages = ['intro', 'phrase', 'check', 'ready', 'cleared']

export type PaperKeyView = {
  /**
   * Resolves once the user has proved that the words are written down. Never rejects: to cancel, the app closes the
   * frame.
   */
  confirm(words: readonly string[]): Promise<void>
  clear(): void
}

/** Returns the view that shows a phrase and then asks for two of its words. */
export function createPaperKeyView(): PaperKeyView {
  const area = getElement('secret')
  const hint = getElement('hint')
  const fields = ['first', 'second'].map((id) => getElement<HTMLInputElement>(id))
  let words: readonly string[] | null = null
  let asked: readonly number[] = []
  let finish = () => {}

  // The system may take a screenshot of a hidden tab, for example for a phone's list of apps.
  const paint = () => area.replaceChildren(...(words && !document.hidden ? toWords(words.join(' ')) : []))
  const showWords = () => {
    paint()
    showStage('phrase', stages)
    getElement('phrase-title').focus()
  }
  const ask = () => {
    area.replaceChildren()
    asked = pickTwo(words?.length ?? 0)
    for (const [index, field] of fields.entries()) {
      field.value = ''
      getElement(`${field.id}-label`).textContent = `Word ${(asked[index] ?? 0) + 1}`
    }
    hint.textContent = ''
    showStage('check', stages)
    fields[0]?.focus()
  }
  const check = () => {
    if (!words) return
    const wrong = fields.find((field, index) => field.value.trim().toLowerCase() !== words?.[asked[index] ?? -1])
    if (wrong) {
      hint.textContent = 'That is not the word on this line. Compare it with your paper.'
      wrong.focus()
      return
    }
    clear()
    showStage('ready', stages)
    finish()
  }
  const clear = () => {
    words = null
    area.replaceChildren()
    for (const field of fields) field.value = ''
  }
  onSeenClick(getElement('show'), { area: getElement('decision'), status: getElement('decision-status') }, showWords)
  onUserClick(getElement('written'), ask)
  onUserClick(getElement('back'), showWords)
  onUserClick(getElement('done'), check)
  // Handles Enter explicitly, because the iframe's sandbox blocks form submission.
  for (const field of fields)
    field.addEventListener('keydown', (event) => event.isTrusted && event.key === 'Enter' && check())
  document.addEventListener('visibilitychange', () => getElement('phrase').hidden || paint())
  return {
    confirm: (given) =>
      new Promise((resolve) => {
        words = given
        finish = resolve
        showStage('intro', stages)
      }),
    clear() {
      clear()
      showStage('cleared', stages)
    },
  }
}

function pickTwo(length: number): number[] {
  const [first = 0, second = 0] = crypto.getRandomValues(new Uint32Array(2))
  const a = first % length
  const b = (a + 1 + (second % (length - 1))) % length
  return [a, b].sort((left, right) => left - right)
}
