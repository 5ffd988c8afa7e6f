import { createSmartAccountClient, LocalAccountSigner } from '@aa-sdk/core'
import { sepolia } from '@account-kit/infra'
import { createModularAccountV2 } from '@account-kit/smart-contracts'
import { PermissionBuilder } from '@account-kit/smart-contracts/experimental'
import fc from 'fast-check'
import { grantPermissions, toModularAccountV2 } from 'latchkey/accounts'
import { type Permission, planPermissions, readIntent } from 'latchkey-protocol'
import { createPublicClient, custom, decodeFunctionData, type Hex, parseAbi } from 'viem'
import { createBundlerClient } from 'viem/account-abstraction'
import { privateKeyToAccount } from 'viem/accounts'
import { beforeAll, expect, test } from 'vitest'

// Compares Latchkey's encodings for Modular Account v2 with those of Account Kit 4.88.5. Sends no operations.

const options = { numRuns: Number(process.env.FUZZ_INPUTS ?? 10_000), seed: Number(process.env.LATCHKEY_SEED) }
const privateKey: Hex = `0x${'11'.repeat(32)}`
const address = '0x7A546bF84e0b86374B2A765F2c294548363D279a'
const key = '0x1563915e194D8CfBA1943570603F7606A3115508'

/** Transport that returns zero for every read: the next nonce is the first one, and the account has no hooks. */
const transport = custom({
  request: async ({ method }: { method: string }) => (method === 'eth_getCode' ? '0x' : `0x${'00'.repeat(32)}`),
})

let theirs: Awaited<ReturnType<typeof openTheirs>>
let ours: Awaited<ReturnType<typeof toModularAccountV2>>
beforeAll(async () => {
  theirs = await openTheirs()
  const client = createPublicClient({ chain: sepolia, transport })
  ours = await toModularAccountV2({ client, owner: privateKeyToAccount(privateKey) })
})

async function openTheirs() {
  const signer = LocalAccountSigner.privateKeyToAccountSigner(privateKey)
  const account = await createModularAccountV2({ mode: 'default', chain: sepolia, transport, signer })
  return createSmartAccountClient({ account, chain: sepolia, transport })
}

const toHex = (bytes: Uint8Array): Hex => `0x${Buffer.from(bytes).toString('hex')}`
const lower = (value: Hex) => value.toLowerCase()
const hex = (length: number) => fc.uint8Array({ minLength: length, maxLength: length }).map(toHex)
const amount = fc.bigInt({ min: 1n, max: 2n ** 256n - 1n }).map((value): Hex => `0x${value.toString(16)}`)
const selectors = fc.uniqueArray(hex(4), { minLength: 1, maxLength: 4 })

test('has the same address and signs operations, messages and deferred actions alike', async () => {
  expect(ours.address).toBe(theirs.account.address)
  expect(ours.address).toBe(address)
  await fc.assert(
    fc.asyncProperty(hex(32), fc.string(), async (hash, message) => {
      expect(await ours.signMessage({ message })).toBe(lower(await theirs.account.signMessage({ message })))
      expect(await ours.signUserOperationHash(hash)).toBe(lower(await theirs.account.signUserOperationHash(hash)))
    }),
    { ...options, numRuns: options.numRuns / 100 },
  )
})

test('encodes calls alike', async () => {
  const call = fc.record({
    target: fc.oneof(hex(20), fc.constant(address)),
    value: fc.bigInt({ min: 0n, max: 2n ** 256n - 1n }),
    data: fc.uint8Array({ minLength: 4, maxLength: 70 }).map(toHex),
  })
  await fc.assert(
    fc.asyncProperty(fc.array(call, { minLength: 2, maxLength: 5 }), async (calls) => {
      const mine = await ours.encodeCalls(calls.map(({ target, ...rest }) => ({ ...rest, to: target as Hex })))
      expect(lower(mine)).toBe(lower(await theirs.account.encodeBatchExecute(calls as never)))
      const [{ target, value, data }] = calls as [(typeof calls)[0]]
      const single = target === address ? { target, value: 0n, data } : { target, value, data }
      const own = await ours.encodeCalls([{ to: single.target as Hex, value: single.value, data }])
      expect(lower(own)).toBe(lower(await theirs.account.encodeExecute(single as never)))
    }),
    options,
  )
})

const installAbi = parseAbi([
  'function installValidation(bytes25 validationConfig, bytes4[] selectors, bytes installData, bytes[] hooks)',
])
/** Decodes an installation. Sorts its lists, whose order has no effect. */
function readInstallation(callData: Hex) {
  const { args } = decodeFunctionData({ abi: installAbi, data: callData })
  const [config, allowed, installData, hooks] = args
  return { config, installData, selectors: [...allowed].sort(), hooks: [...hooks].sort() }
}

