import { Failure } from './Failure.tsx'
import { useInView } from './useInView.ts'

type OutcomeProps = {
  outcome: { text: string; error?: unknown } | null
  /** Returns an explanation that is more specific than the error's own sentence. */
  explain?: (error: unknown) => string | undefined
}

/** Shows the result of the last action. Always rendered, so that screen readers announce changes. */
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
