import { errorText } from '../errorText.ts'
import { texts } from '../texts.ts'
import { WarnIcon } from './Icons.tsx'

export function ErrorBanner({ error }: { error: unknown }) {
  return (
    <div className="lk-error" role="alert">
      <WarnIcon size={18} />
      <div>
        <b>{texts.error}</b>
        <p>{errorText(error)}</p>
      </div>
    </div>
  )
}
