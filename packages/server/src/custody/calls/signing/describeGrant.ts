import type { ConfirmationAct, Grant, Permission } from 'latchkey-protocol'
import { formatEther, getAddress } from 'viem'

/** Maximum number of permissions, and of all their functions, that a page lists in full. */
const maxListed = 20

type Facts = ConfirmationAct['facts']

/**
 * Describes what a grant lets a key do: a sentence with shortened addresses, and facts with full addresses. Returns
 * undefined for a grant with more permissions or functions than a page lists.
 */
export function describeGrant(grant: Grant): Pick<ConfirmationAct, 'title' | 'facts'> | undefined {
  const { key, permissions, expirySec } = grant
  const functions = permissions.flatMap((each) =>
    'data' in each && 'functions' in each.data ? each.data.functions : [],
  )
  if (permissions.length > maxListed || functions.length > maxListed) return undefined
  const ends = new Date(expirySec * 1000)
  const isEndless = expirySec === 0
  return {
    title: `Let key ${shorten(key)} ${describePermissions(permissions)}, ${isEndless ? 'with no end date' : `until ${day.format(ends)}`}`,
    facts: [
      { name: 'Key', value: getAddress(key) },
      ...permissions.flatMap(listFacts),
      ...listSpending(permissions).map(({ name, limit }) => ({ name, value: limit ? `Up to ${limit}` : 'No limit' })),
      { name: 'Ends', value: isEndless ? 'Never' : `${time.format(ends)} UTC` },
    ],
  }
}

const day = new Intl.DateTimeFormat('en-US', { dateStyle: 'medium', timeZone: 'UTC' })
const time = new Intl.DateTimeFormat('en-US', {
  dateStyle: 'medium',
  timeStyle: 'short',
  hourCycle: 'h23',
  timeZone: 'UTC',
})

function describePermissions(permissions: readonly Permission[]): string {
  if (isRoot(permissions)) return 'do everything that you can do with your account'
  const calls = permissions.flatMap(describeCall)
  const tokens = permissions.flatMap((each) =>
    each.type === 'erc20-token-transfer'
      ? [`up to ${BigInt(each.data.allowance)} of the smallest unit of token ${shorten(each.data.address)}`]
      : [],
  )
  const spending = listSpending(permissions).map(({ what, limit }) =>
    limit ? `up to ${limit} in ${what}` : `any amount of ${what}`,
  )
  const spend = `spend ${toList([...tokens, ...spending])}`
  return calls.length > 0 ? `call ${toList(calls)}, and ${spend}` : spend
}

const isRoot = (permissions: readonly Permission[]) => permissions.some(({ type }) => type === 'root')

function describeCall(permission: Permission): string[] {
  switch (permission.type) {
    case 'contract-access':
      return [shorten(permission.data.address)]
    case 'functions-on-contract':
      return [`${count(permission.data.functions)} of ${shorten(permission.data.address)}`]
    case 'functions-on-all-contracts':
      return [`${count(permission.data.functions)} of any contract`]
    case 'account-functions':
      return [`${count(permission.data.functions)} of your account`]
    default:
      return []
  }
}

/** Returns the limits on native currency and network fees; undefined if there is no limit. */
function listSpending(permissions: readonly Permission[]) {
  if (isRoot(permissions)) return []
  const toLimit = (limit: string | undefined) => (limit === undefined ? undefined : formatEther(BigInt(limit)))
  const native = permissions.find((each) => each.type === 'native-token-transfer')?.data.allowance
  const gas = permissions.find((each) => each.type === 'gas-limit')?.data.limit
  return [
    { name: 'Native currency', what: 'native currency', limit: toLimit(native) },
    { name: 'Network fees', what: 'network fees', limit: toLimit(gas) },
  ]
}

function listFacts(permission: Permission): Facts {
  switch (permission.type) {
    case 'contract-access':
      return [{ name: 'Contract', value: getAddress(permission.data.address) }]
    case 'functions-on-contract':
      return [
        { name: 'Contract', value: getAddress(permission.data.address) },
        { name: 'Its functions', value: permission.data.functions.join(', ') },
      ]
    case 'functions-on-all-contracts':
      return [{ name: 'Functions of any contract', value: permission.data.functions.join(', ') }]
    case 'account-functions':
      return [{ name: 'Functions of the account', value: permission.data.functions.join(', ') }]
    case 'erc20-token-transfer':
      return [
        { name: 'Token', value: getAddress(permission.data.address) },
        { name: 'Amount', value: `${BigInt(permission.data.allowance)} (smallest unit)` },
      ]
    default:
      return []
  }
}

const count = ({ length }: readonly unknown[]) => (length === 1 ? '1 function' : `${length} functions`)

const conjunction = new Intl.ListFormat('en-GB', { type: 'conjunction' })
const toList = (parts: readonly string[]) => conjunction.format(parts)

function shorten(address: string): string {
  const whole = getAddress(address)
  return `${whole.slice(0, 6)}…${whole.slice(-4)}`
}
