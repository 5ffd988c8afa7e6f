import { Address } from '@latchkey/ui/Address'
import { Button } from '@latchkey/ui/Button'
import type { AccountOwner } from 'latchkey/accounts'
import type { useOwners } from 'latchkey/react'
import { type Address as AddressValue, isAddressEqual } from 'viem'
import { KeyIcon } from '../parts/Icons.tsx'
import { Row } from '../parts/Row.tsx'

type Chains = NonNullable<useOwners.ReturnType['chains']>
type OwnerListProps = {
  chains: Chains
  /** Network of the wallet's operations. Only its owners can be removed here. */
  chainId: number | undefined
  own: AddressValue
  isBlocked: boolean
  onRemove: (owner: AddressValue) => void
}

/** Lists the owners of all networks, each once. */
export function OwnerList({ chains, chainId, own, isBlocked, onRemove }: OwnerListProps) {
  const here = chains.find((chain) => chain.chainId === chainId)?.owners ?? []
  const all = chains
    .flatMap(({ owners }) => owners)
    .filter((owner, index, list) => list.findIndex((one) => isSame(one, owner)) === index)
  return (
    <ul className="list">
      {all.map((owner) => (
        <Row
          key={owner.address}
          icon={<KeyIcon />}
          title={isAddressEqual(owner.address, own) ? 'You' : titles[owner.kind]}
          detail={
            <>
              <Address address={owner.address} />
              {chains.length > 1 && (
                <>
                  <br />
                  {networksOf(owner, chains)}
                </>
              )}
            </>
          }
        >
          {here.length > 1 && here.some((one) => isSame(one, owner)) && (
            <Button
              look="small"
              aria-label={`Remove ${owner.address}`}
              isBlocked={isBlocked}
              onClick={() => onRemove(owner.address)}
            >
              Remove
            </Button>
          )}
          {all.length === 1 && <span className="pill quiet">Only owner</span>}
        </Row>
      ))}
    </ul>
  )
}

const isSame = (one: AccountOwner, other: AccountOwner) => isAddressEqual(one.address, other.address)

const titles: { readonly [kind in AccountOwner['kind']]: string } = {
  key: 'Owner',
  passkey: 'Passkey',
  contract: 'Contract',
}

/** Returns the names of the networks on which `owner` owns the account. */
function networksOf(owner: AccountOwner, chains: Chains): string {
  return chains
    .filter(({ owners }) => owners.some((one) => isSame(one, owner)))
    .map(({ name, isDeployed }) => (isDeployed ? name : `${name} (once deployed)`))
    .join(', ')
}
