import { formatEther } from 'viem'
import type { PaymasterScheme } from '../../gateway/paymasters/PaymasterScheme.ts'
import { createSchemes } from '../../gateway/paymasters/schemes.ts'
import { findPaymasterProblems, readPaymaster } from '../../gateway/paymasters/watchPaymasters.ts'
import { createUpstream, type Upstream } from '../../gateway/rpc/createUpstream.ts'
import { openServiceSigner } from '../../keys/openServiceSigner.ts'
import type { ServiceSigner } from '../../keys/serviceSigner.ts'
import { configInvalid } from '../../platform/errors/ServerError.ts'
import { type Check, type Skipped, type Subject, skip } from './checks.ts'

/** Checks the signer, deposit and stake of each paymaster. */
export function paymasterChecks({ server: { gateway } }: Subject): Check[] {
  if (!gateway) return []
  const { chains, paymasterKey, mode = 'production' } = gateway
  const openSigner = once(() => openServiceSigner({ key: paymasterKey, mode }))
  return chains.flatMap(({ chainId, nodeUrls, paymasters = {} }) => {
    const node = createUpstream({ kind: 'node', urls: nodeUrls, timeoutMs: 10_000, chainId })
    return createSchemes({ chainId, paymasters }).flatMap((scheme) => {
      const place = chains.length > 1 ? ` of ${chainId}` : ''
      // Other providers manage their own contracts.
      if (scheme.paymaster === undefined)
        return [skip(`paymaster of a service${place}`, 'its operator keeps signer, deposit and stake')]
      const name = `paymaster ${scheme.paymaster.slice(0, 10)}${place}`
      return [{ name, run: () => checkPaymaster({ node, scheme, openSigner }) }]
    })
  })
}

type PaymasterCheck = { node: Upstream; scheme: PaymasterScheme; openSigner: () => Promise<ServiceSigner> }

async function checkPaymaster({ node, scheme, openSigner }: PaymasterCheck): Promise<string | Skipped> {
  const state = await readPaymaster(node, scheme)
  if (!state) return { skipped: 'its operator keeps signer, deposit and stake' }
  const { address } = await openSigner()
  const problems = findPaymasterProblems(state, address).join('; ')
  if (problems !== '') throw configInvalid(problems)
  const signer = state.signers.length > 0 ? address.slice(0, 10) : 'not checked, since the contract does not name it'
  return `signer ${signer}, deposit ${formatEther(state.deposit)}, stake ${formatEther(state.stake)}`
}

/** All paymasters share one request to the key service. */
function once<result>(make: () => Promise<result>): () => Promise<result> {
  let made: Promise<result> | undefined
  return () => {
    made ??= make()
    return made
  }
}
