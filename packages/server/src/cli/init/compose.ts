import { rolesWithUrl } from '../readRolePasswords.ts'
import { environmentFiles, ownerSettings, roleSecrets } from './environments.ts'
import type { Plan } from './plan.ts'
import { proxyFiles } from './proxies.ts'
import { listedRoles } from './roles.ts'
import { appSteps, configFiles, mailStep, type Step } from './shared.ts'

/** Returns the files and installation steps for a machine that runs deploy/compose.yaml. */
export function composeFiles(plan: Plan): { files: Record<string, string>; steps: Step[] } {
  const { 'dns.zone': zone = '', ...config } = configFiles(plan)
  const secrets = {
    ...Object.assign({}, ...listedRoles.map(([role]) => roleSecrets(role, plan))),
    // Mounted by all services of deploy/compose.yaml.
    LATCHKEY_ROOT_ORGANIZATION_ID: plan.keys.published.LATCHKEY_ROOT_ORGANIZATION_ID,
    'owner-database-url': plan.owner.url,
    ...(plan.owner.password && { 'postgres-password': plan.owner.password }),
  } as Record<string, string>
  const files = {
    ...environmentFiles(plan, {
      secret: (_, file) => `/run/secrets/${file}`,
      config: (file) => `/etc/latchkey/${file}`,
      hasOwnPorts: false,
    }),
    ...inFolder('config', config),
    ...inFolder('secrets', Object.fromEntries(Object.entries(secrets).map(([name, value]) => [name, `${value}\n`]))),
    'dns.zone': zone,
    ...proxyFiles(plan),
    'compose.override.yaml': override(plan),
  }
  return { files, steps: listSteps(plan) }
}

function inFolder(folder: string, files: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(files).map(([name, content]) => [`${folder}/${name}`, content]))
}

function override(plan: Plan): string {
  const { owner, keyService } = plan
  const custody = Object.keys(roleSecrets('custody', plan))
  const own = Object.keys(keyService.secrets)
  const urls = Object.entries(ownerSettings((_, file) => `/run/secrets/${file}`))
  const lines = [
    '# Beside deploy/compose.yaml of a clone; NEXT.md has the command. Operators come later: docker compose --profile operators',
    'services:',
    '  admin: { profiles: [operators] }',
    '  console: { profiles: [operators] }',
    '  migrate:',
    `    environment: { ${urls.map(([name, path]) => `${name}: ${path}`).join(', ')} }`,
    `    secrets: [${rolesWithUrl.map((role) => `${role}-database-url`).join(', ')}]`,
    ...(owner.password === undefined
      ? ['    depends_on: !reset {}', '  # The database is elsewhere.', '  postgres: { profiles: [unused] }']
      : []),
    ...(keyService.isKeyFile
      ? []
      : [
          '  # The key service has the key.',
          `  custody: { secrets: !override [LATCHKEY_ROOT_ORGANIZATION_ID, ${custody.join(', ')}] }`,
        ]),
    ...(own.length > 0 ? ['secrets:', ...own.map((name) => `  ${name}: { file: ./secrets/${name} }`)] : []),
  ]
  return `${lines.join('\n')}\n`
}

function listSteps(plan: Plan): Step[] {
  const { out, domain, owner } = plan
  const compose = `docker compose --project-directory ${out} -f deploy/compose.yaml -f ${out}/compose.override.yaml`
  return [
    { title: 'Publish the DNS records', text: `Add the lines of \`${out}/dns.zone\` to the zone of ${domain}.` },
    {
      title: 'Build the image, and give it its files',
      text: 'In a clone of the repository, with Docker Compose 2.24 or newer. The image runs as user 1000, PostgreSQL as user 999.',
      commands: [
        'docker build -f deploy/Dockerfile -t latchkey-server .',
        `sudo chown -R 1000:1000 ${out}/config ${out}/secrets`,
        ...(owner.password === undefined ? [] : [`sudo chown 999 ${out}/secrets/postgres-password`]),
      ],
    },
    {
      title: 'Create the tables, and a database user for each role',
      commands: [`${compose} run --rm migrate`, `${compose} run --rm migrate grants --apply --passwords`],
    },
    ...mailStep(plan, `\`${out}/env/mail.env\``),
    { title: 'Start the roles', commands: [`${compose} up -d`] },
    {
      title: 'Start the proxy',
      text: `On this machine, in front of the containers: Caddy with \`proxy/Caddyfile\`, or nginx with \`proxy/nginx.conf\` and \`proxy/nginx-snippet.conf\` and one certificate for all names in \`/etc/letsencrypt/live/${domain}\`.`,
      commands: [`sudo install -m 644 ${out}/proxy/Caddyfile /etc/caddy/Caddyfile`, 'sudo systemctl reload caddy'],
    },
    {
      title: 'Check everything',
      text: 'Each line that says FAIL names the fix.',
      commands: ['signer-api', 'custody', 'mail', 'gateway'].map((role) => `${compose} run --rm ${role} doctor`),
    },
    ...appSteps(plan, `${out}/config/projects.json`),
  ]
}
