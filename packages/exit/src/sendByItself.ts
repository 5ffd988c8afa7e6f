import type { LatchkeyAccount } from 'latchkey/accounts'
import {
  BaseError,
  type Chain,
  type Client,
  ContractFunctionRevertedError,
  encodeFunctionData,
  type Hash,
  type LocalAccount,
  parseEventLogs,
  slice,
  type TransactionReceipt,
  type Transport,
} from 'viem'
import { entryPoint06Abi, entryPoint07Abi, toPackedUserOperation, type UserOperation } from 'viem/account-abstraction'
import {
  estimateFeesPerGas,
  estimateGas,
  getBalance,
  getTransactionReceipt,
  sendTransaction,
  simulateContract,
} from 'viem/actions'
import type { Move } from './assets.ts'
import { CommandError } from './errors.ts'

type Signer = 'key' | 'passkey'
type ChainClient = Client<Transport, Chain, undefined>

export type ExitPlan = {
  /** Maximum fee of the payer, in wei. */
  fee: bigint
  /** Balance of the payer, in wei. */
  funds: bigint
  /**
   * Sends the transaction, calls `onSent` with its hash, and waits for its block.
   *
   * @throws `USER_OPERATION_REVERTED`, `NODE_UNREACHABLE`, `TIMEOUT`.
   */
  send(onSent?: (hash: Hash) => void): Promise<Hash>
}

/**
 * Prepares an operation that the payer submits to the entry point in its own transaction, like a bundler. The operation
 * is signed and simulated. Its fee is 0, so the account pays nothing to the entry point and can move all of its ether.
 *
 * @throws `OWNER_NOT_FOUND`, `USER_OPERATION_INVALID`, `NODE_UNREACHABLE`.
 */
export async function prepareExit({
  client,
  account,
  moves,
  payer,
  signer = 'key',
}: {
  client: ChainClient
  account: LatchkeyAccount
  moves: readonly Move[]
  payer: LocalAccount
  /** Type of the owner that signs, for error messages. @default 'key' */
  signer?: Signer | undefined
}): Promise<ExitPlan> {
  const operation = await signOperation(account, moves)
  const data = await tryOut(client, account, operation, { payer, signer })
  const to = account.entryPoint.address
  const [gasUsed, { maxFeePerGas }, funds] = await Promise.all([
    // Estimates without a fee, since a fee would require funds of the payer, which are checked separately.
    estimateGas(client, { account: payer.address, to, data, gasPrice: 0n }),
    estimateFeesPerGas(client),
    getBalance(client, { address: payer.address }),
  ])
  const gas = (gasUsed * 6n) / 5n
  return {
    fee: gas * maxFeePerGas,
    funds,
    send: async (onSent) => {
      try {
        const hash = await sendTransaction(client, { account: payer, chain: client.chain, to, data, gas })
        onSent?.(hash)
        checkOutcome(account, await waitForBlock(client, hash))
        return hash
      } catch (cause) {
        if (!(cause instanceof BaseError)) throw cause
        throw new CommandError(`The transaction was not accepted: ${cause.shortMessage}`, {
          code: 'NODE_UNREACHABLE',
          cause,
          hint: `Check that ${payer.address}, which pays the gas, has enough of the chain's coin.`,
        })
      }
    },
  }
}

async function signOperation(account: LatchkeyAccount, moves: readonly Move[]): Promise<UserOperation> {
  const [nonce, callData, isDeployed] = await Promise.all([
    account.getNonce(),
    account.encodeCalls(moves.map(({ call }) => call)),
    account.isDeployed(),
  ])
  const initCode = isDeployed ? undefined : await account.getFactoryInitCode()
  const shared = {
    sender: account.address,
    nonce,
    callData,
    // Enough for the most expensive account's deployment and transfers; unused gas is not paid.
    verificationGasLimit: 2_000_000n,
    callGasLimit: 200_000n + 300_000n * BigInt(moves.length),
    preVerificationGas: 0n,
    maxFeePerGas: 0n,
    maxPriorityFeePerGas: 0n,
    signature: '0x' as const,
  }
  const created = initCode && { factory: slice(initCode, 0, 20), factoryData: slice(initCode, 20) }
  const operation: UserOperation =
    account.entryPoint.version === '0.6' ? { ...shared, initCode: initCode ?? '0x' } : { ...shared, ...created }
  return { ...operation, signature: await account.signUserOperation(operation) }
}

