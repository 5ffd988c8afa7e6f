import { type Address, type Hex, numberToHex, parseEther } from 'viem'
import { generatePrivateKey, type PrivateKeyAccount, privateKeyToAccount } from 'viem/accounts'
import type { TestGateway } from './startTestGateway.ts'

/** Recipient of the calls. */
export const target: Address = '0x00000000000000000000000000000000000000aa'

// biome-ignore lint/suspicious/noExplicitAny: tests read results of many shapes.
export type Reply = { result?: any; error?: { code: number; message: string; data?: { code?: string } } }

export const newOwner = (): PrivateKeyAccount => privateKeyToAccount(generatePrivateKey())

type App = { request(path: string, init: RequestInit): Response | Promise<Response> }

/** Calls the wallet API of the gateway that `open` returns, like the published client. */
export function walletCalls(open: () => { app: App; gateway: Pick<TestGateway, 'apiKey' | 'chainId' | 'setBalance'> }) {
  async function ask(method: string, params: unknown, { key = open().gateway.apiKey, path = '/v2' } = {}) {
    const response = await open().app.request(path, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}` },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
    })
    return (await response.json()) as Reply
  }
  function requestAccount(owner: PrivateKeyAccount, creationHint: object, key?: string): Promise<Reply> {
    const request = { signerAddress: owner.address, creationHint, includeCounterfactualInfo: true }
    return ask('wallet_requestAccount', [request], key === undefined ? {} : { key })
  }
  return {
    ask,
    requestAccount,
    /** Creates an account with ether. */
    async accountWith(accountType: string, owner = newOwner()): Promise<{ owner: PrivateKeyAccount; from: Address }> {
      const hint = { accountType, salt: '0x0', createAdditional: true }
      const from = (await requestAccount(owner, hint)).result.accountAddress
      await open().gateway.setBalance(from, parseEther('1'))
      return { owner, from }
    },
    toCall: (from: Address, changes: object = {}) => ({
      calls: [{ to: target, value: '0x1' }],
      chainId: numberToHex(open().gateway.chainId),
      from,
      ...changes,
    }),
    async sign(owner: PrivateKeyAccount, { signatureRequest, ...prepared }: Reply['result']) {
      const { raw } = signatureRequest.data as { raw: Hex }
      return { ...prepared, signature: { type: 'secp256k1', data: await owner.signMessage({ message: { raw } }) } }
    },
    /** Waits until the calls are no longer pending. */
    async settled(id: Hex): Promise<Reply['result']> {
      for (let attempt = 0; attempt < 1_200; attempt++) {
        const { result } = await ask('wallet_getCallsStatus', [id])
        if (result.status !== 100) return result
        await new Promise((resolve) => setTimeout(resolve, 50))
      }
      return undefined
    },
  }
}
