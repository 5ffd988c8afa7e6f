import { type ReactElement, useEffect, useId, useSyncExternalStore } from 'react'
import { getSigner, watchSigner } from '../../../wallet/actions/signer.ts'
import { useSignerPart } from '../../query/useSignerPart.ts'
import type { OwnerOfferStep } from '../authStep.ts'
import { ConfirmationStep } from '../steps/ConfirmationStep.tsx'
import type { AuthFlow } from '../useAuthFlow.ts'
import { OwnerView } from './OwnerView.tsx'
import { useOwnerAdding } from './useOwnerAdding.ts'

export type OwnerStepProps = {
  step: OwnerOfferStep
  flow: Pick<AuthFlow, 'config' | 'skip'>
  titleId: string
  onClose?: (() => void) | undefined
}

/**
 * Adds a backup key to the account on every network: a passkey, or a paper key. Shows the wait for a confirmation
 * itself, because the paper key's frame must stay in the page meanwhile.
 */
export function OwnerStep({ step, flow, titleId, onClose }: OwnerStepProps): ReactElement {
  const containerId = useId()
  const { config } = flow
  const signer = useSyncExternalStore(
    watchSigner(config),
    () => getSigner(config),
    () => null,
  )
  const { view, isBusy, ...actions } = useOwnerAdding({ owner: step.owner, config, signer, containerId })
  const pending = useSignerPart(signer, 'confirmation')
  const confirmation = isBusy ? pending : null
  const shown = confirmation ? 'confirmation' : view.state
  // The dialog moves the focus between its steps, and this step has several views.
  // biome-ignore lint/correctness/useExhaustiveDependencies: another view gets the focus
  useEffect(() => {
    document.getElementById(titleId)?.focus()
  }, [shown, titleId])
  return (
    <>
      {confirmation && (
        <ConfirmationStep
          {...{ confirmation, titleId, onClose }}
          isSkippable={false}
          onCancel={() => confirmation.cancel()}
        />
      )}
      <div className="lk-contents" hidden={confirmation !== null}>
        <OwnerView
          {...{ view, onClose }}
          {...actions}
          titleId={confirmation ? `${titleId}-hidden` : titleId}
          frame={<div id={containerId} className="lk-frame" hidden={view.state !== 'writing'} />}
          onEnd={flow.skip}
        />
      </div>
    </>
  )
}
