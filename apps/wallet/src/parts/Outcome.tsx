import { Failure } from './Failure.tsx'
import { useInView } from './useInView.ts'

type OutcomeProps = {
  outcome: { text: string; error?: unknown } | null
  /** An error in plain words, where the page knows better ones than the error's own. */
  explain?: (error: unknown) => string | undefined
}

/** What became of the last press beside it. Always on the page, so that what changes in it is read out. */
export function Outcome({ outcome, explain }: OutcomeProps) {
  const { text, error } = outcome ?? {}
  const isDone = text !== undefined && error === undefined
  return (
    <>
      <p className="outcome" role="status" ref={useInView<HTMLParagraphElement>(isDone)}>
        {isDone && `${text}.`}
      </p>
      {text !== undefined && !isDone && <Failure title={text} error={error} explanation={explain?.(error)} />}
    </>
  )
}
