import { useCallback, useEffect, useState } from 'react'
import { createChunk } from '../../../core/createChunk.ts'
import { KeyIcon } from '../Icons.tsx'
import { BusyButton, ErrorBanner, Message, StepBar } from '../StepParts.tsx'
import { useLanguage } from '../texts/language.ts'
import type { OwnerStepProps } from './OwnerStep.tsx'

/** Loaded when the dialog offers a backup key. */
const ownerChunk = /* @__PURE__ */ createChunk({ name: 'backup key', import: () => import('./OwnerStep.tsx') })

type Parts = typeof import('./OwnerStep.tsx')

/** Loads and renders the step that adds a backup key. */
export function LoadedOwnerStep(props: OwnerStepProps) {
  const { texts } = useLanguage()
  const [parts, setParts] = useState<Parts | undefined>(ownerChunk.loaded)
  const [error, setError] = useState<unknown>()
  const load = useCallback(() => {
    setError(undefined)
    ownerChunk.load().then(setParts, setError)
  }, [])
  useEffect(load, [load])
  if (parts) return <parts.OwnerStep {...props} />
  return (
    <>
      <StepBar onClose={props.onClose} />
      <Message icon={<KeyIcon size={30} />} title={texts.ownerTitle} titleId={props.titleId} />
      {error !== undefined && <ErrorBanner error={error} />}
      <BusyButton isBusy={error === undefined} disabled={error === undefined} onClick={load}>
        <span>{texts.retry}</span>
      </BusyButton>
    </>
  )
}
