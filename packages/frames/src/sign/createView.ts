import { type Account, showAccount } from '../view/account.ts'
import { createDecision } from '../view/decision.ts'
import { getElement, showStage } from '../view/page.ts'
import type { Line } from './describe.ts'

export type View = {
  /** Shows the account whose key is loaded. */
  hold(account: Account): void
  /** Shows the payload and asks the user. Rejects if the user declines or does not answer in time. */
  ask(what: 'message' | 'transaction', lines: readonly Line[]): Promise<void>
  /** Shows that no key is loaded. Rejects a pending request. */
  drop(): void
}

const stages = ['waiting', 'ready', 'request', 'cleared']
/** Minimum display time, so that the user notices that the page has changed. */
const readMs = 1000

/** Returns the view of the signing page. The payload is in a scrolling box, and the user must scroll to its end. */
export function createView(): View {
  const [box, list] = [getElement('shown'), getElement('lines')]
  let shownAt = 0
  let isReadToEnd = false
  const lookAtEnd = () => {
    isReadToEnd ||= box.clientHeight > 0 && box.scrollTop + box.clientHeight >= box.scrollHeight - 2
  }
  box.addEventListener('scroll', lookAtEnd)
  new ResizeObserver(lookAtEnd).observe(box)

  const findObjection = () => {
    if (!isReadToEnd) return 'Please read to the end first.'
    return performance.now() - shownAt < readMs ? 'Please read it first.' : undefined
  }
  const rest = () => {
    list.replaceChildren()
    showStage('ready', stages)
  }
  const decision = createDecision(rest, { area: getElement('request'), findObjection })

  return {
    hold(account) {
      showAccount(account)
      showStage('ready', stages)
    },
    async ask(what, lines) {
      const question = getElement('question')
      question.textContent = `Sign this ${what}?`
      list.replaceChildren(...lines.flatMap(toElements))
      box.scrollTop = 0
      shownAt = performance.now()
      isReadToEnd = false
      showStage('request', stages)
      lookAtEnd()
      // Focuses the question instead of the button, because a user who is still typing would press the button.
      question.focus()
      await decision.wait()
      rest()
    },
    drop() {
      decision.end('the key was cleared')
      list.replaceChildren()
      showStage('cleared', stages)
    },
  }
}

function toElements({ name, text, isCode = false }: Line): HTMLElement[] {
  const [term, value] = [document.createElement('dt'), document.createElement('dd')]
  term.textContent = name
  value.textContent = text
  value.classList.toggle('code', isCode)
  return [term, value]
}
