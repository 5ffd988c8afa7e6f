/**
 * Page that renders the dialog at any step. `?step` or `show` selects the step, `?plain` omits the URLs, `?arrow` shows
 * an arrow button, `?card` shows the card in the page, and `?options` is JSON of `{ auth, ui }`. `?locale=pseudo` is a
 * Hebrew-like language with longer, right-to-left texts.
 */
export const authModalEntry = `
import { useEffect, useId, useReducer, useState } from 'react'
import { createRoot } from 'react-dom/client'
import { BaseError } from '/src/core/errors/BaseError.ts'
import { EmailNeededError } from '/src/signer/errors/EmailNeededError.ts'
import { AuthModal, StepDialog } from '/src/react/ui/AuthModal.tsx'
import { rootProps } from '/src/react/ui/rootProps.ts'
import { OwnerView } from '/src/react/ui/owners/OwnerView.tsx'
import { AuthSection } from '/src/react/ui/InlineCard.tsx'
import { authMachine } from '/src/react/ui/authMachine.ts'
import { LanguageContext, inEnglish, useLanguage } from '/src/react/ui/texts/language.ts'
import { useLoadedLanguage } from '/src/react/ui/texts/loadLanguage.ts'
import '/src/react/ui/styles.css'

const toPseudo = (text) => {
  const letters = text.replace(/\\{\\w+\\}|[a-z]/gi, (found) =>
    found.length > 1 ? found : String.fromCharCode(0x5d0 + (found.toLowerCase().charCodeAt(0) - 97)))
  return letters + letters.replace(/\\{\\w+\\}/g, '').slice(0, text.length / 3)
}
const pseudo = {
  locale: 'he',
  texts: Object.fromEntries(Object.entries(inEnglish().texts).map(([key, text]) => [key, toPseudo(text)])),
  errors: { REQUEST_NOT_AUTHORIZED: toPseudo('For this you have to sign in again.') },
}

const query = new URLSearchParams(location.search)
const options = JSON.parse(query.get('options') ?? '{}')
const mail = { type: 'email', email: query.get('email') ?? 'you@example.com' }
const login = { type: 'passkey', createNew: false }
const signup = { type: 'passkey', createNew: true, username: 'a' }
const error = { cause: new Error('The operation was cancelled or timed out.') }
const google = { type: 'social', provider: 'google' }
const providers = [[google, { type: 'social', provider: 'acme', name: 'Acme' }], [{ type: 'email' }]]
const tooOld = new BaseError('For your safety, sign in again first.', { code: 'REQUEST_NOT_AUTHORIZED' })
const steps = {
  initial: { type: 'initial' },
  session_ended: { type: 'initial', email: 'you@example.com' },
  submitting: { type: 'initial', request: mail },
  speechless: { type: 'initial', error: { cause: new Error('') } },
  failed: { type: 'initial', email: 'you@example.com', error },
  email_verify: { type: 'email_verify', request: mail },
  resent: { type: 'email_verify', request: mail, resend: 'done' },
  email_code: { type: 'email_verify', request: mail },
  code_checking: { type: 'email_verify', request: mail, code: { isChecking: true } },
  code_refused: { type: 'email_verify', request: mail, code: { error: { cause: new Error("That code isn't right. 4 tries left.") } } },
  resend_refused: { type: 'email_verify', request: mail, error: { cause: new Error('Too many mails.') } },
  mfa: { type: 'mfa' },
  mfa_checking: { type: 'mfa', isChecking: true },
  mfa_refused: { type: 'mfa', error: { cause: new Error('Invalid MFA code.') } },
  email_completing: { type: 'email_completing' },
  email_elsewhere: { type: 'email_link_failed', reason: 'elsewhere' },
  email_gone: { type: 'email_link_failed', reason: 'gone' },
  email_taken: { type: 'email_link_taken', isSignedInHere: true },
  email_spent: { type: 'email_link_failed', reason: 'spent' },
  passkey_new: { type: 'passkey_new', name: 'localhost, today' },
  passkey_none: { type: 'passkey_verify', request: login, error: { cause: null } },
  passkey_verify: { type: 'passkey_verify', request: login },
  passkey_failed: { type: 'passkey_verify', request: login, error },
  passkey_new_failed: { type: 'passkey_verify', request: signup, error },
  social: { type: 'initial' },
  social_verify: { type: 'social_verify', option: google },
  social_failed: { type: 'social_verify', option: google, error },
  social_link: { type: 'social_verify', option: google, error: { cause: new EmailNeededError(mail.email) } },
  social_link_empty: { type: 'social_verify', option: google, error: { cause: new EmailNeededError(undefined) } },
  social_add: { type: 'social_add', option: google },
  social_adding: { type: 'social_add', option: google, isAdding: true },
  passkey_create: { type: 'passkey_create' },
  passkey_adding: { type: 'passkey_create', isAdding: true },
  passkey_create_failed: { type: 'passkey_create', error },
  passkey_sign_in: { type: 'passkey_create', error: { cause: tooOld } },
  confirming: { type: 'email_completing' },
  passkey_confirming: { type: 'passkey_create', isAdding: true },
  recovery_create: { type: 'recovery_create' },
  recovery_adding: { type: 'recovery_create', adding: 'passkey' },
  recovery_mailing: { type: 'recovery_create', email: mail.email, adding: 'email' },
  recovery_sign_in: { type: 'recovery_create', error: { cause: tooOld } },
  recovery_failed: { type: 'recovery_create', email: mail.email, error },
  recovery_confirming: { type: 'recovery_create', email: mail.email, adding: 'email' },
  account_deleting: { type: 'account_deleting' },
  deleting_by_mail: { type: 'account_deleting' },
  cancelling: { type: 'account_deleting', isCancelling: true },
  cancel_failed: { type: 'account_deleting', error: { cause: tooOld } },
  account_kept: { type: 'account_kept' },
}
const toConfirmation = (dispatch, onEnd) => ({
  text: 'Check your email to confirm',
  expiresAtMs: 1795000000000,
  to: query.get('to') ?? mail.email,
  resend: async () => {
    if (document.title === 'refuse') throw new Error('Too many mails.')
  },
  cancel: () => {
    document.title = 'ended'
    onEnd()
    dispatch({ type: 'addFailed', cause: new BaseError('Given up.', { code: 'ABORTED' }) })
  },
})
const state = (add, prove, remove) => [['add', add], ['prove', prove], ...(remove ? [['remove', remove]] : [])]
  .map(([step, state]) => ({ step, state }))
const networks = [
  { chainId: 1, name: 'Latchkey Dev', steps: state('done', 'done') },
  { chainId: 2, name: 'Sepolia', steps: state('done', 'pending') },
  { chainId: 3, name: 'Base Sepolia', steps: state() },
]
const removing = [{ chainId: 1, name: 'Latchkey Dev', steps: state('skipped', 'done', 'pending') }]
const views = {
  owner_choose: { state: 'choose' },
  owner_loading: { state: 'choose', isLoading: true },
  owner_unknown: { state: 'choose', isUnknown: true, error: new Error('The chain did not answer.') },
  owner_removing: { state: 'choose', canRemove: true, isRemoving: true },
  owner_refused: { state: 'choose', error: new Error('The request was declined.') },
  owner_single: { state: 'single' },
  owner_writing: { state: 'writing' },
  owner_adding: { state: 'adding', isPasskey: true, chains: networks },
  owner_adding_paper: { state: 'adding', chains: removing },
  owner_paused: { state: 'paused', isPasskey: true, error: new Error('The network did not answer.') },
  owner_done: { state: 'done', isPasskey: true, chains: networks.slice(0, 1) },
  owner_done_paper: { state: 'done', chains: networks.slice(0, 1) },
}
const actions = ['addPasskey', 'addPaperKey', 'setRemoving', 'resume', 'dismiss', 'cancelPaperKey', 'reload', 'onEnd']
// The view alone: the step around it needs a signed-in user and an account on a chain.
function OwnerDialog({ name, uiConfig }) {
  const titleId = useId()
  const { locale } = useLanguage()
  const [isOpen, setIsOpen] = useState(true)
  const [isRemoving, setRemoving] = useState(views[name].isRemoving)
  const view = { chains: [], ...views[name], isRemoving }
  const calls = Object.fromEntries(actions.map((action) => [action, () => { document.title = action }]))
  const close = () => setIsOpen(false)
  return (
    <StepDialog isOpen={isOpen} stepKey={name} titleId={titleId} root={rootProps(uiConfig, locale, 'lk-modal')} onClose={close}>
      <OwnerView
        {...calls}
        {...{ view, titleId }}
        setRemoving={setRemoving}
        onClose={close}
      />
    </StepDialog>
  )
}
const ended = { reason: 'time', email: 'you@example.com', isPasskey: false, lifeMs: 900000 }
const stepsWithCode = ['email_code', 'code_checking', 'code_refused', 'resend_refused']
const deletion = { dueAtMs: 1795000000000 }

function Page({ step }) {
  const [first] = useState(step)
  const [own, dispatch] = useReducer(authMachine, { isOpen: true, step: steps[step] ?? steps.initial })
  const state = step === first ? own : { isOpen: true, step: steps[step] ?? steps.initial }
  const [isConfirming, setIsConfirming] = useState(step.endsWith('confirming'))
  const flow = {
    state,
    open: () => {},
    close: () => dispatch({ type: 'closed' }),
    back: () => dispatch({ type: 'back' }),
    submit: () => {},
    resend: () => {},
    resendShown: () => {},
    submitCode: (code) => {
      document.title = code
      dispatch({ type: 'codeSubmitted' })
    },
    submitFactor: (code) => {
      document.title = code
      dispatch({ type: 'mfaSubmitted' })
    },
    passkey: () => dispatch({ type: 'passkeyAsked', request: login }),
    otherPasskey: () => dispatch({ type: 'passkeyAsked', request: login }),
    nameNewPasskey: () => dispatch({ type: 'newPasskeyAsked', name: 'localhost, today' }),
    createPasskey: (username = 'a') => {
      document.title = username
      dispatch({ type: 'passkeyAsked', request: { ...signup, username } })
    },
    retry: () => dispatch({ type: 'passkeyAsked', request: state.step.request }),
    linkSocial: (option, email) => dispatch({ type: 'socialLinkAsked', request: { type: 'email', email }, option }),
    addSocial: () => dispatch({ type: 'addPressed' }),
    social: (option) => dispatch({ type: 'socialAsked', option }),
    addPasskey: () => dispatch({ type: 'addPressed' }),
    addEmail: (email) => dispatch({ type: 'addPressed', email }),
    signInAgain: () => dispatch({ type: 'signInAsked', email: mail.email }),
    skip: () => dispatch({ type: 'skipped' }),
    cancelDeletion: () => dispatch({ type: document.title === 'refuse' ? 'cancelFailed' : 'cancelled', cause: tooOld }),
    confirmation: (step === first ? isConfirming : step.endsWith('confirming')) ? toConfirmation(dispatch, () => setIsConfirming(false)) : null,
    ended: step === 'session_ended' ? ended : null,
    deletion: step === 'deleting_by_mail' ? null : deletion,
    codeLength: stepsWithCode.includes(step) ? 9 : null,
  }
  const urls = query.has('plain') ? {} : { supportUrl: './support', termsUrl: './terms' }
  const social = step.startsWith('social') ? providers : undefined
  const arrow = query.has('arrow') ? [[{ type: 'email', hideButton: true }]] : undefined
  const sections = social ?? arrow ?? (query.has('label') ? [[{ type: 'passkey', label: 'Use a passkey' }], [{ type: 'email' }]] : undefined)
  const header = query.get('header') ?? undefined
  const ui = { ...urls, auth: { sections, header, ...options.auth }, ...options.ui }
  const modal = query.has('card')
    ? <AuthSection flow={flow} uiConfig={ui} locale="en" onWanted={() => {}} />
    : views[step]
      ? <OwnerDialog name={step} uiConfig={ui} />
      : <AuthModal flow={flow} uiConfig={ui} />
  return <main><h1>Page</h1><InLanguage locale={query.get('locale')}>{modal}<Shown /></InLanguage></main>
}

// Behind the dialog, whose effects run first: they open it and move the focus.
function Shown() {
  useEffect(() => shown())
  return null
}
let shown = () => {}

function InLanguage({ locale, children }) {
  const loaded = useLoadedLanguage(locale ?? undefined)
  const language = locale === 'pseudo' ? pseudo : loaded
  return language && <LanguageContext.Provider value={language}>{children}</LanguageContext.Provider>
}
if (query.get('locale') === 'pseudo') document.documentElement.dir = 'rtl'

const root = createRoot(document.getElementById('root'))
let count = 0
window.show = (step) =>
  new Promise((resolve) => {
    shown = resolve
    root.render(<Page key={++count} step={step} />)
  })
// Another step in the same dialog.
window.become = (step) =>
  new Promise((resolve) => {
    shown = resolve
    root.render(<Page key={count} step={step} />)
  })
window.show(query.get('step'))
`
