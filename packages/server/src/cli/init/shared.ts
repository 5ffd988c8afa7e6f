import { policyRulesSchema } from '../../store/ledger/policyRules.ts'
import { costLimits } from '../../store/ledger/reserve.ts'
import { formatJsonFile } from '../changeJsonFile.ts'
import { dnsRecords } from './dnsRecords.ts'
import type { Plan } from './plan.ts'
import { hostOf } from './roles.ts'

/** A numbered step of NEXT.md. */
export type Step = { title: string; text?: string; commands?: string[]; code?: string }

export function listProjects({ name, origins, apiKey }: Plan) {
  return [{ id: 'app', name, apiKey, redirectUrls: origins.map((origin) => `${origin}/`), allowedOrigins: origins }]
}

export function listChains({ chain }: Plan) {
  return [{ chainId: chain.chainId, nodeUrls: [chain.nodeUrl], bundlerUrls: [chain.bundlerUrl] }]
}

/** Returns one policy with the default limits written out, so that operators can edit them. */
function listPolicies({ chain }: Plan) {
  const { operation, policyDay } = costLimits({ rules: policyRulesSchema.parse({}), chainId: chain.chainId, spent: 0n })
  return [
    {
      id: 'default',
      rules: {
        chains: [chain.chainId],
        limits: {
          operation: { cost: String(operation) },
          sender: { day: { count: 20 } },
          policy: { day: { cost: String(policyDay) } },
        },
      },
    },
  ]
}

/** Returns the files of projects, chains, policies, operators and DNS records. */
export function configFiles(plan: Plan): Record<string, string> {
  return {
    'projects.json': formatJsonFile(listProjects(plan)),
    'chains.json': formatJsonFile(listChains(plan)),
    'policies.json': formatJsonFile(listPolicies(plan)),
    'operators.json': formatJsonFile([]),
    'dns.zone': dnsRecords(plan),
  }
}

/** Returns the step for an external mail service. `doctor` checks the service's DKIM keys by their selectors. */
export function mailStep({ out, domain, dkim }: Plan, settings: string): Step[] {
  if (dkim) return []
  const text = `Let it send as \`${domain}\`: complete the SPF and DKIM lines of \`${out}/dns.zone\` with what it shows, and add \`LATCHKEY_DKIM_SELECTORS=SELECTOR\` to ${settings}. Turn off link rewriting and open tracking.`
  return [{ title: 'Set up the mail service', text }]
}

/** Returns the last steps: adding the app, the first sign-in, and preparations for real users. */
export function appSteps(plan: Plan, projects: string): Step[] {
  const { domain, chain, origins, keyService } = plan
  return [
    {
      title: 'Sign in',
      text: `Point your app at the server and open it at ${origins[0]}. The API key is \`apiKey\` in \`${projects}\`; pages on other origins are refused. Sign in with your email address.`,
      code: `import { createConfig, latchkeyEndpoints } from 'latchkey'

export const config = createConfig({
  chain, // of 'latchkey/chains', with the id ${chain.chainId}
  apiKey: 'YOUR_API_KEY',
  endpoints: latchkeyEndpoints('https://${hostOf('signer-api', domain)}'),
  rpcUrl: 'https://${hostOf('gateway', domain)}/${chain.chainId}',
})`,
    },
    {
      title: 'Before real users come',
      text: [
        ...(keyService.isKeyFile
          ? [
              '**Copy `LATCHKEY_KEY_ENCRYPTION_KEY` of custody to two places off this machine. If it is lost, all wallets are lost.** Whoever is root on the machine of custody can read it: a key service (`--keys vault:…`, `aws-kms:…`, `gcp-kms:…`) keeps it elsewhere.',
            ]
          : []),
        `Make a backup and restore it (docs/operate/backup.md). Nothing is sponsored until \`chains.json\` names a paymaster (docs/operate/gateway.md). ${plan.target === 'helm' ? 'The first operator is invited with the settings of the role `admin`' : 'Roles `admin` and `console` are configured and not started'} (docs/operate/operators.md).`,
      ].join('\n\n'),
    },
  ]
}
