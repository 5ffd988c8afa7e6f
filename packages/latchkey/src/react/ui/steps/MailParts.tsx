import { useEffect, useState } from 'react'
import { createChunk } from '../../../core/createChunk.ts'
import { fill, useLanguage } from '../texts/language.ts'

/** Loaded on demand, because most dialogs never wait for an e-mail. */
const providersChunk = /* @__PURE__ */ createChunk({ name: 'mail', import: () => import('../mailProviders.ts') })

/** Renders a link to the user's webmail site, if the e-mail domain is known. */
export function OpenMail({ email }: { email: string }) {
  const { texts } = useLanguage()
  const [providers, setProviders] = useState(providersChunk.loaded)
  useEffect(() => {
    // Without the chunk, the step works without a link.
    providersChunk.load().then(
      (module) => setProviders(() => module),
      () => {},
    )
  }, [])
  const provider = providers?.findMailProvider(email)
  if (!provider) return null
  return (
    <a className="lk-button lk-button-secondary" href={provider.url} target="_blank" rel="noreferrer">
      {fill(texts.openMail, { provider: provider.name })}
    </a>
  )
}

/** Renders an e-mail address left to right, even in right-to-left languages. */
export function Address({ email }: { email: string }) {
  return (
    <b>
      <bdi>{email}</bdi>
    </b>
  )
}

/** Duration of 'Done!', in milliseconds. */
const resentMs = 2000

type ResendLineProps = {
  /** State of the button; undefined while the button can be clicked. */
  state: 'sending' | 'done' | undefined
  onPress: () => void
  /** Called once 'Done!' has been shown for two seconds. */
  onShown: () => void
}

/** Renders the button that resends the e-mail. */
export function ResendLine({ state, onPress, onShown }: ResendLineProps) {
  const { texts } = useLanguage()
  useEffect(() => {
    if (state !== 'done') return
    const timer = setTimeout(onShown, resentMs)
    return () => clearTimeout(timer)
  }, [state, onShown])
  return (
    <p className="lk-aside" aria-live="polite">
      {texts.notReceived} {/* Not `disabled`, so that the button keeps the focus while it is busy. */}
      <button
        type="button"
        className={state === 'done' ? 'lk-link lk-done' : 'lk-link'}
        aria-disabled={state !== undefined}
        aria-busy={state === 'sending'}
        onClick={() => {
          if (state === undefined) onPress()
        }}
      >
        {state === 'done' ? texts.resent : texts.resend}
      </button>
    </p>
  )
}
