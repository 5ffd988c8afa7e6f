import { join } from 'node:path'
import { environmentFiles, format, ownerSettings, roleSecrets } from './environments.ts'
import { mailServerFiles } from './mailServer.ts'
import type { Plan } from './plan.ts'
import { proxyFiles } from './proxies.ts'
import { firstRoles, listedRoles } from './roles.ts'
import { appSteps, configFiles, mailStep, type Step } from './shared.ts'

/** Returns the files and steps for a Debian machine that runs each role as a systemd unit. */
export function systemdFiles(plan: Plan): { files: Record<string, string>; steps: Step[] } {
  const { out } = plan
  const secrets = listedRoles.flatMap(([role]) =>
    Object.entries(roleSecrets(role, plan)).map(([name, value]) => [`secrets/${role}/${name}`, `${value}\n`] as const),
  )
  const files = {
    ...environmentFiles(plan, {
      secret: (role, file) => join(out, 'secrets', role, file),
      config: (file) => join(out, file),
      hasOwnPorts: true,
    }),
    'env/owner.env': format(ownerSettings((role, file) => join(out, 'secrets', role, file))),
    'secrets/owner/owner-database-url': `${plan.owner.url}\n`,
    ...databaseFile(plan),
    ...Object.fromEntries(secrets),
    ...configFiles(plan),
    ...mailServerFiles(plan),
    ...proxyFiles(plan),
    'run.sh': runScript(out),
    'systemd/latchkey@.service': unit(out),
    'systemd/latchkey.sysusers.conf': users(),
    'systemd/install.sh': installScript(out),
  }
  return { files, steps: listSteps(plan) }
}

function databaseFile({ owner }: Plan): Record<string, string> {
  if (owner.password === undefined) return {}
  const sql = [
    `create role latchkey login createrole password '${owner.password}';`,
    'create database latchkey owner latchkey;',
  ]
  return { 'secrets/owner/database.sql': `${sql.join('\n')}\n` }
}

/** Node parses the environment files as systemd does. A shell would misread values with spaces or < signs. */
function runScript(out: string): string {
  return `#!/bin/sh
# Runs latchkey-server with the settings of a role: sh run.sh custody doctor
set -eu
role=$1
shift
exec node --env-file=${out}/env/common.env --env-file=${out}/env/"$role".env "$(command -v latchkey-server)" "$@"
`
}

function unit(out: string): string {
  return `# A role on this machine: systemctl enable --now latchkey@custody
[Unit]
Description=Latchkey (%i)
After=network-online.target postgresql.service
Wants=network-online.target

[Service]
ExecStart=/usr/bin/env latchkey-server start
# Reads changed files of projects, policies and operators at once instead of within two seconds.
ExecReload=/bin/kill -HUP $MAINPID
EnvironmentFile=${out}/env/common.env
EnvironmentFile=${out}/env/%i.env
Environment=NODE_ENV=production
SyslogIdentifier=latchkey-%i
# Of all secrets, a role sees its own.
TemporaryFileSystem=${out}/secrets:ro
BindReadOnlyPaths=${out}/secrets/%i
Restart=always
RestartSec=2
# Five seconds for balancers to notice, and up to 40 for requests in progress.
TimeoutStopSec=45
User=latchkey-%i
SupplementaryGroups=latchkey
${hardening.join('\n')}

[Install]
WantedBy=multi-user.target
`
}

/** The same settings as in deploy/systemd/latchkey@.service. */
const hardening = [
  'ProtectSystem=strict',
  'ProtectHome=yes',
  'PrivateTmp=yes',
  'PrivateDevices=yes',
  'ProtectKernelTunables=yes',
  'ProtectKernelModules=yes',
  'ProtectControlGroups=yes',
  'RestrictAddressFamilies=AF_INET AF_INET6 AF_UNIX',
  'RestrictNamespaces=yes',
  'RestrictSUIDSGID=yes',
  'NoNewPrivileges=yes',
  'CapabilityBoundingSet=',
  'LockPersonality=yes',
  'SystemCallFilter=@system-service',
  'LimitCORE=0',
]

