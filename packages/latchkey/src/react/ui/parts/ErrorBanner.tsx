import { errorAdvice, errorText } from '../errorText.ts'
import { texts } from '../texts.ts'
import { WarnIcon } from './Icons.tsx'

export function ErrorBanner({ error }: { error: unknown }) {
  const advice = errorAdvice(error)
  return (
    <div className="lk-error" role="alert">
      <WarnIcon size={18} />
      <div>
        <b>{texts.error}</b>
        <p>{errorText(error)}</p>
        {advice && <p>{advice}</p>}
      </div>
    </div>
  )
}
