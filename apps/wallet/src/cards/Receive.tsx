import { useChain } from 'latchkey/react'
import type { Address } from 'viem'
import { CopyButton } from '../parts/CopyButton.tsx'
import { QrCode } from '../parts/QrCode.tsx'

/** Shows the account's address as text and as a QR code, which also contains the chain (ERC-681). */
export function Receive({ address }: { address: Address }) {
  const { chain } = useChain()
  return (
    <section className="receive" aria-label="Receive">
      <QrCode text={`ethereum:${address}@${chain.id}`} label={`QR code of ${address}`} />
      <div>
        <p className="sub">
          Scan the code or copy the address. Use <b>{chain.name}</b> only: tokens sent on another chain will not arrive.
        </p>
        <p className="mono">{address}</p>
        <CopyButton text={address} label="Copy address" />
      </div>
    </section>
  )
}
