import type { AccountDescriptor } from 'latchkey/accounts'
import type { Chain, Client, Transport } from 'viem'
import { findPasskeys, type OwnerPasskey } from '../openAccount.ts'
import { find } from './page.ts'
import { explainPlace, fitOf } from './passkeys.ts'

let passkeys: readonly OwnerPasskey[] = []

/**
 * Offers the passkeys that own the account next to its keys. A passkey that fits the page is selected first. A passkey
 * that only the chain names is assumed to be of this page's site.
 */
export async function showWays(
  client: Client<Transport, Chain, undefined>,
  descriptor: AccountDescriptor,
): Promise<void> {
  const { hostname } = location
  const named = descriptor.owners.filter((owner) => owner.kind === 'passkey')
  const found = hostname === '' ? [] : await findPasskeys(client, descriptor, hostname)
  passkeys = [...named, ...found]
  const fits = await Promise.all(passkeys.map(fitOf))
  const first = fits.indexOf('same')
  const choices = passkeys.map((passkey, index) => {
    const number = passkeys.length > 1 ? ` ${index + 1}` : ''
    const note = found.includes(passkey) ? ', found on the chain' : ''
    return toChoice(String(index), `Passkey${number} of ${passkey.rpId}${note}`, fits[index] === 'none')
  })
  const key = toChoice('key', 'A phrase or a private key', false)
  find('ways-list', HTMLElement).replaceChildren(...choices, key)
  find('ways', HTMLElement).hidden = passkeys.length === 0
  const helps = new Set(passkeys.flatMap((passkey, index) => explainPlace(passkey, fits[index] ?? 'none') ?? []))
  const help = find('passkey-help', HTMLElement)
  help.textContent = [...helps].join('\n')
  help.hidden = helps.size === 0
  find(`way-${first < 0 ? 'key' : first}`, HTMLInputElement).checked = true
  adaptForm()
}

/** Returns the passkey that signs; undefined for a key. */
export function readWay(): OwnerPasskey | undefined {
  const chosen = document.querySelector<HTMLInputElement>('#ways-list input:checked')
  return chosen ? passkeys[Number(chosen.value)] : undefined
}

function toChoice(value: string, text: string, isDisabled: boolean): Element {
  const choice = document.createElement('label')
  const input = document.createElement('input')
  input.type = 'radio'
  input.name = 'way'
  input.id = `way-${value}`
  input.value = value
  input.disabled = isDisabled
  input.addEventListener('change', adaptForm)
  choice.append(input, text)
  return choice
}

/** Shows the fields of the selected owner. */
function adaptForm(): void {
  const isPasskey = readWay() !== undefined
  find('by-key', HTMLElement).hidden = isPasskey
  find('gas-optional', HTMLElement).hidden = isPasskey
  find('gas-key', HTMLInputElement).required = isPasskey
  find('use', HTMLButtonElement).textContent = isPasskey ? 'Use a passkey' : 'Use this key'
  find('gas-help', HTMLElement).textContent = isPasskey
    ? 'A passkey cannot pay. Enter the key of any account with some of the chain’s coin; a new one will do.'
    : 'Of any account with some of the chain’s coin. Empty: the owner’s own address pays.'
}
