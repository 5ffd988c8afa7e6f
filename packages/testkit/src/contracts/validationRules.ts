import { type Address, getAddress, type Hex, keccak256, pad } from 'viem'
import type { TestChain } from '../chain.ts'

const tracer = `{
  slots: [], hashes: [], banned: [],
  step: function (log) {
    var op = log.op.toString()
    if (op === 'SLOAD' || op === 'SSTORE')
      this.slots.push([toHex(log.contract.getAddress()), '0x' + log.stack.peek(0).toString(16)])
    if (op === 'SHA3' || op === 'KECCAK256') {
      var start = log.stack.peek(0).valueOf()
      var size = log.stack.peek(1).valueOf()
      if (size > 20 && size < 512) this.hashes.push(toHex(log.memory.slice(start, start + size)))
    }
    if (/^(TIMESTAMP|NUMBER|BLOCKHASH|GASPRICE|ORIGIN|COINBASE|DIFFICULTY|PREVRANDAO|BASEFEE|GASLIMIT|SELFBALANCE|BALANCE|CREATE)$/.test(op))
      this.banned.push(op)
  },
  fault: function () {},
  result: function () { return { slots: this.slots, hashes: this.hashes, banned: this.banned } }
}`

export type Trace = { slots: [Address, Hex][]; hashes: Hex[]; banned: string[] }

export type TracedCall = { from: Address; to: Address; data: Hex }

export const traceCall = (chain: TestChain, call: TracedCall): Promise<Trace> =>
  chain.request<Trace>('debug_traceCall', [{ ...call, gas: '0x1c9c380' }, 'latest', { tracer }])

/** Returns accessed storage slots of other contracts that are not associated with the account (ERC-7562). */
export function strangersIn({ slots, hashes }: Trace, account: Address): string[] {
  const owned = hashes
    .filter((preimage) => preimage.startsWith(pad(account).toLowerCase()))
    .map((preimage) => BigInt(keccak256(preimage)))
  const isAssociated = (slot: bigint) => owned.some((base) => slot >= base && slot - base <= 128n)
  return slots
    .filter(([address, slot]) => getAddress(address) !== account && !isAssociated(BigInt(slot)))
    .map(([address, slot]) => `${getAddress(address)} ${slot}`)
}
