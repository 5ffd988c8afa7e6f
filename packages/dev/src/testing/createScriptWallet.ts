import { createHash } from 'node:crypto'
import { createSmartAccountClient } from 'latchkey'
import { toLightAccount } from 'latchkey/accounts'
import { defineLatchkeyDevChain } from 'latchkey/chains'
import { type Address, createClient, type Hex, http, type LocalAccount } from 'viem'
import { type PrivateKeyAccount, privateKeyToAccount } from 'viem/accounts'
import type { Devnet } from '../devnet/devnet.ts'
import type { KitCall } from './kitPage/types.ts'
import { readOperation, type TestOperation } from './readOperation.ts'

export declare namespace createScriptWallet {
  type Options = {
    /** Gas policy. `null` lets the account pay. @default the devnet's policy */
    policyId?: string | null | undefined
  }
  /** `owner` is the same key for the same name. */
  type ReturnType = ScriptWallet<PrivateKeyAccount>
}

export type ScriptWallet<owner = LocalAccount> = {
  /** Owner of the account. */
  owner: owner
  address: Address
  /**
   * Sends calls in one operation and waits for its result. Does not throw for a refusal: check the result with
   * `expect`.
   */
  send(calls: KitCall | readonly KitCall[], options?: readOperation.Options): Promise<TestOperation>
}

/**
 * Returns an account for tests of contracts and servers without a browser: a LightAccount whose owner key is derived
 * from the user's name. There is no sign-in; for tests with a sign-in, see `signInScript` and `createTestWallet`.
 *
 * @example
 * ```ts
 * import { createScriptWallet, startTestDevnet } from 'latchkey-dev/testing'
 *
 * const devnet = await startTestDevnet({ example: false })
 * const ada = await createScriptWallet(devnet, 'ada')
 * const { isSponsored } = await ada.send({ target: '0x000000000000000000000000000000000000dEaD' })
 * ```
 */
export async function createScriptWallet(
  devnet: ScriptDevnet,
  name: string,
  options: createScriptWallet.Options = {},
): Promise<createScriptWallet.ReturnType> {
  return openScriptWallet(devnet, privateKeyToAccount(makeKey(name)), options)
}

type ScriptDevnet = Pick<Devnet, 'urls' | 'chainId' | 'apiKey' | 'policyId'>

/** Returns the account of an owner with any kind of key. */
export async function openScriptWallet<owner extends LocalAccount>(
  devnet: ScriptDevnet,
  owner: owner,
  { policyId = devnet.policyId }: createScriptWallet.Options = {},
): Promise<ScriptWallet<owner>> {
  const chain = defineLatchkeyDevChain({
    id: devnet.chainId,
    nodeUrl: devnet.urls.node,
    gatewayUrl: devnet.urls.gateway.replace(/\/v2$/, ''),
  })
  const account = await toLightAccount({ client: createClient({ chain, transport: http(devnet.urls.node) }), owner })
  const client = createSmartAccountClient({
    account,
    chain,
    connection: { apiKey: devnet.apiKey },
    ...(policyId !== null && { gasManagerConfig: { policyId } }),
  })
  return {
    owner,
    address: account.address,
    async send(calls, options) {
      const list: readonly KitCall[] = 'target' in calls ? [calls] : calls
      const uo = list.map(({ target, data = '0x', value = '0' }) => ({ target, data, value: BigInt(value) }))
      try {
        const { hash } = await client.sendUserOperation({ uo })
        return await readOperation(devnet, hash, options)
      } catch (error) {
        const failure = error instanceof Error ? error.message : String(error)
        return { isIncluded: false, isSponsored: false, failure }
      }
    },
  }
}

/** Derives the key of a name. For tests only, because anyone can derive it. */
const makeKey = (name: string): Hex => `0x${createHash('sha256').update(`latchkey-dev ${name}`).digest('hex')}`
