import { getAddress } from 'viem/utils'
import { useCopy } from './useCopy.ts'

type AddressProps = {
  address: string
  /** Name of the address for screen readers, such as `Owner key`. */
  label?: string
}

/** Shows an address with a copy button, in monospace and with the EIP-55 checksum, so that users can compare it. */
export function Address({ address, label }: AddressProps) {
  const text = getAddress(address)
  // `aria-label` requires an element with a role.
  const Tag = label === undefined ? 'span' : 'output'
  const { copy, isCopied } = useCopy()
  return (
    <span className="address-line" translate="no">
      <Tag className="address" aria-label={label}>
        {text}
      </Tag>
      <button type="button" className="copy" aria-label={`Copy ${label ?? text}`} onClick={() => copy(text)}>
        <span aria-live="polite">{isCopied === null ? 'Copy' : isCopied ? 'Copied' : 'Blocked'}</span>
      </button>
    </span>
  )
}
