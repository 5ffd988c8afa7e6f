import { type Hex, numberToHex } from 'viem'
import { devAddresses } from '../../../dev/src/chain/devAddresses.ts'
import { gatewayApp } from '../../../server/src/gateway/app.ts'
import { upsertPolicy } from '../../../server/src/store/ledger/policies.ts'
import type { TestChain } from '../chain.ts'
import { type LightOperation, lightOperation, signOperation, type Version } from './lightOperation.ts'
import { type RpcReply, startTestGateway, type TestGateway } from './startTestGateway.ts'

export type VictimGateway = TestGateway & {
  sponsor(ip: string, operation: LightOperation): Promise<RpcReply>
  /** Requests sponsorship for an operation and sends it. */
  send(ip: string, operation: LightOperation): Promise<RpcReply>
}

const policyId = 'shop'

/**
 * Starts a gateway whose policy sponsors three operations per account and day. Its clients have different IP addresses.
 */
export async function startVictimGateway({ chain }: { chain?: TestChain | undefined } = {}): Promise<VictimGateway> {
  const gateway = await startTestGateway({ chain })
  const limits = { sender: { day: { count: 3 } }, policy: { day: { cost: String(10n ** 19n) } } }
  await upsertPolicy(gateway.db, { projectId: 'app', id: policyId, rules: { limits } })
  const app = gatewayApp({ ...gateway.deps, trustedProxies: 1 })

  async function ask(ip: string, method: string, params: unknown): Promise<RpcReply> {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
    const headers = { 'x-forwarded-for': ip }
    const response = await app.request(`/v2/${gateway.apiKey}`, { method: 'POST', body, headers })
    return (await response.json()) as RpcReply
  }

  function sponsor(ip: string, { version, userOperation, dummySignature }: LightOperation): Promise<RpcReply> {
    const entryPoint = devAddresses.entryPoints[version]
    const request = { policyId, entryPoint, userOperation, dummySignature, overrides: {} }
    return ask(ip, 'alchemy_requestGasAndPaymasterAndData', [request])
  }

  return {
    ...gateway,
    sponsor,
    async send(ip, operation) {
      const { result, error } = await sponsor(ip, operation)
      if (error) return { error }
      const { params } = await signOperation(gateway.chainId, operation, result as Record<string, Hex>)
      return ask(ip, 'eth_sendUserOperation', params)
    },
  }
}

/** Returns an operation of an account that is not deployed yet. */
export function victimOperation(gateway: VictimGateway, version: Version): Promise<LightOperation> {
  return lightOperation(gateway, version, [{ to: `0x${'aa'.repeat(20)}` }])
}

/** Returns the operation with the first nonce of another nonce key. */
export function withNonceKey(operation: LightOperation, key: number): LightOperation {
  const nonce = numberToHex(BigInt(key) << 64n)
  return { ...operation, userOperation: { ...operation.userOperation, nonce } }
}

export declare namespace floodVictim {
  type Parameters = {
    gateway: VictimGateway
    victim: LightOperation
    requests: number
    /** Number of IP addresses of the attacker. */
    addresses: number
    /** Number of concurrent requests. */
    atOnce: number
  }
}

/**
 * Requests sponsorship for the victim's account from many IP addresses. Three of four requests use other nonce keys;
 * the fourth is the victim's own operation. Returns the number of signed requests, and the rules that refused the
 * others.
 */
export async function floodVictim(parameters: floodVictim.Parameters) {
  const { gateway, victim, requests, addresses, atOnce } = parameters
  let next = 0
  let signed = 0
  const rules = new Set<string>()
  async function work(): Promise<void> {
    for (let index = next++; index < requests; index = next++) {
      const operation = index % 4 === 3 ? victim : withNonceKey(victim, index + 1)
      const { error } = await gateway.sponsor(`203.0.113.${Math.floor(index / 4) % addresses}`, operation)
      if (error) rules.add((error.data as { rule?: string } | undefined)?.rule ?? error.message)
      else signed++
    }
  }
  await Promise.all(Array.from({ length: atOnce }, work))
  return { signed, rules: [...rules] }
}
