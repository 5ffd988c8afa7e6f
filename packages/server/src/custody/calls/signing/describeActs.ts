import type { ConfirmationAct, IntentAct, IntentKind } from 'latchkey-protocol'
import { formatEther, getAddress } from 'viem'

/** Acts shown one by one; the rest are counted. */
const maxShown = 20

/** Describes acts for the page and the email on which a person confirms them. Addresses are EIP-55. */
export function describeActs(acts: readonly IntentAct[]): ConfirmationAct[] {
  const rest = acts.length - maxShown
  const shown = acts.slice(0, maxShown).map(describeAct)
  return rest > 0 ? [...shown, { title: `And ${rest} more calls`, facts: [] }] : shown
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

function describeAct(act: IntentAct): ConfirmationAct {
  const { value = '0', isUnlimited, amount } = act
  const facts: [name: string, value: string | undefined][] = [
    ['New owner', listAddresses(act.ownersAdded)],
    ['Removed owner', listAddresses(act.ownersRemoved)],
    ['New code', toAddress(act.implementation)],
    ['Delegate', toAddress(act.delegate)],
    ['Module', toAddress(act.module)],
    ['Spender', toAddress(act.spender)],
    ['Token', toAddress(act.token)],
    ['Amount', isUnlimited ? 'Unlimited' : amount && `${amount} (smallest unit)`],
    ['Recipient', toAddress(act.recipient)],
    ['Contract', toAddress(act.token === act.to ? undefined : act.to)],
    ['Value', value === '0' ? undefined : formatEther(BigInt(value))],
    ['App', act.application],
    ['Data', act.primaryType],
    ['Text', act.text],
  ]
  return {
    title: titles[act.kind],
    facts: facts.flatMap(([name, text]) => (text ? [{ name, value: text }] : [])),
  }
}

const listAddresses = (addresses: readonly string[] = []) => addresses.map(toAddress).join(', ')

function toAddress(address: string | undefined): string | undefined {
  return address !== undefined && /^0x[0-9a-f]{40}$/.test(address) ? getAddress(address) : address
}
