import { Failure } from './Failure.tsx'

type OutcomeProps = {
  outcome: { text: string; error?: unknown } | null
  /** An error in plain words, where the page knows better ones than the error's own. */
  explain?: (error: unknown) => string | undefined
}

/** What became of the last press beside it. Always on the page, so that what changes in it is read out. */
export function Outcome({ outcome, explain }: OutcomeProps) {
  const error = outcome?.error
  return (
    <>
      <p className="outcome" role="status">
        {outcome && error === undefined && `${outcome.text}.`}
      </p>
      {outcome && error !== undefined && <Failure title={outcome.text} error={error} explanation={explain?.(error)} />}
    </>
  )
}
