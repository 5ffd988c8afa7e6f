import { Button } from '@latchkey/ui/Button'
import type { ConnectedProvider } from 'latchkey/signer'
import { useState } from 'react'
import { formatDay } from '../format.ts'
import { Question } from '../parts/Question.tsx'
import { Row } from '../parts/Row.tsx'

type ProviderRowsProps = {
  providers: readonly ConnectedProvider[]
  isOnlyMethod: boolean
  isRemoving: boolean
  onRemove: (id: string) => void
}

/** Lists the user's accounts at identity providers. */
export function ProviderRows({ providers, isOnlyMethod, isRemoving, onRemove }: ProviderRowsProps) {
  const [leaving, setLeaving] = useState<ConnectedProvider | null>(null)
  return (
    <>
      {providers.map((each) => (
        <Row
          key={each.id}
          icon="◎"
          title={nameProvider(each.provider)}
          detail={`added ${formatDay(each.createdAtMs)}`}
          more={[each.issuer, each.subject]}
        >
          {isOnlyMethod ? (
            <span className="pill">Only sign-in method</span>
          ) : (
            <Button look="small" isBusy={isRemoving} onClick={() => setLeaving(each)}>
              Remove
            </Button>
          )}
        </Row>
      ))}
      {leaving && (
        <Question
          title={`Remove “${nameProvider(leaving.provider)}”?`}
          yes="Remove account"
          no="Keep it"
          onYes={() => onRemove(leaving.id)}
          onClose={() => setLeaving(null)}
        >
          You can no longer sign in with it. Other browsers where you signed in with an account like it are signed out.
        </Question>
      )}
    </>
  )
}

/** The devnet has one identity provider. */
const nameProvider = (id: string) => (id === 'dev' ? 'Devnet identity provider' : id)
