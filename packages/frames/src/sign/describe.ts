import { hex } from '@scure/base'
import { toChecksum } from './ethereumKey.ts'
import type { Transaction } from './transaction.ts'

/** Line of the displayed payload. */
export type Line = { name: string; text: string; isCode?: boolean }

/** Returns the lines that display a message: its text and the bytes to sign. */
export function describeMessage(message: string): Line[] {
  return [
    { name: 'Message', text: showHidden(message) },
    { name: 'Bytes', text: `0x${hex.encode(new TextEncoder().encode(message))}`, isCode: true },
  ]
}

/** Returns the lines that display all fields of a transaction. */
export function describeTransaction(transaction: Transaction): Line[] {
  const { to, value, data, chainId, gas, maxFeePerGas, maxPriorityFeePerGas: priority, nonce, accessList } = transaction
  const [chain, coin] = chains[String(chainId)] ?? [undefined, `native coin of chain ${chainId}`]
  const fees = [
    `At most ${toUnits(gas * maxFeePerGas, 18)} ${coin}: ${gas} gas at ${toUnits(maxFeePerGas, 9)} gwei`,
    ...(priority === undefined ? [] : [`including a tip of ${toUnits(priority, 9)} gwei per gas`]),
  ]
  const call = describeCall(data)
  return [
    { name: 'To', text: to ?? 'New contract', isCode: to !== null },
    { name: 'Value', text: `${toUnits(value, 18)} ${coin} (${value} wei)` },
    { name: 'Network', text: chain === undefined ? `Chain ${chainId}` : `${chain} (chain ${chainId})` },
    ...(call === undefined ? [] : [{ name: 'Call', text: call }]),
    data.length === 0
      ? { name: 'Data', text: 'None' }
      : { name: `Data, ${data.length} bytes`, text: `0x${hex.encode(data)}`, isCode: true },
    { name: 'Fees', text: fees.join(', ') },
    { name: 'Nonce', text: String(nonce) },
    ...(accessList.length === 0 ? [] : [{ name: 'Access list', text: accessList.join(' '), isCode: true }]),
  ]
}

const chains: Readonly<Record<string, readonly [name: string, coin: string]>> = {
  1: ['Ethereum', 'ETH'],
  10: ['OP Mainnet', 'ETH'],
  137: ['Polygon', 'POL'],
  8453: ['Base', 'ETH'],
  42161: ['Arbitrum One', 'ETH'],
  84532: ['Base Sepolia', 'test ETH'],
  11155111: ['Sepolia', 'test ETH'],
}

/** Token functions that transfer or approve assets, by selector (ERC-20, ERC-721). */
const calls: Readonly<Record<string, readonly [name: string, ...parameters: readonly string[]]>> = {
  a9059cbb: ['transfer', 'address to', 'uint amount'],
  '23b872dd': ['transferFrom', 'address from', 'address to', 'uint amount'],
  '095ea7b3': ['approve', 'address spender', 'uint amount'],
  '39509351': ['increaseAllowance', 'address spender', 'uint amount'],
  a22cb465: ['setApprovalForAll', 'address operator', 'bool approved'],
}
const unlimited = 2n ** 256n - 1n

/**
 * Describes a call of a known function with valid arguments. Returns undefined for other calls, which are shown only as
 * bytes.
 */
function describeCall(data: Uint8Array): string | undefined {
  const [name, ...parameters] = calls[hex.encode(data.subarray(0, 4))] ?? []
  if (name === undefined || data.length !== 4 + 32 * parameters.length) return undefined
  const texts = parameters.map((parameter, index) => {
    const word = hex.encode(data.subarray(4 + 32 * index, 36 + 32 * index))
    const [type, label] = parameter.split(' ')
    if (type === 'address') return /^0{24}/.test(word) ? `${label} ${toChecksum(word.slice(24))}` : undefined
    const value = BigInt(`0x${word}`)
    if (type === 'bool') return value > 1n ? undefined : `${label} ${value === 1n ? 'yes' : 'no'}`
    return `${label} ${value === unlimited ? 'unlimited' : `${value} (in the token's smallest unit)`}`
  })
  return texts.includes(undefined) ? undefined : `${name}: ${texts.join(', ')}`
}

/** Formats an amount in its larger unit without rounding. */
export function toUnits(amount: bigint, decimals: number): string {
  const digits = String(amount).padStart(decimals + 1, '0')
  const fraction = digits.slice(-decimals).replace(/0+$/, '')
  return `${digits.slice(0, -decimals)}${fraction && '.'}${fraction}`
}

/** Replaces invisible and direction-changing characters with their code points. */
export function showHidden(text: string): string {
  return text.replace(
    /[^\P{C}\n]|[\p{Zl}\p{Zp}\u00a0\u115f\u1160\u2800\u3164\uffa0]|\u034f/gu,
    (character) => `{U+${character.codePointAt(0)?.toString(16).toUpperCase().padStart(4, '0')}}`,
  )
}
