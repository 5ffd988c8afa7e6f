import { formatJsonFile } from '../changeJsonFile.ts'
import { dnsRecords } from './dnsRecords.ts'
import { format, ownerSettings, roleSecrets } from './environments.ts'
import type { Plan } from './plan.ts'
import { hostOf, listedRoles } from './roles.ts'
import { appSteps, listChains, listProjects, mailStep, type Step } from './shared.ts'

/** Returns the values, secrets and installation steps for the chart in deploy/helm/latchkey. */
export function helmFiles(plan: Plan): { files: Record<string, string>; steps: Step[] } {
  const all = Object.assign({}, ...listedRoles.map(([role]) => roleSecrets(role, plan))) as Record<string, string>
  const named = { ...all, LATCHKEY_ROOT_ORGANIZATION_ID: plan.keys.published.LATCHKEY_ROOT_ORGANIZATION_ID }
  const secrets = Object.entries({ ...named, 'owner-database-url': plan.owner.url }).map(
    // The files have no final newline, which would become part of the secret.
    ([name, value]) => [`secrets/${name.endsWith('-database-url') ? 'database' : 'keys'}/${name}`, value],
  )
  const files = {
    // JSON is valid YAML 1.2.
    'values.yaml': formatJsonFile(listValues(plan)),
    'dns.zone': dnsRecords(plan),
    'owner.env': format(ownerSettings((_, file) => `${plan.out}/secrets/database/${file}`)),
    ...Object.fromEntries(secrets),
  }
  return { files, steps: listSteps(plan) }
}

function listValues(plan: Plan) {
  const { domain, name, keyService } = plan
  return {
    image: { repository: 'registry.example.com/latchkey-server' },
    hosts: {
      custody: hostOf('custody', domain),
      signer: hostOf('signer-api', domain),
      gateway: hostOf('gateway', domain),
      auth: hostOf('auth-frame', domain),
      export: hostOf('export-frame', domain),
      import: hostOf('import-frame', domain),
      console: hostOf('console', domain),
      admin: hostOf('admin', domain),
    },
    mail: { from: `${name} <no-reply@${domain}>` },
    files: { projects: listProjects(plan), chains: listChains(plan) },
    ...(keyService.isKeyFile ? {} : { roles: { custody: listCustodyValues(keyService) } }),
  }
}

function listCustodyValues({ settings, secrets }: Plan['keyService']) {
  const files = Object.keys(secrets)
  const read = files.map((name) => [`${name}_FILE`, `/run/secrets/${name}`])
  return {
    settings: { ...settings, LATCHKEY_KEY_ENCRYPTION_KEY_FILE: '', ...Object.fromEntries(read) },
    ...(files.length > 0 && { secretFiles: files }),
  }
}

function listSteps(plan: Plan): Step[] {
  const { out, domain } = plan
  return [
    {
      title: 'Publish the DNS records',
      text: `Add the lines of \`${out}/dns.zone\` to the zone of ${domain}; they lead to the ingress.`,
    },
    {
      title: 'Create the tables, and a database user for each role',
      text: 'From a machine that reaches the database:',
      commands: [
        ...['migrate', 'grants --apply --passwords'].map(
          (command) => `node --env-file=${out}/owner.env "$(command -v latchkey-server)" ${command}`,
        ),
      ],
    },
    {
      title: 'Create the secrets',
      commands: [
        'kubectl create namespace latchkey',
        `kubectl -n latchkey create secret generic latchkey-keys --from-file=${out}/secrets/keys/`,
        `kubectl -n latchkey create secret generic latchkey-database --from-file=${out}/secrets/database/`,
      ],
    },
    ...mailStep(plan, `\`roles.mail.settings\` of \`${out}/values.yaml\``),
    {
      title: 'Install the chart',
      text: `In a clone of the repository. First put your registry's image in \`${out}/values.yaml\`. The ingress needs certificates for the hosts in the secrets \`latchkey-tls\` and \`latchkey-internal-tls\`.`,
      commands: [
        `helm upgrade --install latchkey deploy/helm/latchkey --namespace latchkey --values ${out}/values.yaml`,
      ],
    },
    {
      title: 'Check everything',
      text: 'Each line that says FAIL names the fix.',
      commands: ['signer-api', 'custody', 'mail', 'gateway'].map(
        (role) =>
          `kubectl -n latchkey exec deploy/latchkey-${role} -- node /app/node_modules/latchkey-server/dist/cli/main.js doctor`,
      ),
    },
    ...appSteps(plan, `${out}/values.yaml`),
  ]
}
