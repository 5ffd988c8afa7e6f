import { type LatchkeyAccount, readAccountDescriptor, type SignedAccountDescriptor } from 'latchkey/accounts'
import {
  type Address,
  type Chain,
  type Client,
  getAddress,
  isAddress,
  isAddressEqual,
  type LocalAccount,
  type Transport,
  zeroAddress,
} from 'viem'
import { getBalance, getCode } from 'viem/actions'
import { type Asset, type Move, nameAsset, parseAsset, planMoves } from '../assets.ts'
import { connectChain } from '../connectChain.ts'
import { CommandError } from '../errors.ts'
import { openAccount } from '../openAccount.ts'
import { readKey } from '../secret.ts'
import { type ExitPlan, prepareExit } from '../sendByItself.ts'
import { describeHolding, describeMove, formatCoin } from './describe.ts'
import { addFacts, explain, find, listAssets, onStep, readFile, type Shown, showStep } from './page.ts'
import { openPasskey } from './passkeys.ts'
import { readWay, showWays } from './ways.ts'

// State of the steps. The inputs of a step are set only after the previous step has succeeded.

type Opened = { client: Client<Transport, Chain, undefined>; descriptor: SignedAccountDescriptor & { signer: Address } }
type Keyed = Opened & { account: LatchkeyAccount; payer: LocalAccount; signer: 'key' | 'passkey' }
/** A passkey signs after the check, so `plan` follows then. */
type Planned = { plan?: ExitPlan | undefined; moves: Move[]; shown: Shown[]; to: Address; isContract: boolean }

let opened: Opened | undefined
let keyed: Keyed | undefined
let assets: Asset[] = []
let planned: Planned | undefined

/** A page that embeds this one could overlay it and trigger its buttons. */
if (window.top !== window.self) document.body.textContent = 'Open this page on its own, not inside another page.'
else start()

function start(): void {
  onStep('account', readAccount)
  onStep('key', readKeys)
  onStep('holdings', chooseAssets)
  onStep('receiver', tryOut)
  onStep('check', send)
  onStep('done', async () => showHoldings())
  for (const button of document.querySelectorAll<HTMLElement>('[data-restart]'))
    button.addEventListener('click', () => location.reload())
  for (const button of document.querySelectorAll<HTMLElement>('[data-back]'))
    button.addEventListener('click', () => showStep(button.dataset.back ?? 'account'))
  find('show', HTMLInputElement).addEventListener('change', ({ currentTarget }) => {
    const isShown = currentTarget instanceof HTMLInputElement && currentTarget.checked
    find('secret', HTMLTextAreaElement).classList.toggle('masked', !isShown)
  })
  find('kind', HTMLSelectElement).addEventListener('change', ({ currentTarget }) => {
    const isCoin = currentTarget instanceof HTMLSelectElement && currentTarget.value === 'erc20'
    find('token-id', HTMLInputElement).disabled = isCoin
  })
  find('add', HTMLButtonElement).addEventListener('click', () => void addToken())
  addEventListener('pagehide', clearSecrets)
  // Reloads pages that are restored from the back/forward cache, which would still have the key.
  addEventListener('pageshow', ({ persisted }) => persisted && location.reload())
}

function clearSecrets(): void {
  find('secret', HTMLTextAreaElement).value = ''
  find('gas-key', HTMLInputElement).value = ''
}

async function readAccount(): Promise<void> {
  const rpcUrl = find('rpc', HTMLInputElement).value.trim()
  if (!/^https?:\/\/\S+$/.test(rpcUrl))
    throw invalid('The node’s URL has to begin with https:// (or http:// on your own machine).')
  const text = (await readFile(find('file', HTMLInputElement))) ?? find('descriptor', HTMLTextAreaElement).value
  if (text.trim() === '') throw invalid('Choose the descriptor’s file, or paste its text.')
  const descriptor = await readAccountDescriptor(text)
  const client = await connectChain(rpcUrl)
  if (!descriptor.chains.includes(client.chain.id))
    throw invalid(`The node is on chain ${client.chain.id}; the account is on ${descriptor.chains.join(', ')}.`)
  opened = { client, descriptor }
  addFacts('facts', [
    ['Account', descriptor.address],
    ['Kind', `${descriptor.type} ${descriptor.version}, chain ${client.chain.id}`],
    ['Descriptor signed by', descriptor.signer],
  ])
  await showWays(client, descriptor)
  showStep('key')
}

async function readKeys(): Promise<void> {
  if (!opened) return
  const { client, descriptor } = opened
  const passkey = readWay()
  const owner = passkey ? openPasskey(passkey) : readKey(find('secret', HTMLTextAreaElement).value)
  const gasKey = find('gas-key', HTMLInputElement).value
  const payer = gasKey.trim() === '' && !('described' in owner) ? owner : readPayer(gasKey)
  const account = await openAccount(client, descriptor, owner)
  clearSecrets()
  keyed = { client, descriptor, account, payer, signer: passkey ? 'passkey' : 'key' }
  assets = [{ kind: 'native' }, ...(descriptor.assets ?? []).map(parseAsset)]
  await showHoldings()
}

function readPayer(gasKey: string): LocalAccount {
  try {
    return readKey(gasKey)
  } catch {
    throw invalid('The key that pays the gas is neither a private key (0x and 64 digits) nor a valid recovery phrase.')
  }
}

