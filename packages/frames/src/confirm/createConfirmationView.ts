import { type Confirmation, confirmationActions, type RevealedSecret } from 'latchkey-protocol'
import { getElement, showStage } from '../view/page.ts'
import { createPredictionView, type PredictionView } from './createPredictionView.ts'
import { createRevealedView } from './createRevealedView.ts'
import { fill, type Translate } from './texts/translate.ts'
import { toVisible } from './toVisible.ts'

export type ConfirmationView = {
  wait(): void
  /** Shows an exported secret. */
  reveal(kind: RevealedSecret, secret: string): void
  show(confirmation: Confirmation): void
  prediction: PredictionView
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
  'take-phrase': {
    title: (what: string) => `${what}?`,
    lead: 'Only continue if you just asked for this yourself. What you enter is encrypted here for the account below, so the app never sees it. Whoever controls that account will control the imported wallet.',
    accept: 'Import',
    done: 'Imported',
    doneText: 'You can close this tab and return to the app.',
  },
  'take-key': {
    title: (what: string) => `${what}?`,
    lead: 'Only continue if you just asked for this yourself. What you enter is encrypted here for the account below, so the app never sees it. Whoever controls that account will control the imported key.',
    accept: 'Import',
    done: 'Imported',
    doneText: 'You can close this tab and return to the app.',
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

const wordsOf = ({ kind, reveals, takes }: Confirmation) =>
  words[takes ? (`take-${takes}` as const) : (reveals ?? kind)]

const passedOn = 'Now open the email we sent to {to} and confirm there too.'

const labels = { phrase: 'Recovery phrase', key: 'Private key' } as const

/** Returns the view of the confirmation page. Inserts all values as text, never as HTML. */
export function createConfirmationView(translate: Translate): ConfirmationView {
  const write = (id: string, text: string) => {
    getElement(id).textContent = toVisible(text)
  }
  const say = (id: string, text: string) => write(id, translate(text))
  let isAsked = false
  const finish = (title: string, text: string) => {
    say('done-title', title)
    say('done-text', text)
    showStage('done', stages)
    isAsked = false
  }
  const showCard = (confirmation: Confirmation) => {
    const { title, lead, accept } = wordsOf(confirmation)
    const { takes } = confirmation
    write('app', confirmation.app)
    say('title', title(confirmationActions[confirmation.action]))
    say('lead', lead)
    say('accept', accept)
    getElement('entry').hidden = takes === undefined
    if (takes) say('label', labels[takes])
    getElement('facts').replaceChildren(...listFacts(confirmation, translate).map(toRow))
    const isUndone = confirmation.kind === 'undo' || confirmation.kind === 'keep'
    getElement('refuse').hidden = isUndone
    getElement('accept').classList.toggle('deliberate', !isUndone)
    showStage('card', stages)
    isAsked = true
  }
  const revealed = createRevealedView(translate, () =>
    finish('Done', 'Keep what you saved where only you can find it. You can close this tab and return to the app.'),
  )
  return {
    prediction: createPredictionView(translate),
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
      const { state, kind, failure, detail } = confirmation
      if (state === 'open') showCard(confirmation)
      else if (state === 'refused' && kind === 'prove') finish('Declined', 'Your address is not used for that account.')
      else if (state === 'refused') showStage('refused', stages)
      else if (state === 'passed-on')
        finish('One more email', fill(translate(passedOn), { to: detail ?? translate('the new address') }))
      else if (state === 'confirmed') finish(wordsOf(confirmation).done, wordsOf(confirmation).doneText)
      else if (state === 'failed') finish("That didn't work", failure ?? 'Start again in the app.')
      else finish('This link has expired', 'Nothing was done. If you still want this, start again in the app.')
    },
    showEnded() {
      finish('Signed out everywhere', 'Nobody is signed in as you now. Sign in again in the app.')
    },
    fail(error) {
      // The user can retry a request that was not decided.
      showStage(isAsked ? 'card' : 'failed', stages)
      say('status', error instanceof Error ? error.message : 'Something went wrong. Try again.')
    },
  }
}

/** `exact`: the user compares the characters; `act`: heading of the facts about a call. */
type Fact = { name: string; value: string; style?: 'exact' | 'act' | undefined; lang?: 'en' | undefined }

/** Lists the facts of a request. Translates custody's own words, and no value that the app or a person supplied. */
function listFacts(confirmation: Confirmation, translate: Translate): Fact[] {
  const { kind, action, address, email, detail, requestedAtMs, requestedFrom, keyFingerprint } = confirmation
  const isProof = kind === 'prove'
  const facts: Fact[] = [{ name: isProof ? 'Your address' : 'Account', value: email }]
  const { acts = [] } = confirmation
  for (const { label, title, facts: ofAct } of acts) {
    // Custody writes the sentence of a key's permissions in English.
    facts.push({
      name: label,
      value: translate(title),
      style: 'act',
      lang: translate(title) === title ? 'en' : undefined,
    })
    facts.push(
      ...ofAct.map(({ name, value, isQuoted }) => ({
        name,
        value: isQuoted ? value : value.split('; ').map(translate).join('; '),
        style: value.startsWith('0x') ? ('exact' as const) : undefined,
      })),
    )
  }
  if (detail) facts.push({ name: action === 'change-email' ? 'New address' : 'Name', value: detail })
  if (address) facts.push({ name: 'Owner key', value: address, style: 'exact' })
  if (confirmation.openedBy) facts.push({ name: 'Already has access', value: confirmation.openedBy })
  if (requestedFrom) facts.push({ name: 'Requested from', value: requestedFrom })
  facts.push({ name: 'Time', value: formatTime(requestedAtMs) })
  if (keyFingerprint) facts.push({ name: 'Safety code – must match the app', value: keyFingerprint, style: 'exact' })
  return facts.map((fact) => ({ ...fact, name: translate(fact.name) }))
}

/** Formats a time in the page's language, with the browser's region for it. */
function formatTime(ms: number): string {
  const { lang } = document.documentElement
  const locale = navigator.languages.find((tag) => tag.toLowerCase().split('-')[0] === lang) ?? lang
  return new Date(ms).toLocaleString(locale)
}

function toRow({ name, value, style, lang }: Fact): HTMLElement {
  const [row, term, text] = [
    document.createElement('div'),
    document.createElement('dt'),
    document.createElement('dd'),
  ] as const
  term.textContent = name
  text.textContent = toVisible(value)
  text.className = style ?? ''
  if (lang) text.lang = lang
  row.append(term, text)
  return row
}
