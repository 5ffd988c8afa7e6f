import type { Outcome as Value } from '../state/useOperations.ts'
import { Failure } from './Failure.tsx'

/** What became of the last press beside it. Always on the page, so that what changes in it is read out. */
export function Outcome({ outcome }: { outcome: Value | null }) {
  return (
    <>
      <p className="outcome" role="status">
        {outcome && !outcome.error && `${outcome.text}.`}
      </p>
      {outcome?.error !== undefined && <Failure title={outcome.text} error={outcome.error} />}
    </>
  )
}
