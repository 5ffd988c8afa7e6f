import type { ConfirmationAct, IntentAct, IntentKind } from 'latchkey-protocol'
import { formatEther, getAddress, type Hex, keccak256, slice } from 'viem'
import { cleanText } from '../../confirmations/requestConfirmation.ts'
import { custodyError } from '../../custodyError.ts'
import type { Review } from './checkSpending.ts'
import { describeGrant } from './describeGrant.ts'

/** Maximum number of acts shown one by one; the rest are counted. */
const maxShown = 20

/**
 * Describes acts for the page and the e-mail on which a person confirms them. Shows every act under review, and others
 * if there is space. Addresses are EIP-55.
 * @throws `REQUEST_NOT_AUTHORIZED` if more acts are under review than a page can show.
 */
export function describeActs(signed: readonly IntentAct[], reviews: readonly Review[]): ConfirmationAct[] {
  const { acts, reviewed } = joinGrants(
    signed,
    reviews.map(({ act }) => act),
  )
  if (reviewed.length > maxShown)
    throw custodyError(
      'REQUEST_NOT_AUTHORIZED',
      `At most ${maxShown} calls that need a confirmation can be signed at once. Split them into several operations.`,
    )
  let space = maxShown - reviewed.length
  const shown = acts.flatMap((act, index) => {
    if (!reviewed.includes(act) && space-- <= 0) return []
    const label = acts.length > 1 ? `Call ${index + 1} of ${acts.length}` : 'What is signed'
    const { title, facts } = describeAct(act)
    return [{ label, title, facts: [...facts, ...listReasons(reviews, act)] }]
  })
  const rest = acts.length - shown.length
  return rest > 0 ? [...shown, { label: 'Not shown', title: `${rest} more calls`, facts: [] }] : shown
}

function listReasons(reviews: readonly Review[], act: IntentAct): ConfirmationAct['facts'] {
  const reasons = reviews.flatMap((review) => (review.act === act && review.reason ? [review.reason] : []))
  return reasons.length === 0 ? [] : [{ name: 'Why you are asked', value: [...new Set(reasons)].join('; ') }]
}

/** Joins a deferred action and its grant, since one sentence describes both. */
function joinGrants(acts: readonly IntentAct[], reviewed: readonly IntentAct[]) {
  const toShown = (act: IntentAct) => {
    const next = acts[acts.indexOf(act) + 1]
    return act.kind === 'deferred-action' && next?.grant && describeGrant(next.grant) ? next : act
  }
  return { acts: [...new Set(acts.map(toShown))], reviewed: [...new Set(reviewed.map(toShown))] }
}

const titles: Readonly<Record<IntentKind, string>> = {
  transfer: 'Send native currency',
  'token-transfer': 'Send tokens',
  approval: 'Let a contract spend tokens',
  call: 'Call a contract',
  deploy: 'Create a contract',
  'owner-change': 'Change owners',
  upgrade: "Replace the account's code",
  'module-change': 'Add, change or remove a module',
  'session-key': 'Change the permissions of session keys',
  'deferred-action': 'Let the account be changed later',
  delegation: "Give the key's address the code of a contract",
  message: 'Sign a message',
  'typed-data': 'Sign data for an app',
}

function describeAct(act: IntentAct): Omit<ConfirmationAct, 'label'> {
  const { value = '0', isUnlimited, amount } = act
  const grant = act.grant && describeGrant(act.grant)
  const isTransfer = act.kind === 'transfer' && act.selector === undefined
  const listed: [name: string, value: string | undefined][] = [
    ['New owner', listAddresses(act.ownersAdded)],
    ['New owner', act.passkeysAdded?.map((key) => `Passkey ${toIdentifier(key)}`).join(', ')],
    ['Removed owner', listAddresses(act.ownersRemoved)],
    ['New code', toAddress(act.implementation)],
    ['Delegate', toAddress(act.delegate)],
    ['Module', grant ? undefined : toAddress(act.module)],
    ['Spender', toAddress(act.spender)],
    ['Token', toAddress(act.token)],
    ['Amount', isUnlimited ? 'Unlimited' : amount && `${amount} (smallest unit)`],
    ['Recipient', toAddress(act.recipient ?? (isTransfer ? act.to : undefined))],
    [grant ? 'Smart account' : 'Contract', toAddress(isTransfer || act.token === act.to ? undefined : act.to)],
    ['Value', value === '0' ? undefined : formatEther(BigInt(value))],
  ]
  const quoted: [name: string, value: string | undefined][] = [
    ['App', act.application],
    ['Data', act.primaryType],
    ['Text', act.text],
  ]
  return {
    title: grant?.title ?? titles[act.kind],
    facts: [
      ...(grant?.facts ?? []),
      ...listed.flatMap(([name, text]) => (text ? [{ name, value: text }] : [])),
      ...quoted.flatMap(([name, text]) => (text ? [{ name, value: cleanText(text), isQuoted: true as const }] : [])),
    ],
  }
}

/** Returns the address under which wallets list a passkey of a Modular Account v2. */
const toIdentifier = (publicKey: string) => getAddress(slice(keccak256(publicKey as Hex), 12))

const listAddresses = (addresses: readonly string[] = []) => addresses.map(toAddress).join(', ')

function toAddress(address: string | undefined): string | undefined {
  return address !== undefined && /^0x[0-9a-f]{40}$/.test(address) ? getAddress(address) : address
}