/** Permission lists that both libraries accept: each target occurs once, and the key may call something. */
const permissions = fc
  .record({
    targets: fc.uniqueArray(hex(20), { minLength: 1, maxLength: 6 }),
    kinds: fc.array(fc.constantFrom('contract-access', 'functions-on-contract', 'erc20-token-transfer'), {
      minLength: 6,
      maxLength: 6,
    }),
    functions: fc.array(selectors, { minLength: 6, maxLength: 6 }),
    amounts: fc.array(amount, { minLength: 6, maxLength: 6 }),
    anywhere: fc.option(selectors),
    account: fc.option(selectors),
    native: fc.option(amount),
    gas: fc.option(amount),
  })
  .map(({ targets, kinds, functions, amounts, anywhere, account, native, gas }): Permission[] => [
    ...targets.map((target, index): Permission => {
      if (kinds[index] === 'contract-access') return { type: 'contract-access', data: { address: target } }
      if (kinds[index] === 'erc20-token-transfer')
        return { type: 'erc20-token-transfer', data: { address: target, allowance: amounts[index] ?? '0x1' } }
      return { type: 'functions-on-contract', data: { address: target, functions: functions[index] ?? [] } }
    }),
    ...(anywhere ? [{ type: 'functions-on-all-contracts', data: { functions: anywhere } } as const] : []),
    ...(account ? [{ type: 'account-functions', data: { functions: account } } as const] : []),
    ...(native ? [{ type: 'native-token-transfer', data: { allowance: native } } as const] : []),
    ...(gas ? [{ type: 'gas-limit', data: { limit: gas } } as const] : []),
  ])
const entityIds = fc.integer({ min: 1, max: 2 ** 31 - 2 })

test('installs the same validation for the same permissions', { timeout: 120_000 }, async () => {
  const bundler = createBundlerClient({ account: ours, client: ours.client, transport })
  const client = { ...theirs, account: { ...theirs.account, encodeCallData: async (data: Hex) => data } }
  await fc.assert(
    fc.asyncProperty(permissions, entityIds, async (list, entityId) => {
      // Skips lists that Latchkey refuses, which `permissions.test.ts` of the protocol package covers.
      fc.pre(!('refused' in planPermissions({ account: address, entityId, permissions: list, expirySec: 0 })))
      const builder = new PermissionBuilder({
        client: client as never,
        key: { publicKey: key, type: 'secp256k1' },
        entityId,
        nonce: 0n,
      })
      const expected = await builder.addPermissions({ permissions: list as never }).compileRaw()
      const { deferredAction, ...granted } = await grantPermissions(bundler, { key, permissions: list, entityId })
      expect(readInstallation(deferredAction.call)).toEqual(readInstallation(expected))
      expect(granted).toMatchObject({ account: address, key, entityId })
      // Custody must be able to read the grants of both libraries.
      for (const callData of [expected, deferredAction.call])
        expect(readIntent({ kind: 'operation', sender: address, callData })).toMatchObject({
          acts: [{ grant: { key: lower(key), entityId } }],
        })
    }),
    options,
  )
})

test('signs the same deferred action, for the same nonce', async () => {
  const bundler = createBundlerClient({ account: ours, client: ours.client, transport })
  const list = [{ type: 'contract-access', data: { address: key } }] as const
  const expirySec = Math.floor(Date.now() / 1000) + 1_000
  const granted = await grantPermissions(bundler, { key, permissions: list, entityId: 7, expirySec })
  const nonce = BigInt(granted.deferredAction.nonce)
  const builder = new PermissionBuilder({
    client: { ...theirs, account: { ...theirs.account, encodeCallData: async (data: Hex) => data } } as never,
    key: { publicKey: key, type: 'secp256k1' },
    entityId: 7,
    nonce,
    deadline: expirySec,
  })
  const { typedData } = await builder.addPermissions({ permissions: list as never }).compileDeferred()
  const { message } = typedData as { message: { nonce: bigint; deadline: number; call: Hex } }
  expect(message).toMatchObject({ nonce, deadline: expirySec })
  expect(readInstallation(granted.deferredAction.call)).toEqual(readInstallation(message.call))
  const typed = { ...typedData, message: { ...message, call: granted.deferredAction.call } }
  expect(await theirs.account.signTypedData(typed as never)).toBe(granted.deferredAction.signature)
})
