import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { root, run } from './run.mjs'

/**
 * Debian programs, each with the variable that passes its path to the tests. `packages`: the program and dependencies
 * that a small system lacks. `beside`: additional variables for a program that is unpacked instead of installed, such
 * as the path of its libraries.
 */
const programs = [
  {
    variable: 'PGBOUNCER_PATH',
    path: 'usr/sbin/pgbouncer',
    packages: ['pgbouncer', 'libevent-2.1-7', 'libc-ares2'],
    beside: { PGBOUNCER_LIBRARIES: listLibraries },
  },
  { variable: 'PGBACKREST_PATH', path: 'usr/bin/pgbackrest', packages: ['pgbackrest'] },
  { variable: 'AGE_PATH', path: 'usr/bin/age', packages: ['age'] },
  {
    variable: 'RSYSLOG_PATH',
    path: 'usr/sbin/rsyslogd',
    packages: ['rsyslog', 'rsyslog-gnutls', 'libestr0', 'libfastjson4', 'liblognorm5'],
    beside: {
      RSYSLOG_LIBRARIES: listLibraries,
      RSYSLOG_MODULES: (folder) => join(listLibraries(folder).split(delimiter)[0], 'rsyslog'),
    },
  },
  {
    variable: 'SYSTEMD_ANALYZE_PATH',
    path: 'usr/bin/systemd-analyze',
    packages: [
      ...['systemd', 'libsystemd-shared', 'libsystemd0', 'libapparmor1', 'libcryptsetup12', 'libfdisk1'],
      ...['libip4tc2', 'libkmod2'],
    ],
    beside: {
      SYSTEMD_PROGRAMS: (folder) => join(folder, 'bin'),
      SYSTEMD_LIBRARIES: (folder) => {
        const usual = listLibraries(folder).split(delimiter)
        const shared = usual.flatMap((path) => [path, join(path, 'systemd'), path.replace('/usr/lib/', '/lib/')])
        return shared.join(delimiter)
      },
    },
  },
  { variable: 'CADDY_PATH', path: 'usr/bin/caddy', packages: ['caddy'] },
  { variable: 'NGINX_PATH', path: 'usr/sbin/nginx', packages: ['nginx'] },
  {
    variable: 'OPENDKIM_PATH',
    path: 'usr/sbin/opendkim',
    packages: [
      ...['opendkim', 'libopendkim11', 'libmilter1.0.1', 'libopendbx1', 'librbl1', 'libvbr2'],
      ...['liblua5.3-0', 'libmemcached11', 'libhashkit2'],
    ],
    // One of the program's libraries is next to the folder of the others.
    beside: { OPENDKIM_LIBRARIES: (folder) => [listLibraries(folder), join(folder, 'usr/lib')].join(delimiter) },
  },
]

/** Finds each program or unpacks it without installing, and sets its variables. Throws if one is unavailable. */
export async function ensureDebian(say) {
  await ensureInstalled(postgres, say)
  await ensureInstalled(postfix, say)
  const folder = join(root, 'node_modules/.cache/debian')
  const missing = programs.filter((program) => !findInstalled(program))
  const wanted = missing.filter(({ path }) => !existsSync(join(folder, path))).flatMap(({ packages }) => packages)
  if (wanted.length > 0) await unpack({ folder, packages: wanted, say })
  for (const { variable, path, beside = {} } of missing) {
    const unpacked = join(folder, path)
    if (!existsSync(unpacked)) throw new Error(`${path} is missing. Install it, or set ${variable} to it.`)
    process.env[variable] = unpacked
    for (const [name, find] of Object.entries(beside)) process.env[name] = find(folder)
  }
}

/** Installed instead of unpacked: PostgreSQL's programs locate files by their own path, and Postfix needs its users. */
const postgres = { name: 'PostgreSQL', package: 'postgresql', path: '/usr/lib/postgresql' }
const postfix = {
  name: 'Postfix',
  package: 'postfix',
  path: '/usr/sbin/postfix',
  // Without a configuration, the package starts no mail server.
  answers: 'postfix postfix/main_mailer_type select No configuration\n',
}

async function ensureInstalled({ name, package: wanted, path, answers }, say) {
  if (existsSync(path)) return
  if (process.getuid?.() === 0) {
    say(`Installing ${wanted} with apt-get …`)
    const env = { DEBIAN_FRONTEND: 'noninteractive' }
    if (answers) execFileSync('debconf-set-selections', { input: answers, timeout: 60_000 })
    await run('apt-get', ['update', '-qq'], { capture: true, env, timeoutMs: 300_000 })
    const install = ['install', '-y', '-qq', '--no-install-recommends', wanted]
    await run('apt-get', install, { capture: true, env, timeoutMs: 900_000 })
  }
  if (!existsSync(path)) throw new Error(`${name} of Debian is missing. Install ${wanted}.`)
}

function findInstalled({ variable, path }) {
  const places = [...(process.env.PATH ?? '').split(delimiter), '/usr/sbin']
  const [installed] = places.map((place) => join(place, path.split('/').at(-1))).filter((place) => existsSync(place))
  process.env[variable] ??= installed ?? ''
  return process.env[variable] !== ''
}

function listLibraries(folder) {
  const libraries = join(folder, 'usr/lib')
  const names = readdirSync(libraries).filter((name) => name.includes('-linux-'))
  return names.map((name) => join(libraries, name)).join(delimiter)
}

async function unpack({ folder, packages, say }) {
  say(`Downloading ${packages.length} of Debian's packages with apt-get …`)
  mkdirSync(folder, { recursive: true })
  if (process.getuid?.() === 0) await run('apt-get', ['update', '-qq'], { capture: true, timeoutMs: 300_000 })
  // The command downloads into the working directory.
  const download = `cd '${folder}' && apt-get download -qq ${packages.join(' ')} && for file in *.deb; do dpkg-deb -x "$file" . && rm "$file"; done`
  await run('sh', ['-c', download], { capture: true, timeoutMs: 300_000 })
}
