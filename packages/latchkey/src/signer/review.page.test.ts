import { authenticate, devnetTabs, refusal, sign, type Tab } from '@latchkey/testkit/signer/devnetTabs'
import { addAuthenticator } from 'latchkey-dev/testing'
import {
  encodeFunctionData,
  type Hex,
  hashMessage,
  hashTypedData,
  parseAbi,
  recoverMessageAddress,
  toPrefixedMessage,
} from 'viem'
import { entryPoint07Address, getUserOperationHash } from 'viem/account-abstraction'
import { expect, test } from 'vitest'

// Custody tests cover the rules. These tests cover how the page waits, and that a page script cannot bypass the
// confirmation.

const tabs = devnetTabs()
const { open, signIn } = tabs

const account = `0x${'a1'.repeat(20)}` as const
const stranger = `0x${'b2'.repeat(20)}` as const
const abi = parseAbi([
  'function execute(address dest, uint256 value, bytes func)',
  'function transferOwnership(address newOwner)',
])
const handOver = encodeFunctionData({ abi, functionName: 'transferOwnership', args: [stranger] })
const send = encodeFunctionData({ abi, functionName: 'execute', args: [stranger, 1n, '0x'] })

function toOperation(callData: Hex) {
  const operation = {
    sender: account,
    nonce: 1n,
    callData,
    callGasLimit: 2n,
    verificationGasLimit: 3n,
    preVerificationGas: 4n,
    maxFeePerGas: 5n,
    maxPriorityFeePerGas: 6n,
    signature: '0x',
  } as const
  const chainId = 31_337
  const hash = getUserOperationHash({
    chainId,
    entryPointAddress: entryPoint07Address,
    entryPointVersion: '0.7',
    userOperation: operation,
  })
  return { chainId, entryPoint: entryPoint07Address, operation, hash }
}

const signOperation = (tab: Tab, callData: Hex) =>
  tab.evaluate((given) => window.page.signer.signUserOperation(given), toOperation(callData))
const address = (tab: Tab) => tab.evaluate(() => window.page.signer.user?.address)

async function expectSignedBy(signature: Hex, callData: Hex, signer: string | undefined) {
  expect(await recoverMessageAddress({ message: { raw: toOperation(callData).hash }, signature })).toBe(signer)
}

test('signs a transfer immediately, and a change of owners once the user confirms it', async () => {
  const { opened, email } = await signIn()
  await expectSignedBy(await signOperation(opened, send), send, await address(opened))
  const signing = signOperation(opened, handOver)
  await opened.waitForFunction(() => window.page.signer.confirmation?.action === 'change-owners')
  // The devnet's gateway predicts that the account, which does not exist, cannot do this.
  const asking = await tabs.browser.newPage()
  await asking.goto(await tabs.readConfirmation(email))
  await asking.locator('#changes').getByText('AA20 account not deployed').waitFor()
  await asking.close()
  expect(await tabs.confirm(email)).toBe('Change who owns your account?')
  await expectSignedBy(await signing, handOver, await address(opened))
  expect(await opened.evaluate(() => window.page.signer.confirmation)).toBeNull()
})

test('signs content that needs a review with a verified passkey if the user has no email address', async () => {
  const tab = await open(`${tabs.page.url}/?device`)
  const authenticator = await addAuthenticator(tab)
  await authenticate(tab, { type: 'passkey', createNew: true, username: 'ann' })
  await expectSignedBy(await signOperation(tab, handOver), handOver, await address(tab))
  // Without the passkey, the device key signs only content that needs no review.
  await authenticator.clear()
  expect(await sign(tab)).toBe(await address(tab))
  expect((await refusal(tab, 'signUserOperation', toOperation(handOver))).code).not.toBe('none')
})

test('refuses to sign any digest for a script in the page', async () => {
  const { opened } = await signIn()
  const { hash } = toOperation(handOver)
  const replaySafe = {
    domain: { chainId: 31_337, verifyingContract: account },
    types: { ReplaySafeHash: [{ name: 'hash', type: 'bytes32' }] },
    primaryType: 'ReplaySafeHash',
    message: { hash },
  } as const
  for (const [verb, argument] of [
    ['signRawMessage', hashMessage({ raw: hash })],
    ['signRawMessage', hashTypedData(replaySafe)],
    ['signMessage', { raw: hash }],
    ['signTypedData', replaySafe],
    ['signMessage', { raw: toPrefixedMessage({ raw: hash }).slice(0, 66) }],
  ] as const) {
    const { message } = await refusal(opened, verb, argument)
    expect(message).toMatch(/^The key signs only what it can read\./)
  }
})
