import { modularAccountV2Modules } from 'latchkey-protocol'
import { type Address, type Client, decodeFunctionResult, encodeFunctionData, isAddressEqual, parseAbi } from 'viem'
import { getLogs } from 'viem/actions'
import { convertRpcErrors } from '../errors/RpcError.ts'
import { callView, requireAccountAddress } from '../reads/callView.ts'
import { getValidationData } from './readValidations.ts'

const events = /* @__PURE__ */ parseAbi([
  'event ValidationInstalled(address indexed module, uint32 indexed entityId)',
  'event ValidationUninstalled(address indexed module, uint32 indexed entityId, bool onUninstallSucceeded)',
])
const signersAbi = /* @__PURE__ */ parseAbi([
  'function signers(uint32 entityId, address account) view returns (address)',
])

export declare namespace listValidations {
  type Parameters = {
    /** @default the client's account */
    account?: Address | undefined
    /** First block to search. Nodes may limit the range. @default 0n */
    fromBlock?: bigint | undefined
  }
  type ReturnType = Validation[]
  type Validation = getValidationData.ReturnType & {
    moduleAddress: Address
    entityId: number
    /** Address of the key, if SingleSignerValidationModule stores it. */
    signer: Address | undefined
  }
}

/**
 * Lists the validations that are installed on a Modular Account v2, oldest first: additional keys and passkeys and, in
 * the modes `single-signer` and `webauthn`, the owner. Reads the account's events and its current state. Does not list
 * grants that were never used, because they are not on the chain.
 *
 * @throws `ACCOUNT_NOT_FOUND`, `ADDRESS_INVALID`, `RPC_FAILED` if the node limits the range of blocks.
 *
 * @example
 * ```ts
 * import { listValidations } from 'latchkey/accounts'
 * import { account, publicClient } from './config.ts'
 *
 * for (const { entityId, signer } of await listValidations(publicClient, { account: account.address }))
 *   console.log(entityId, signer)
 * ```
 */
export async function listValidations(
  client: Client,
  parameters: listValidations.Parameters = {},
): Promise<listValidations.ReturnType> {
  const { fromBlock = 0n } = parameters
  const account = requireAccountAddress(client, parameters.account)
  const request = getLogs(client, { address: account, events, fromBlock, strict: true })
  const logs = await convertRpcErrors(request, 'Could not read the validations of the account.')
  const installed = new Map<string, { moduleAddress: Address; entityId: number }>()
  for (const { eventName, args } of logs) {
    const key = `${args.module} ${args.entityId}`
    if (eventName === 'ValidationInstalled') installed.set(key, { moduleAddress: args.module, entityId: args.entityId })
    else installed.delete(key)
  }
  return Promise.all(
    [...installed.values()].map(async (validation) => ({
      ...validation,
      ...(await getValidationData(client, { account, ...validation })),
      signer: await readSigner(client, account, validation),
    })),
  )
}

async function readSigner(
  client: Client,
  account: Address,
  { moduleAddress, entityId }: { moduleAddress: Address; entityId: number },
): Promise<Address | undefined> {
  if (!isAddressEqual(moduleAddress, modularAccountV2Modules.singleSigner)) return undefined
  const call = { abi: signersAbi, functionName: 'signers' } as const
  const data = encodeFunctionData({ ...call, args: [entityId, account] })
  const action = 'Could not read the key of a validation.'
  const result = await callView({ client, address: moduleAddress, data, action })
  return result && decodeFunctionResult({ ...call, data: result })
}
