import { useState } from 'react'
import { keep, readKept } from './kept.ts'

/** Accounts a person can have here, each with an address of its own. */
export const kinds = [
  { name: 'LightAccount v1.1.0', type: 'LightAccount', accountParams: { version: 'v1.1.0' } },
  { name: 'LightAccount v2.0.0', type: 'LightAccount', accountParams: { version: 'v2.0.0' } },
  { name: 'MultiOwnerModularAccount', type: 'MultiOwnerModularAccount', accountParams: {} },
] as const
export type Kind = (typeof kinds)[number]

const key = 'latchkey-wallet:account'

/** The account in use, kept on this device. */
export function useAccountKind(): [Kind, (kind: Kind) => void] {
  const [kind, setKind] = useState(readKind)
  const change = (next: Kind) => {
    keep(key, next.name)
    setKind(next)
  }
  return [kind, change]
}

function readKind(): Kind {
  return kindNamed(readKept(key)) ?? kinds[0]
}

export function kindNamed(name: string | null): Kind | undefined {
  return kinds.find((kind) => kind.name === name)
}
