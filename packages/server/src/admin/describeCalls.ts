import { type Call, readCalls } from 'latchkey-protocol'
import type { AdminAssetChange, AdminCall, AdminOperationCalls } from 'latchkey-protocol/admin'
import { type AbiParameter, decodeFunctionData, type Hex } from 'viem'
import { knownFunctions } from './knownFunctions.ts'

const bounds = {
  /**
   * Longer call data is not decoded: several offsets can point to the same bytes, so the decoded data can be quadratic
   * in the encoded size. The limit leaves room for the code of a deployed contract (EIP-3860).
   */
  decodedBytes: 50_000,
  calls: 100,
  changes: 200,
  argumentCharacters: 1_000,
} as const

/** Describes an operation's call data. Accepts any bytes, and returns unreadable ones unchanged. */
export function describeCalls(sender: string, callData: string | null): AdminOperationCalls {
  const nothing = { callData, count: 0, calls: null, changes: [] }
  if (callData === null || callData.length > 2 + bounds.decodedBytes * 2) return nothing
  const calls = readCalls(callData) ?? readOwnCall(sender, callData as Hex)
  if (!calls) return nothing
  const described = calls.slice(0, bounds.calls).map((call) => describeCall(sender, call))
  return {
    callData,
    count: calls.length,
    calls: described.map(({ call }) => call),
    changes: described.flatMap(({ changes }) => changes).slice(0, bounds.changes),
  }
}

/** Decodes a call from the account to itself, which changes its plugins, owners or code. */
function readOwnCall(sender: string, data: Hex): Call[] | undefined {
  const isKnown = /^0x[0-9a-fA-F]{8,}$/.test(data) && decode(data.slice(0, 10) as Hex, data) !== undefined
  return isKnown ? [{ to: sender as Hex, value: 0n, data }] : undefined
}

function describeCall(sender: string, { to, value, data }: Call): { call: AdminCall; changes: AdminAssetChange[] } {
  const selector = data.length >= 10 ? (data.slice(0, 10) as Hex) : null
  const decoded = selector === null ? undefined : decode(selector, data)
  const native: Asked = { standard: 'native', contract: null, to, amount: String(value) }
  return {
    call: {
      to,
      value: String(value),
      selector,
      signature: decoded?.signature ?? null,
      arguments: decoded?.arguments ?? [],
      data,
    },
    changes: [...(value > 0n ? [native] : []), ...(decoded?.asked ?? [])].map((asked) => ({
      kind: 'transfer',
      contract: to,
      from: sender,
      amount: null,
      tokenId: null,
      ...asked,
    })),
  }
}

type Decoded = { signature: string; asked: Asked[]; arguments: AdminCall['arguments'] }

function decode(selector: Hex, data: Hex): Decoded | undefined {
  const found = knownFunctions.get(selector.toLowerCase())
  if (!found) return undefined
  const { item, signature, isDecoded } = found
  if (!isDecoded) return { signature, asked: [], arguments: [] }
  try {
    const args: readonly unknown[] = decodeFunctionData({ abi: [item], data }).args ?? []
    const inputs: readonly AbiParameter[] = item.inputs
    return {
      signature,
      asked: readers[signature]?.(...args.map(String)) ?? [],
      arguments: inputs.map(({ name = '', type }, index) => ({ name, type, value: toText(args[index]) })),
    }
  } catch {
    return undefined
  }
}

function toText(value: unknown): string {
  const text = toWords(value)
  return text.length > bounds.argumentCharacters ? `${text.slice(0, bounds.argumentCharacters)}…` : text
}

function toWords(value: unknown): string {
  if (Array.isArray(value)) return value.map(toWords).join(', ')
  if (typeof value !== 'object' || value === null) return String(value)
  return Object.entries(value)
    .map(([name, member]) => `${name}: ${toWords(member)}`)
    .join(', ')
}

type Asked = Pick<AdminAssetChange, 'standard' | 'to'> & Partial<AdminAssetChange>

const approval = { kind: 'approval' } as const
const [erc20, erc721, erc1155] = ['ERC-20', 'ERC-721', 'ERC-1155'] as const
const erc20Or721 = 'ERC-20 or ERC-721'
const byAuthorization = (from = '', to = '', amount = '') => [{ standard: erc20, from, to, amount } as const]
const authorized = '(address,address,uint256,uint256,uint256,bytes32,uint8,bytes32,bytes32)'

/** Token transfers and approvals by function signature. */
const readers: { readonly [signature: string]: (...args: string[]) => Asked[] } = {
  'transfer(address,uint256)': (to, amount) => [{ standard: erc20, to, amount }],
  'transferFrom(address,address,uint256)': (from, to, amount) => [{ standard: erc20Or721, from, to, amount }],
  'approve(address,uint256)': (to, amount) => [{ ...approval, standard: erc20Or721, to, amount }],
  'increaseAllowance(address,uint256)': (to, amount) => [{ ...approval, standard: erc20, to, amount }],
  'permit(address,address,uint256,uint256,uint8,bytes32,bytes32)': (from, to, amount) => [
    { ...approval, standard: erc20, from, to, amount },
  ],
  [`transferWithAuthorization${authorized}`]: byAuthorization,
  [`receiveWithAuthorization${authorized}`]: byAuthorization,
  'approve(address,address,uint160,uint48)': (contract, to, amount) => [
    { ...approval, standard: erc20, contract, to, amount },
  ],
  'safeTransferFrom(address,address,uint256)': (from, to, tokenId) => [{ standard: erc721, from, to, tokenId }],
  'safeTransferFrom(address,address,uint256,bytes)': (from, to, tokenId) => [{ standard: erc721, from, to, tokenId }],
  'setApprovalForAll(address,bool)': (to, approved) => [
    { ...approval, standard: 'ERC-721 or ERC-1155', to, amount: approved === 'true' ? null : '0' },
  ],
  'safeTransferFrom(address,address,uint256,uint256,bytes)': (from, to, tokenId, amount) => [
    { standard: erc1155, from, to, tokenId, amount },
  ],
  'safeBatchTransferFrom(address,address,uint256[],uint256[],bytes)': (from, to, ids, amounts) => {
    const listed = amounts.split(',')
    const tokens = ids.split(',')
    // ERC-1155 requires both lists to have equal length.
    if (ids === '' || tokens.length !== listed.length) return []
    return tokens.map((tokenId, index) => ({ standard: erc1155, from, to, tokenId, amount: listed[index] ?? null }))
  },
}
