import { sentence } from '../format.ts'

/** What was not done, and why. */
export function Failure({ title, error }: { title: string; error: unknown }) {
  return (
    <p className="error" role="alert">
      <b>{title}: not done.</b> {sentence(error)}
    </p>
  )
}