function users(): string {
  const lines = listedRoles.map(([role]) => `u latchkey-${role} - "Latchkey ${role}"`)
  return `# A user for each role. The group reads the files of projects and operators.\ng latchkey -\n${lines.join('\n')}\n`
}

function installScript(out: string): string {
  return `#!/bin/sh
# Creates the users of the roles, gives each its own secrets, and installs the unit. Run it as root.
set -eu
cd ${out}
install -D -m 644 systemd/latchkey.sysusers.conf /etc/sysusers.d/latchkey.conf
systemd-sysusers /etc/sysusers.d/latchkey.conf
for role in ${listedRoles.map(([role]) => role).join(' ')}; do
  if [ -d "secrets/$role" ]; then chown -R "latchkey-$role:" "secrets/$role"; else install -d -m 700 -o "latchkey-$role" "secrets/$role"; fi
done
chgrp latchkey . projects.json operators.json
chmod 710 .
chmod 640 projects.json operators.json
# URLs of nodes and bundlers may hold keys.
chown latchkey-gateway: chains.json policies.json
install -m 644 systemd/latchkey@.service /etc/systemd/system/latchkey@.service
systemctl daemon-reload
`
}

function listSteps(plan: Plan): Step[] {
  const { out, domain, owner, dkim } = plan
  return [
    {
      title: 'Publish the DNS records',
      text: `Add the lines of \`${join(out, 'dns.zone')}\` to the zone of ${domain}.`,
    },
    ...(owner.password === undefined
      ? []
      : [
          {
            title: 'Create the database',
            text: 'PostgreSQL 15 or newer on this machine:',
            commands: [
              'apt-get install -y postgresql',
              `su postgres -c 'psql -v ON_ERROR_STOP=1' < ${out}/secrets/owner/database.sql`,
            ],
          },
        ]),
    {
      title: 'Create the tables, and a database user for each role',
      commands: [`sh ${out}/run.sh owner migrate`, `sh ${out}/run.sh owner grants --apply --passwords`],
    },
    ...(dkim
      ? [
          {
            title: 'Set up the mail server',
            text: 'Postfix sends and OpenDKIM signs. Answer Postfix\'s question with "Internet Site". Some clouds block port 25: use a mail service there.',
            commands: [
              'apt-get install -y postfix opendkim',
              `install -m 600 -o opendkim ${out}/secrets/dkim/latchkey.private /etc/dkimkeys/latchkey.private`,
              `install -m 644 ${out}/mail/opendkim.conf /etc/opendkim.conf`,
              `xargs -d '\\n' postconf -e < ${out}/mail/postfix.cf`,
              'systemctl restart opendkim postfix',
            ],
          },
        ]
      : mailStep(plan, `\`${out}/env/mail.env\``)),
    {
      title: 'Start the roles',
      commands: [
        `sh ${out}/systemd/install.sh`,
        ...firstRoles.map((role) => `systemctl enable --now latchkey@${role}`),
      ],
    },
    {
      title: 'Start the proxy',
      text: `Caddy gets its certificates by itself. For nginx instead: \`proxy/nginx.conf\` and \`proxy/nginx-snippet.conf\`, with one certificate for all names in \`/etc/letsencrypt/live/${domain}\`.`,
      commands: [
        'apt-get install -y caddy',
        `install -m 644 ${out}/proxy/Caddyfile /etc/caddy/Caddyfile`,
        'systemctl reload caddy',
      ],
    },
    {
      title: 'Check everything',
      text: 'Each line that says FAIL names the fix. Only the certificate may need a minute.',
      commands: ['signer-api', 'custody', 'mail', 'gateway'].map((role) => `sh ${out}/run.sh ${role} doctor`),
    },
    ...appSteps(plan, join(out, 'projects.json')),
  ]
}