/** Simulates the transaction. Returns its call data. */
async function tryOut(
  client: ChainClient,
  account: LatchkeyAccount,
  operation: UserOperation,
  { payer, signer }: { payer: LocalAccount; signer: Signer },
) {
  const shared = { account: payer, address: account.entryPoint.address, functionName: 'handleOps' } as const
  try {
    if (account.entryPoint.version === '0.7') {
      const args = [[toPackedUserOperation(operation)], payer.address] as const
      await simulateContract(client, { ...shared, abi: entryPoint07Abi, args })
      return encodeFunctionData({ abi: entryPoint07Abi, functionName: 'handleOps', args })
    }
    const args = [[toUserOperation06(operation)], payer.address] as const
    await simulateContract(client, { ...shared, abi: entryPoint06Abi, args })
    return encodeFunctionData({ abi: entryPoint06Abi, functionName: 'handleOps', args })
  } catch (cause) {
    throw explain(cause, signer)
  }
}

function toUserOperation06(operation: UserOperation) {
  const { sender, nonce, callData, callGasLimit, verificationGasLimit, preVerificationGas, signature } = operation
  const { initCode = '0x', maxFeePerGas, maxPriorityFeePerGas } = operation
  const gas = { callGasLimit, verificationGasLimit, preVerificationGas, maxFeePerGas, maxPriorityFeePerGas }
  return { sender, nonce, initCode, callData, ...gas, paymasterAndData: '0x' as const, signature }
}

function explain(cause: unknown, signer: Signer): unknown {
  if (!(cause instanceof BaseError)) return cause
  const reverted = cause.walk((error) => error instanceof ContractFunctionRevertedError)
  const args = reverted instanceof ContractFunctionRevertedError ? (reverted.data?.args ?? []) : []
  const reason = args.find((value) => typeof value === 'string' && value.startsWith('AA'))
  if (typeof reason !== 'string')
    return new CommandError(`The entry point refused the operation: ${cause.shortMessage}`, {
      code: 'USER_OPERATION_INVALID',
      cause,
    })
  if (reason.startsWith('AA24') || reason.startsWith('AA23'))
    return new CommandError(`The account rejects the signature: ${rejections[signer].because}`, {
      code: 'OWNER_NOT_FOUND',
      cause,
      hint: `${rejections[signer].hint} The entry point said: ${reason}`,
    })
  return new CommandError(`The entry point refused the operation: ${reason}. Nothing was sent.`, {
    code: 'USER_OPERATION_INVALID',
    cause,
  })
}

const rejections = {
  key: { because: 'the key belongs to none of its current owners.', hint: 'Use the key of an owner.' },
  passkey: {
    because: 'it is of another passkey, or the device did not verify you.',
    hint: 'Choose the passkey that owns the account, and confirm with fingerprint, face or PIN.',
  },
}

async function waitForBlock(client: ChainClient, hash: Hash): Promise<TransactionReceipt> {
  for (let attempt = 0; attempt < 180; attempt++) {
    const receipt = await getTransactionReceipt(client, { hash }).catch(() => undefined)
    if (receipt) return receipt
    await new Promise((resolve) => setTimeout(resolve, attempt < 10 ? 100 : 1000))
  }
  throw new CommandError(`The transaction ${hash} was sent, but is not in a block after three minutes.`, {
    code: 'TIMEOUT',
    hint: 'Look for it in an explorer of the chain before you try again.',
  })
}

/** A block may contain an operation whose calls failed. */
function checkOutcome(account: LatchkeyAccount, { logs, transactionHash, status }: TransactionReceipt): void {
  const events = parseEventLogs({ abi: entryPoint07Abi, eventName: 'UserOperationEvent', logs })
  const mine = events.find(({ args }) => args.sender === account.address)
  if (status === 'success' && mine?.args.success) return
  throw new CommandError(`The transaction ${transactionHash} is in a block, but moved nothing: a transfer failed.`, {
    code: 'USER_OPERATION_REVERTED',
    hint: 'Try fewer assets at once.',
  })
}