async function showHoldings(): Promise<void> {
  if (!keyed) return
  const { client, account } = keyed
  const known = assets
  const holdings = await Promise.all(
    known.map((asset) =>
      describeHolding(client, asset, account.address).catch(() => ({ name: nameAsset(asset), amount: 0n, text: '?' })),
    ),
  )
  listAssets('assets', holdings, (index) => ({ id: `asset-${index}`, isTicked: (holdings[index]?.amount ?? 0n) > 0n }))
  showStep('holdings')
}

async function addToken(): Promise<void> {
  const failure = find('token-error', HTMLElement)
  failure.textContent = ''
  try {
    if (!keyed) return
    const token = find('token', HTMLInputElement).value.trim()
    const id = find('token-id', HTMLInputElement).value.trim()
    if (!isAddress(token)) throw invalid('The contract’s address is not valid. It has 0x and 40 digits.')
    const kind = find('kind', HTMLSelectElement).value
    if (kind !== 'erc20' && !/^\d{1,78}$/.test(id)) throw invalid('A piece has a number: fill in the token number.')
    const asset = parseAsset(kind === 'erc20' ? token : kind === 'erc721' ? `${token}/${id}` : `${token}/${id}/all`)
    const name = nameAsset(asset)
    if (assets.some((other) => nameAsset(other) === name)) throw invalid('It is in the list already.')
    const { amount } = await describeHolding(keyed.client, asset, keyed.account.address)
    if (amount === 0n) throw invalid('The account holds none of it.')
    // One operation moves at most this many assets.
    if (assets.length >= 20) throw invalid('At most 20 at once: move these first.')
    assets = [...assets, asset]
    find('token', HTMLInputElement).value = ''
    await showHoldings()
  } catch (error) {
    failure.textContent = explain(error)
  }
}

async function chooseAssets(): Promise<void> {
  if (readChosen().length === 0) throw invalid('Select what to move.')
  showStep('receiver')
}

const readChosen = () => assets.filter((_, index) => document.querySelector(`#asset-${index}:checked`))

async function tryOut(): Promise<void> {
  if (!keyed) return
  const { client, account, payer, signer } = keyed
  const text = find('to', HTMLInputElement).value.trim()
  if (!isAddress(text) || isAddressEqual(text, zeroAddress))
    throw invalid('This is not an address, or a letter of it is wrong.')
  const to = getAddress(text)
  const chosen = readChosen()
  if (isAddressEqual(to, account.address)) throw invalid('This is the account itself.')
  if (chosen.some((asset) => asset.kind !== 'native' && isAddressEqual(asset.token, to)))
    throw invalid('This is the address of the token itself, where it would be lost.')
  const moves = await planMoves(client, { from: account.address, to, assets: chosen })
  // A passkey signs after the check, since its prompt shows only the site.
  const plan = signer === 'key' ? await prepareExit({ client, account, moves, payer }) : undefined
  const shown = await Promise.all(moves.map((move) => describeMove(client, move, chosen)))
  const isContract = (await getCode(client, { address: to })) !== undefined
  planned = { plan, moves, shown, to, isContract }
  await showCheck(planned, keyed)
  showStep('check')
}

async function showCheck({ plan, shown, to, isContract }: Planned, { client, payer }: Keyed): Promise<void> {
  const coin = client.chain.nativeCurrency
  const funds = plan?.funds ?? (await getBalance(client, { address: payer.address }))
  const isPoor = plan ? plan.funds < plan.fee : funds === 0n
  listAssets('moves', shown)
  addFacts('terms', [
    ['To', to],
    ['Fee, at most', plan ? formatCoin(plan.fee, coin) : 'Shown once your passkey has signed'],
    ['Paid by', `${payer.address}, which has ${formatCoin(funds, coin)}`],
  ])
  const notice = find('notice', HTMLElement)
  notice.hidden = !isContract && !isPoor
  notice.textContent = isPoor
    ? `${payer.address} has too little for the fee. Send it some ${coin.symbol}, then go back and try again.`
    : 'The receiver is a contract. Go on only if you know that you can move things out of it.'
  const button = find('send', HTMLButtonElement)
  button.textContent = plan ? 'Move it now' : 'Sign with your passkey'
  button.setAttribute('aria-disabled', String(isPoor))
  find('progress', HTMLElement).textContent = ''
}

async function send(): Promise<void> {
  if (!planned || !keyed || find('send', HTMLButtonElement).getAttribute('aria-disabled') === 'true') return
  const { plan, shown, to } = planned
  if (!plan) return sign(planned, keyed)
  const progress = find('progress', HTMLElement)
  const undo = find('undo', HTMLButtonElement)
  progress.textContent = 'Sending…'
  undo.hidden = true
  try {
    const hash = await plan.send((sent) => {
      progress.textContent = `Sent as ${sent}. Waiting for a block; keep this page open.`
    })
    // Prevents sending the operation twice.
    planned = undefined
    listAssets('moved', shown)
    addFacts('receipt', [
      ['To', to],
      ['Transaction', hash],
    ])
    showStep('done')
  } finally {
    undo.hidden = false
  }
}

/** Lets the passkey sign, then shows the fee. Sending needs another press. */
async function sign(given: Planned, by: Keyed): Promise<void> {
  const { client, account, payer, signer } = by
  const signed = { ...given, plan: await prepareExit({ client, account, moves: given.moves, payer, signer }) }
  // The user may have gone back while the prompt was open.
  if (planned !== given) return
  planned = signed
  await showCheck(signed, by)
  find('progress', HTMLElement).textContent = 'Signed. Nothing is sent yet: look at the fee, then move it.'
}

const invalid = (message: string) => new CommandError(message, { code: 'CONFIG_INVALID' })
