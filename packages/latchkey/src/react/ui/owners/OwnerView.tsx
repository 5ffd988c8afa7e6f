import type { ReactNode } from 'react'
import { KeyIcon, PaperIcon, PasskeyIcon } from '../Icons.tsx'
import { BusyButton, ErrorBanner, Message, SecondaryButton, StepBar } from '../StepParts.tsx'
import { useLanguage } from '../texts/language.ts'
import type { ChainSteps, OwnerActions, OwnerAddingView } from './useOwnerAdding.ts'

export type OwnerViewProps = OwnerActions & {
  view: OwnerAddingView
  titleId: string
  /** Place of the paper key's frame. */
  frame?: ReactNode
  onEnd: () => void
  onClose?: (() => void) | undefined
}

/** Renders the step that adds a backup key, without its effects. */
export function OwnerView(props: OwnerViewProps) {
  const { view, titleId, onClose } = props
  const { texts } = useLanguage()
  const isAsking = view.state === 'choose' || view.state === 'single'
  const { title, body } = {
    choose: { title: texts.ownerTitle, body: texts.ownerBody },
    single: { title: texts.ownerTitle, body: texts.ownerSingle },
    writing: { title: texts.ownerPaper, body: undefined },
    adding: { title: texts.ownerAddingTitle, body: view.isPasskey ? texts.ownerAddingBody : texts.ownerAddingHere },
    paused: { title: texts.ownerPausedTitle, body: texts.ownerPausedBody },
    done: { title: texts.ownerDoneTitle, body: view.isPasskey ? texts.ownerDoneBody : texts.ownerDonePaper },
  }[view.state]
  return (
    <>
      <StepBar onClose={onClose} />
      {/* The key replaces the elements, because a translator may have replaced their text nodes. */}
      <Message
        key={title}
        icon={isAsking ? <KeyIcon size={30} /> : <PasskeyIcon size={30} />}
        title={title}
        titleId={titleId}
      >
        {body && <p>{body}</p>}
      </Message>
      {(view.state === 'adding' || view.state === 'done') && <Progress chains={view.chains} />}
      {props.frame}
      {view.error !== undefined && <ErrorBanner error={view.error} />}
      <Buttons {...props} />
    </>
  )
}

function Buttons(props: OwnerViewProps) {
  const { view, onEnd, resume, dismiss, cancelPaperKey, reload } = props
  const { texts } = useLanguage()
  switch (view.state) {
    case 'choose':
      if (view.isUnknown) return <Choice label={texts.retry} onPress={reload} second={texts.notNow} onSecond={onEnd} />
      return <Keys {...props} />
    case 'paused':
      return <Choice label={texts.continue} onPress={resume} second={texts.ownerStop} onSecond={dismiss} />
    case 'writing':
      return <SecondaryButton onPress={cancelPaperKey}>{texts.cancel}</SecondaryButton>
    case 'adding':
      return null
    case 'single':
    case 'done':
      return (
        <button type="button" className="lk-button lk-button-primary" onClick={onEnd}>
          {view.state === 'done' ? texts.done : texts.close}
        </button>
      )
  }
}

type ChoiceProps = { label: string; onPress: () => void; second: string; onSecond: () => void }

function Choice({ label, onPress, second, onSecond }: ChoiceProps) {
  return (
    <>
      <button type="button" className="lk-button lk-button-primary" onClick={onPress}>
        {label}
      </button>
      <SecondaryButton onPress={onSecond}>{second}</SecondaryButton>
    </>
  )
}

function Keys({ view, addPasskey, addPaperKey, setRemoving, onEnd }: OwnerViewProps) {
  const { texts } = useLanguage()
  const { isLoading, canRemove, isRemoving } = view
  return (
    <>
      <BusyButton isBusy={isLoading} disabled={isLoading} onClick={addPasskey}>
        <PasskeyIcon />
        <span>{texts.passkey}</span>
      </BusyButton>
      {/* A paper key does not sign while it is made, so it can't sign the removal of the sign-in key. */}
      <SecondaryButton isDisabled={isLoading || isRemoving} onPress={addPaperKey}>
        <PaperIcon />
        <span>{texts.ownerPaper}</span>
      </SecondaryButton>
      {canRemove && (
        <label className="lk-check">
          <input type="checkbox" checked={isRemoving} onChange={(event) => setRemoving(event.target.checked)} />
          <span>
            <b>{texts.ownerRemove}</b>
            <span>{texts.ownerRemoveHint}</span>
          </span>
        </label>
      )}
      <p className="lk-aside">{texts.ownerPaperHint}</p>
      <button type="button" className="lk-link lk-small" onClick={onEnd}>
        {texts.notNow}
      </button>
    </>
  )
}

function Progress({ chains }: { chains: readonly ChainSteps[] }) {
  const { texts } = useLanguage()
  const names = { add: texts.ownerAdd, prove: texts.ownerProve, remove: texts.ownerRemoveStep }
  return (
    <div className="lk-plan" role="status">
      {chains.map(({ chainId, name, steps }) => (
        <section key={chainId} aria-label={name}>
          <b>{name}</b>
          <ol>
            {steps.map(({ step, state }) => (
              <li key={step} data-state={state} aria-current={state === 'pending' ? 'step' : undefined}>
                {names[step]}
              </li>
            ))}
          </ol>
        </section>
      ))}
    </div>
  )
}
