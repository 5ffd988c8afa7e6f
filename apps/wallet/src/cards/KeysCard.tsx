import { Button } from '@latchkey/ui/Button'
import { Card } from '@latchkey/ui/Card'
import { modularAccountV2Actions } from 'latchkey/accounts'
import type { Address } from 'viem'
import { toSentence } from '../format.ts'
import { KeyIcon } from '../parts/Icons.tsx'
import { Outcome } from '../parts/Outcome.tsx'
import { Row } from '../parts/Row.tsx'
import { useKeys } from '../state/keys.ts'
import { useChange } from '../state/useChange.ts'
import type { Client } from '../state/useSending.ts'

type KeysCardProps = { client: Client | undefined; account: Address; isDeployed: boolean }

/** Lists the keys that the user has granted to apps, and revokes them. */
export function KeysCard({ client, account, isDeployed }: KeysCardProps) {
  const { data: keys, error } = useKeys(account, isDeployed)
  const { change, isChanging, outcome } = useChange()

  const revoke = (entityId: number) =>
    client &&
    change({
      title: 'Revoked a key',
      failed: 'Could not revoke the key',
      send: () => modularAccountV2Actions(client).revokePermissions({ entityId, waitForTxn: true }),
    })

  return (
    <Card className="plugins keys" title="Keys with permissions">
      {error && <p className="sub">{toSentence(error)}</p>}
      {keys?.length === 0 && <p className="sub">No key besides yours can act for this account.</p>}
      <ul className="list">
        {keys?.map(({ entityId, signer, moduleAddress, isGlobal }) => (
          <Row
            key={`${moduleAddress} ${entityId}`}
            icon={<KeyIcon />}
            title={isGlobal ? 'Can do everything' : 'Limited key'}
            detail={signer ?? moduleAddress}
          >
            <Button
              look="small"
              aria-label={`Revoke ${signer ?? moduleAddress}`}
              isBlocked={!client || !signer || isChanging}
              onClick={() => revoke(entityId)}
            >
              Revoke
            </Button>
          </Row>
        ))}
      </ul>
      <Outcome outcome={outcome} />
    </Card>
  )
}
