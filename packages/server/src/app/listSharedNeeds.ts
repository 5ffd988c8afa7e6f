import { randomBytes } from 'node:crypto'
import { createUpstream } from '../gateway/rpc/createUpstream.ts'
import { createMailer } from '../mail/createMailer.ts'
import { ServerError } from '../platform/errors/ServerError.ts'
import { fetchBounded } from '../platform/http/fetchBounded.ts'
import type { SharedNeed } from './createReadiness.ts'
import { custodyKeyEncryption } from './custodyKeyEncryption.ts'
import type { CustodyOptions, GatewayOptions, MailOptions, ServerOptions, SignerApiOptions } from './options.ts'

const timeoutMs = 1_000

/** Returns the dependencies of a server's roles besides their databases. */
export function listSharedNeeds({ roles, custody, signerApi, mail, gateway, console }: ServerOptions): SharedNeed[] {
  return [
    ...(roles.includes('custody') && custody ? [keyEncryptionNeed(custody)] : []),
    ...(roles.includes('signer-api') && signerApi ? [custodyNeed(signerApi)] : []),
    ...(roles.includes('mail') && mail ? [smtpNeed(mail)] : []),
    ...(roles.includes('gateway') && gateway ? chainNeeds(gateway) : []),
    ...(roles.includes('console') && console?.adminUrl ? [adminNeed(console.adminUrl)] : []),
  ]
}

function keyEncryptionNeed(custody: CustodyOptions): SharedNeed {
  const encryption = custodyKeyEncryption(custody)
  const aad = new TextEncoder().encode('latchkey readiness')
  return {
    role: 'custody',
    need: 'key encryption',
    problem: 'its key encryption fails',
    check: async () => encryption.unwrap(await encryption.wrap(randomBytes(32), aad), aad),
  }
}

function custodyNeed({ custodyUrl }: SignerApiOptions): SharedNeed {
  const check = () => assertResponds(custodyUrl, 'Custody')
  return { role: 'signer-api', need: 'custody', problem: 'custody does not respond', check }
}

function adminNeed(adminUrl: string): SharedNeed {
  const check = () => assertResponds(adminUrl, 'The admin API')
  return { role: 'console', need: 'admin API', problem: 'the admin API does not respond', check }
}

async function assertResponds(baseUrl: string, what: string): Promise<void> {
  const { status } = await fetchBounded(`${baseUrl.replace(/\/+$/, '')}/healthz`, { what, timeoutMs, maxBytes: 65_536 })
  // Accepts any status below 500, since a proxy may block the path.
  if (status >= 500) throw new ServerError(`${what} is not well.`, { code: 'NETWORK_UNREACHABLE', status: 502 })
}

function smtpNeed(options: MailOptions): SharedNeed {
  return {
    role: 'mail',
    need: 'smtp',
    problem: 'its SMTP server does not accept mail',
    async check() {
      const mailer = createMailer(options)
      try {
        await mailer.verify()
      } finally {
        mailer.close()
      }
    },
  }
}

function chainNeeds({ chains }: GatewayOptions): SharedNeed[] {
  return chains.map(({ chainId, nodeUrls, bundlerUrls }) => {
    const node = createUpstream({ kind: 'node', urls: nodeUrls, timeoutMs })
    const bundler = createUpstream({ kind: 'bundler', urls: bundlerUrls, timeoutMs })
    return {
      role: 'gateway',
      need: 'chain',
      problem: `chain ${chainId} has no node or no bundler`,
      async check() {
        const [found] = await Promise.all([node.call('eth_chainId', []), bundler.call('eth_supportedEntryPoints', [])])
        if (Number(found) !== chainId)
          throw new ServerError('The node is on another chain.', { code: 'CHAIN_MISMATCH', status: 502 })
      },
    }
  })
}
