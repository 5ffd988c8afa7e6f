import { type Confirmation, confirmationActions, type RevealedSecret } from 'latchkey-protocol'
import { getElement, showStage } from '../view/page.ts'
import { createRevealedView } from './createRevealedView.ts'

export type ConfirmationView = {
  wait(): void
  /** Shows an exported secret. */
  reveal(kind: RevealedSecret, secret: string): void
  show(confirmation: Confirmation): void
  /** Shows that all sessions were ended. */
  showEnded(): void
  fail(error: unknown): void
}

const stages = ['loading', 'card', 'revealed', 'refused', 'done', 'failed']

/** Texts by type of link, and texts of confirmations that show a secret. */
const words = {
  confirm: {
    title: (what: string) => `${what}?`,
    lead: 'Only confirm if you just asked for this yourself.',
    accept: 'Confirm',
    done: 'Done',
    doneText: 'You can close this tab and return to the app.',
  },
  phrase: {
    title: (what: string) => `${what}?`,
    lead: 'Only continue if you just asked for this yourself and nobody else can see your screen. Whoever has the phrase has the wallet.',
    accept: 'Show my recovery phrase',
    done: 'Your recovery phrase was shown',
    doneText: 'You can close this tab. To see the phrase again, start again in the app.',
  },
  key: {
    title: (what: string) => `${what}?`,
    lead: 'Only continue if you just asked for this yourself and nobody else can see your screen. Whoever has the key has the account.',
    accept: 'Show my private key',
    done: 'Your private key was shown',
    doneText: 'You can close this tab. To see the key again, start again in the app.',
  },
  prove: {
    title: () => 'Use this address to sign in?',
    lead: 'If you agree, emails to this address can sign in to the account below. Only agree if you just asked for this yourself: whoever already has access to the account can take everything in it.',
    accept: 'Use my address',
    done: 'Done',
    doneText: 'Emails to this address can now sign in to the account. You can close this tab and return to the app.',
  },
  undo: {
    title: () => 'Remove the new passkey?',
    lead: 'It was added to your wallet. Removing it also signs you out everywhere.',
    accept: 'Remove and sign out everywhere',
    done: 'Removed',
    doneText: 'The passkey was removed, and you are signed out everywhere.',
  },
  keep: {
    title: () => 'Keep your account?',
    lead: 'It is being deleted. If you keep it, everything stays as it was.',
    accept: 'Keep my account',
    done: 'Account kept',
    doneText: 'Your account will not be deleted. Sign in to use it.',
  },
} as const

/** Returns the view of the confirmation page. Inserts all values as text, never as HTML. */
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
    const { title, lead, accept } = words[confirmation.reveals ?? confirmation.kind]
    write('app', confirmation.app)
    write('title', title(confirmationActions[confirmation.action]))
    write('lead', lead)
    write('accept', accept)
    getElement('facts').replaceChildren(...listFacts(confirmation).map(toRow))
    const isUndone = confirmation.kind === 'undo' || confirmation.kind === 'keep'
    getElement('refuse').hidden = isUndone
    getElement('accept').classList.toggle('deliberate', !isUndone)
    showStage('card', stages)
    isAsked = true
  }
  const revealed = createRevealedView(() =>
    finish('Done', 'Keep what you saved where only you can find it. You can close this tab and return to the app.'),
  )
  return {
    reveal(kind, secret) {
      revealed.fill(kind, secret)
      showStage('revealed', stages)
      isAsked = false
    },
    wait() {
      write('status', '')
      showStage('loading', stages)
    },
    show(confirmation) {
      const { state, kind, reveals, failure, detail } = confirmation
      if (state === 'open') showCard(confirmation)
      else if (state === 'refused' && kind === 'prove') finish('Declined', 'Your address is not used for that account.')
      else if (state === 'refused') showStage('refused', stages)
      else if (state === 'passed-on')
        finish('One more email', `Now open the email we sent to ${detail ?? 'the new address'} and confirm there too.`)
      else if (state === 'confirmed') finish(words[reveals ?? kind].done, words[reveals ?? kind].doneText)
      else if (state === 'failed') finish("That didn't work", failure ?? 'Start again in the app.')
      else finish('This link has expired', 'Nothing was done. If you still want this, start again in the app.')
    },
    showEnded() {
      finish('Signed out everywhere', 'Nobody is signed in as you now. Sign in again in the app.')
    },
    fail(error) {
      // The user can retry a request that was not decided.
      showStage(isAsked ? 'card' : 'failed', stages)
      write('status', error instanceof Error ? error.message : 'Something went wrong. Try again.')
    },
  }
}

/** `exact`: the user compares the characters; `act`: heading of the facts about a call. */
type Fact = { name: string; value: string; style?: 'exact' | 'act' | undefined }

function listFacts(confirmation: Confirmation): Fact[] {
  const { kind, action, address, email, detail, requestedAtMs, requestedFrom, keyFingerprint } = confirmation
  const isProof = kind === 'prove'
  const facts: Fact[] = [{ name: isProof ? 'Your address' : 'Account', value: email }]
  const { acts = [] } = confirmation
  for (const { label, title, facts: ofAct } of acts) {
    facts.push({ name: label, value: title, style: 'act' })
    facts.push(
      ...ofAct.map((fact) => ({ ...fact, style: fact.value.startsWith('0x') ? ('exact' as const) : undefined })),
    )
  }
  if (detail) facts.push({ name: action === 'change-email' ? 'New address' : 'Name', value: detail })
  if (address) facts.push({ name: 'Owner key', value: address, style: 'exact' })
  if (confirmation.openedBy) facts.push({ name: 'Already has access', value: confirmation.openedBy })
  if (requestedFrom) facts.push({ name: 'Requested from', value: requestedFrom })
  facts.push({ name: 'Time', value: new Date(requestedAtMs).toLocaleString() })
  if (keyFingerprint) facts.push({ name: 'Safety code – must match the app', value: keyFingerprint, style: 'exact' })
  return facts
}

/** Makes characters visible that would reorder or hide adjacent text, or break its lines. */
function toVisible(text: string): string {
  return text.replace(/[\p{C}\p{Zl}\p{Zp}]/gu, '\u{FFFD}')
}

function toRow({ name, value, style }: Fact): HTMLElement {
  const [row, term, text] = [
    document.createElement('div'),
    document.createElement('dt'),
    document.createElement('dd'),
  ] as const
  term.textContent = name
  text.textContent = toVisible(value)
  text.className = style ?? ''
  row.append(term, text)
  return row
}
