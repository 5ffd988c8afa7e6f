import { type Hex, numberToHex, type StateMapping, type StateOverride } from 'viem'

/** A viem state override in the form nodes and bundlers take: an object by address, quantities in hex. */
export function toStateOverride(override: StateOverride): Record<Hex, Record<string, unknown>> {
  const entries = override.map(({ address, balance, nonce, code, state, stateDiff }) => [
    address,
    {
      ...(balance === undefined ? {} : { balance: numberToHex(balance) }),
      ...(nonce === undefined ? {} : { nonce: numberToHex(nonce) }),
      ...(code === undefined ? {} : { code }),
      ...(state === undefined ? {} : { state: toSlots(state) }),
      ...(stateDiff === undefined ? {} : { stateDiff: toSlots(stateDiff) }),
    },
  ])
  return Object.fromEntries(entries)
}

function toSlots(mapping: StateMapping): Record<Hex, Hex> {
  return Object.fromEntries(mapping.map(({ slot, value }) => [slot, value]))
}
