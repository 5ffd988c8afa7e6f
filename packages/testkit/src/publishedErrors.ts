// Error texts of the published clients, with `{…}` in place of values, grouped by the test that covers them.

/** Published text, followed by Latchkey's text if it differs; see docs/design/errors-left-out.md. */
type Text = readonly [published: string, ours?: string]

/** Covered by `exports/catalogue.test.tsx`. */
export const walletErrors: readonly Text[] = [
  ['Could not find an Account to execute with this Action.'],
  [
    'No default factory for {accountType} found on chain {chain.name} for entrypoint version {version}\nSupply an override via the `factoryAddress` parameter when creating an account',
  ],
  ['getCounterFactualAddress failed'],
  ['Upgrades are not supported by {accountType}'],
  ['SignTransaction is not supported by smart contracts'],
  ['Failed to get storage slot {slot} ({slotDescriptor})'],
  [
    'Client of type ({client.type}) is not a {expectedClient}.\nCreate one with `createSmartAccountClient` first before using `{method}`',
  ],
  ['Invalid RPC URL {rpcUrl}', 'Invalid RPC URL'],
  ['No chain supplied to the client'],
  ['No default entry point v{entryPointVersion} exists for {chain.name}.\nSupply an override.'],
  ['Invalid entry point: unexpected version {entryPointVersion} for {chain.name}.'],
  ['Invalid signer type parameter passed to SmartAccountSigner.\n{signerType}'],
  ['Transaction is missing `to` address set on request'],
  ['Failed to find transaction for user operation {hash}'],
  ['Request is missing parameters. All properties on UserOperationStruct must be set. uo: {json}'],
  ['Failed to find User Operation: {error.message}'],
  ['A method cannot be handled by more than one transport'],
  ['cannot sign for address that is not the current account'],
  ['could not find chain'],
  ['invalid range: upper bound {upper} is less than lower bound {lower}'],
  ['bigIntMultiply requires a multiplier validated number as the second argument'],
  ["{type} {version} doesn't support 1271"],
  ["Version {version} of LightAccount doesn't support 1271", "LightAccount {version} doesn't support 1271"],
  ['Unknown version {type} of {version}'],
  ['Unknown version {version} of LightAccount'],
  ['could not determine if smart account implementation is {type} {version}'],
  ['Could not determine {account.source} version for chain {chain.id}'],
  ['could not get on-chain owner'],
  ['could not get on-chain owners'],
  ['on-chain owners does not include the current signer'],
  ['could not get multi owner plugin address'],
  ['missing MultiOwnerPlugin address for chain {chain.name}'],
  ['missing SessionKeyPlugin address for chain {chain.name}'],
  ['{property} is only available on the client'],
  ['Chain not found in connections'],
  ['Signer not connected'],
  ['Unsupported account type'],
  [
    'chain must include an alchemy rpc url. See `createAlchemyChain` or use the `AlchemyChainMap` exported from `@alchemy/aa-core`',
    'chain must include an alchemy rpc url. {hint}',
  ],
  ['baseFeePerGas is null'],
  ['Unsupported chain: {chain}'],
  ['{message}'],
  ['client must be defined in {hookName}'],
  [
    "clearing cookies is not supported as this could lead to unexpected behaviour.\n Use removeItem instead or you can manually clear cookies with document.cookie = ''",
  ],
  ['Function not implemented.'],
]

/**
 * Covered by `signer/errors/catalogue.test.ts`, except 'unsupported transport format', which needs a browser:
 * `web/passkey/createPasskey.test.ts`.
 */
export const signerErrors: readonly Text[] = [
  [
    'Signer not authenticated\nPlease authenticate to use this signer',
    'Signer not authenticated. Please authenticate to use this signer',
  ],
  ['Could not find email auth init session!'],
  ['No user found'],
  ['Failed to inject credential bundle'],
  ['No orgId provided'],
  ['Could not find wallet associated with {address}'],
  ['Failed to inject wallet export bundle'],
  [
    'Failed to get activity with with id {id} (status: {status})',
    'Failed to get activity with id {id} (status: {status})',
  ],
  ['{text}'],
  ['Turnkey error {code}: {message}'],
  ['webauthn is not supported by this browser'],
]

/** Checks whether a message, with line breaks between paragraphs, starts with a text. */
export function isOfText(message: string, [published, ours = published]: Text): boolean {
  const parts = ours.split(/\{\w+(?:\.\w+)*\}/).map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'))
  return new RegExp(`^${parts.join('[^]+?')}(?=\n|$)`).test(message.replace(/\n+/g, '\n'))
}
