import { useChain } from 'latchkey/react'
import { encode } from 'uqr'
import type { Address } from 'viem'
import { CopyButton } from '../parts/CopyButton.tsx'

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

function QrCode({ text, label }: { text: string; label: string }) {
  const { data, size } = encode(text, { border: 4 })
  const squares = data.flatMap((row, y) => row.map((isDark, x) => (isDark ? `M${x} ${y}h1v1h-1z` : '')))
  return (
    <svg className="qr" role="img" aria-label={label} viewBox={`0 0 ${size} ${size}`} shapeRendering="crispEdges">
      <path d={squares.join('')} />
    </svg>
  )
}
