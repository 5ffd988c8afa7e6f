import { type Confirmation, confirmationActions } from 'latchkey-protocol'
import { getElement, showStage } from '../view/page.ts'

export type ConfirmationView = {
  wait(): void
  show(confirmation: Confirmation): void
  /** Shows that all sessions were ended. */
  showEnded(): void
  fail(error: unknown): void
}

const stages = ['loading', 'card', 'refused', 'done', 'failed']

/** Texts of each kind of link. */
const words = {
  confirm: {
    title: (what: string) => `${what}?`,
    lead: 'Somebody who is signed in as you asked for this. Confirm only what you asked for yourself, just now.',
    accept: 'Confirm',
    done: 'Confirmed',
    doneText: 'It is done. Go back to the app.',
  },
  prove: {
    title: () => 'Use this address to sign in?',
    lead: 'An account names your address. If you agree, mails to it open that account. Agree only if you asked for it yourself, just now: who can open the account already can take all that is in it.',
    accept: 'Use my address',
    done: 'Confirmed',
    doneText: 'Mails to this address open the account from now on. Go back to the app.',
  },
  undo: {
    title: () => 'Remove the new passkey?',
    lead: 'It was added to your wallet. Removing it also ends all sessions.',
    accept: 'Remove it and end all sessions',
    done: 'Removed',
    doneText: 'The passkey is removed, and all sessions are ended.',
  },
  keep: {
    title: () => 'Keep your account?',
    lead: 'It is being deleted. Keeping it makes everything as it was.',
    accept: 'Keep my account',
    done: 'Kept',
    doneText: 'Your account is not deleted. Sign in to use it.',
  },
} as const

/** Returns the view of the confirmation page. All texts are set as text. */
export function createConfirmationView(): ConfirmationView {
  const write = (id: string, text: string) => {
    getElement(id).textContent = toVisible(text)
  }
  let isAsked = false
  const finish = (title: string, text: string) => {
    write('done-title', title)
    write('done-text', text)
    showStage('done', stages)
    isAsked = false
  }
  const showCard = (confirmation: Confirmation) => {
    const { title, lead, accept } = words[confirmation.kind]
    write('app', confirmation.app)
    write('title', title(confirmationActions[confirmation.action]))
    write('lead', lead)
    write('accept', accept)
    getElement('facts').replaceChildren(...listFacts(confirmation).map(toRow))
    getElement('refuse').hidden = confirmation.kind === 'undo' || confirmation.kind === 'keep'
    showStage('card', stages)
    isAsked = true
  }
  return {
    wait() {
      write('status', '')
      showStage('loading', stages)
    },
    show(confirmation) {
      const { state, kind, failure, detail } = confirmation
      if (state === 'open') showCard(confirmation)
      else if (state === 'refused' && kind === 'prove') finish('Refused', 'Your address is not used for that account.')
      else if (state === 'refused') showStage('refused', stages)
      else if (state === 'passed-on')
        finish(
          'One more mail',
          `Now open the mail that was sent to ${detail ?? 'the new address'}, and confirm there too.`,
        )
      else if (state === 'confirmed') finish(words[kind].done, words[kind].doneText)
      else if (state === 'failed') finish('It could not be done', failure ?? 'Start again in the app.')
      else finish('This link has expired', 'Nothing was done. If you still want it, start again in the app.')
    },
    showEnded() {
      finish('All sessions are ended', 'Nobody is signed in as you any more. Sign in again in the app.')
    },
    fail(error) {
      // Undecided requests can be retried.
      showStage(isAsked ? 'card' : 'failed', stages)
      write('status', error instanceof Error ? error.message : 'It could not be done. Try again.')
    },
  }
}

type Fact = { name: string; value: string; isExact?: boolean }

function listFacts(confirmation: Confirmation): Fact[] {
  const { kind, address, organizationId, email, detail, requestedAtMs, requestedFrom, keyFingerprint } = confirmation
  const isProof = kind === 'prove'
  const facts: Fact[] = [{ name: isProof ? 'Your address' : 'Account', value: email }]
  if (detail) facts.push({ name: 'Named in the request', value: detail })
  if (address) facts.push({ name: isProof ? 'Account' : 'Address', value: address, isExact: true })
  if (confirmation.openedBy) facts.push({ name: 'Can open the account already', value: confirmation.openedBy })
  facts.push({ name: 'Organization', value: organizationId, isExact: true })
  facts.push({
    name: kind === 'confirm' || isProof ? 'Asked for' : 'Done',
    value: new Date(requestedAtMs).toLocaleString(),
  })
  if (requestedFrom) facts.push({ name: 'Browser, as it says itself', value: requestedFrom })
  if (keyFingerprint)
    facts.push({
      name: 'Fingerprint of the receiving key, which the app shows too',
      value: keyFingerprint,
      isExact: true,
    })
  return facts
}

/** Makes characters visible that reorder, hide or break adjacent text. */
function toVisible(text: string): string {
  return text.replace(/[\p{C}\p{Zl}\p{Zp}]/gu, '\u{FFFD}')
}

function toRow({ name, value, isExact = false }: Fact): HTMLElement {
  const [row, term, text] = [
    document.createElement('div'),
    document.createElement('dt'),
    document.createElement('dd'),
  ] as const
  term.textContent = name
  text.textContent = toVisible(value)
  text.className = isExact ? 'exact' : ''
  row.append(term, text)
  return row
}
