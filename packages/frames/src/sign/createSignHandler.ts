import { hex } from '@scure/base'
import { frameMessages, signingMessages } from 'latchkey-protocol'
import { parseObject, textMember } from '../bundles/members.ts'
import type { Handle, Later } from '../channel/createQueue.ts'
import { expectedId, type Message, messageText, type Reply } from '../channel/message.ts'
import { openExportBundle } from '../export/openExportBundle.ts'
import { FrameError } from '../FrameError.ts'
import type { EmbeddedKey } from '../keys/createEmbeddedKey.ts'
import { handleKeyMessage } from '../keys/keyMessages.ts'
import { overrideRefusals } from '../keys/overrideRefusals.ts'
import type { View } from './createView.ts'
import { describeMessage, describeTransaction, type Line } from './describe.ts'
import { createEthereumKey, type EthereumKey, hashMessage } from './ethereumKey.ts'
import { readTransaction } from './transaction.ts'

export declare namespace createSignHandler {
  type Parameters = {
    embeddedKey: EmbeddedKey
    signingKey: string | null
    view: Pick<View, 'hold' | 'ask' | 'drop'>
  }
  type ReturnType = {
    handle: Handle
    /** Overwrites the key. Rejects a pending request. */
    clear(): void
  }
}

/** Maximum time in milliseconds for which the frame keeps a key in memory, as in the published frames. */
const holdMs = 86_400_000
const maxMessageLength = 100_000

const refusals: Readonly<Record<string, string>> = {
  ...overrideRefusals,
  [frameMessages.injectWalletExportBundle]:
    'a seed phrase is shown by the export frame; this page signs with the key of one account (export_wallet_account, injectKeyExportBundle)',
  [frameMessages.applySettings]: 'this page takes no styles: what is signed must stay readable',
}

/** Returns a handler of the signing page's messages; null for an unknown message. The key stays in this closure. */
export function createSignHandler(parameters: createSignHandler.Parameters): createSignHandler.ReturnType {
  const { embeddedKey, view } = parameters
  let held: { key: EthereumKey; timer: ReturnType<typeof setTimeout> } | undefined
  /** Whether a request is pending. A second request could otherwise replace the first just before the click. */
  let isAsking = false

  const clear = () => {
    if (held) clearTimeout(held.timer)
    held?.key.wipe()
    held = undefined
    view.drop()
  }
  const inject = async (message: Message): Promise<Reply> => {
    const { key, account } = await openKey(parameters, message)
    clear()
    held = { key, timer: setTimeout(clear, holdMs) }
    view.hold({ ...account, address: key.address })
    return { type: frameMessages.bundleInjected, value: true }
  }
  const sign = (message: Message, { what, lines, run }: Request): Later => {
    const key = held?.key
    if (!key) throw new FrameError('there is no key to sign with: inject a key export bundle first')
    assertAddress(message, key)
    if (isAsking) throw new FrameError('another request is waiting for the user: one at a time')
    isAsking = true
    const agreed = view.ask(what, lines).finally(() => {
      isAsking = false
    })
    return { later: agreed.then(() => run(key)) }
  }

  const handle: Handle = async (message) => {
    const refusal = refusals[message.type]
    if (refusal !== undefined) throw new FrameError(`${message.type} is refused: ${refusal}`)
    switch (message.type) {
      case frameMessages.injectKeyExportBundle:
        return inject(message)
      case signingMessages.signMessage:
        return sign(message, readMessageRequest(message))
      case signingMessages.signTransaction:
        return sign(message, readTransactionRequest(message))
      case signingMessages.clearEmbeddedPrivateKey:
        clear()
        return { type: signingMessages.embeddedPrivateKeyCleared, value: true }
      default:
        return handleKeyMessage(embeddedKey, message.type)
    }
  }
  return { handle, clear }
}

/** Decrypts a bundle that contains a private key. Each embedded key decrypts one bundle, as in the export frame. */
async function openKey({ embeddedKey, signingKey }: createSignHandler.Parameters, message: Message) {
  const bundle = messageText(message.value, 'an export bundle')
  const organizationId = expectedId(message, 'organizationId')
  if (message.keyFormat !== undefined && message.keyFormat !== 'HEXADECIMAL')
    throw new FrameError('unsupported key format: this page signs with HEXADECIMAL keys of Ethereum accounts')
  const keyPair = await embeddedKey.read()
  if (!keyPair) throw new FrameError('the key of this frame is used up: initEmbeddedKey makes one for another export')
  const { secret, account } = await openExportBundle({ bundle, signingKey, organizationId, embeddedKey: keyPair })
  try {
    const key = createEthereumKey(secret)
    for (const named of [message.address, account.address])
      if (named !== undefined && named.toLowerCase() !== key.address.toLowerCase())
        throw new FrameError('the export bundle holds the key of another address')
    await embeddedKey.delete()
    return { key, account }
  } finally {
    secret.fill(0)
  }
}

type Request = { what: 'message' | 'transaction'; lines: Line[]; run: (key: EthereumKey) => Reply }

function readMessageRequest(message: Message): Request {
  const text = readPayload(message, 'message')
  if (text.length > maxMessageLength) throw new FrameError(`the message is longer than ${maxMessageLength} characters`)
  return {
    what: 'message',
    lines: describeMessage(text),
    run(key) {
      const { r, s, yParity } = key.sign(hashMessage(text))
      const value = `0x${hex.encode(r)}${hex.encode(s)}${yParity === 0 ? '1b' : '1c'}`
      return { type: signingMessages.messageSigned, value }
    },
  }
}

function readTransactionRequest(message: Message): Request {
  const transaction = readTransaction(readPayload(message, 'transaction'))
  return {
    what: 'transaction',
    lines: describeTransaction(transaction),
    run: (key) => ({ type: signingMessages.transactionSigned, value: transaction.sign(key) }),
  }
}

/** Returns the payload to sign. Rejects unsupported chains. */
function readPayload({ value }: Message, name: 'message' | 'transaction'): string {
  const payload = parseObject(messageText(value, `a ${name}`), `the ${name}`)
  if (payload.type !== 'ETHEREUM')
    throw new FrameError(
      `the ${name}'s type must be ETHEREUM: ${payload.type === 'SOLANA' ? "Solana's curve is" : 'others are'} not served`,
    )
  return textMember(payload, name, `the ${name}`)
}

function assertAddress({ address }: Message, key: EthereumKey): void {
  if (address === undefined) return
  if (messageText(address, 'an address').toLowerCase() === key.address.toLowerCase()) return
  throw new FrameError(`this page holds the key of ${key.address}, no other`)
}
