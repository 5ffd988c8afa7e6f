import { useEffect, useState } from 'react'
import { createChunk } from '../../../core/createChunk.ts'
import { fill, useLanguage } from '../texts/language.ts'

/** Most of the dialog's life nothing is awaited. */
const providersChunk = /* @__PURE__ */ createChunk({ name: 'mail', import: () => import('../mailProviders.ts') })

/** Leads to the mailbox, where the address says which that is. */
export function OpenMail({ email }: { email: string }) {
  const { texts } = useLanguage()
  const [providers, setProviders] = useState(providersChunk.loaded)
  useEffect(() => {
    // Without it there is no link; the mail is there.
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

/** An address reads from left to right in any language. */
export function Address({ email }: { email: string }) {
  return (
    <b>
      <bdi>{email}</bdi>
    </b>
  )
}

/** How long 'Done!' stays, in milliseconds. */
const resentMs = 2000

type ResendLineProps = {
  /** Left out while it can be pressed. */
  state: 'sending' | 'done' | undefined
  onPress: () => void
  /** 'Done!' was shown for long enough. */
  onShown: () => void
}

/** Has a mail sent again that did not arrive. */
export function ResendLine({ state, onPress, onShown }: ResendLineProps) {
  const { texts } = useLanguage()
  useEffect(() => {
    if (state !== 'done') return
    const timer = setTimeout(onShown, resentMs)
    return () => clearTimeout(timer)
  }, [state, onShown])
  return (
    <p className="lk-aside" aria-live="polite">
      {texts.notReceived} {/* Not `disabled`: the button keeps the focus while it is busy. */}
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
