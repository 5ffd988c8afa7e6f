import { type ChildProcess, execFile, execFileSync, spawn } from 'node:child_process'
import { createHash, X509Certificate } from 'node:crypto'
import { once } from 'node:events'
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'

/* Programs of a Debian machine that use the files of `latchkey-server init`: Postfix with OpenDKIM, Caddy and nginx. */

/** Starts programs of one test file and ends them. */
export function createProcesses() {
  const children: { child: ChildProcess; name: string; output: string }[] = []
  return {
    start(name: string, program: string, args: readonly string[], env: Record<string, string>): ChildProcess {
      const child = spawn(program, args, { env, stdio: ['ignore', 'pipe', 'pipe'] })
      const entry = { child, name, output: '' }
      const collect = (chunk: Buffer) => {
        entry.output = `${entry.output}${chunk}`.slice(-20_000)
      }
      child.stdout.on('data', collect)
      child.stderr.on('data', collect)
      children.push(entry)
      return child
    },
    /** Returns the output of each program, for failure messages. */
    output: () => children.map(({ name, output }) => `== ${name}\n${output}`).join('\n'),
    outputOf: (wanted: string) => children.find(({ name }) => name === wanted)?.output ?? '',
    async close() {
      const alive = children.filter(({ child }) => child.exitCode === null && child.signalCode === null)
      const ended = alive.map(({ child }) => once(child, 'exit'))
      for (const { child } of alive) child.kill('SIGTERM')
      await Promise.all(ended)
    },
  }
}

export type Processes = ReturnType<typeof createProcesses>

/** Starts Postfix and OpenDKIM as init configures them. Mail to `people.test` stays on this machine. */
export async function startMailServer({
  folder,
  out,
  processes,
}: {
  folder: string
  out: string
  processes: Processes
}) {
  const { OPENDKIM_PATH = '', OPENDKIM_LIBRARIES = '' } = process.env
  const key = join(folder, 'dkim.private')
  writeFileSync(key, readFileSync(join(out, 'secrets/dkim/latchkey.private')), { mode: 0o600 })
  const signer = readFileSync(join(out, 'mail/opendkim.conf'), 'utf8')
    .replace('/etc/dkimkeys/latchkey.private', key)
    // The unpacked program has no system user.
    .replace(/^(?:UserID|PidFile|Syslog) .*\n/gm, '')
  // OpenDKIM would refuse the key, because anyone can create files next to the test's folder.
  writeFileSync(join(folder, 'opendkim.conf'), `${signer}RequireSafeKeys no\n`)
  processes.start('opendkim', OPENDKIM_PATH, ['-f', '-x', join(folder, 'opendkim.conf')], {
    LD_LIBRARY_PATH: OPENDKIM_LIBRARIES,
  })

  const [home, mail] = [join(folder, 'postfix'), join(folder, 'mail')]
  for (const path of [home, mail, join(home, 'etc'), join(home, 'spool'), join(home, 'data')]) mkdirSync(path)
  chmodSync(mail, 0o777)
  execFileSync('chown', ['postfix', join(home, 'data')])
  const services = readFileSync('/etc/postfix/master.cf', 'utf8')
  // Disables chroot, because the queue folder has no copies of the system's files.
  writeFileSync(join(home, 'etc/master.cf'), services.replace(/^(\S+ +\S+ +\S+ +\S+ +)y/gm, '$1n'))
  const main = [
    'compatibility_level = 3.6',
    'inet_protocols = ipv4',
    `queue_directory = ${join(home, 'spool')}`,
    `data_directory = ${join(home, 'data')}`,
    `maillog_file = ${join(home, 'log')}`,
    `maillog_file_prefixes = ${home}`,
    'daemon_directory = /usr/lib/postfix/sbin',
    'virtual_mailbox_domains = people.test',
    `virtual_mailbox_base = ${mail}`,
    'virtual_mailbox_maps = static:inbox',
    'virtual_minimum_uid = 1',
    'virtual_uid_maps = static:65534',
    'virtual_gid_maps = static:65534',
  ]
  writeFileSync(join(home, 'etc/main.cf'), `${main.join('\n')}\n${readFileSync(join(out, 'mail/postfix.cf'), 'utf8')}`)
  const postfix = (verb: string) => promisify(execFile)('postfix', ['-c', join(home, 'etc'), verb], { timeout: 60_000 })
  await postfix('start')
  return {
    /** Returns the raw mails that have arrived, oldest first. */
    mails(): string[] {
      const inbox = join(mail, 'inbox')
      if (!existsSync(inbox)) return []
      return readFileSync(inbox, 'latin1')
        .split(/^From .*\n/m)
        .slice(1)
    },
    log: () => (existsSync(join(home, 'log')) ? readFileSync(join(home, 'log'), 'utf8') : ''),
    close: () => postfix('stop'),
  }
}

/** Starts Caddy with init's file and a local authority, which signs the certificates of all hosts. */
export function startCaddy(parameters: {
  folder: string
  out: string
  address: string
  app: string
  processes: Processes
}) {
  const { folder, out, address, app, processes } = parameters
  const [config, store] = [join(folder, 'Caddyfile'), join(folder, 'caddy')]
  const lines = [
    '{',
    'admin off',
    // The certificate check requires two weeks of validity, but the authority's intermediate certificate lasts only
    // one.
    'cert_issuer internal {',
    'ca local',
    'lifetime 2160h',
    'sign_with_root',
    '}',
    'skip_install_trust',
    'auto_https disable_redirects',
    `default_bind ${address}`,
    `storage file_system ${store}`,
    '}',
    `import ${out}/proxy/Caddyfile`,
    app,
  ]
  writeFileSync(config, `${lines.join('\n')}\n`)
  const env = { HOME: folder, XDG_CONFIG_HOME: folder, XDG_DATA_HOME: folder }
  processes.start('caddy', process.env.CADDY_PATH ?? '', ['run', '--adapter', 'caddyfile', '--config', config], env)
  const read = (path: string) => readFileSync(join(store, path), 'utf8')
  const pathOf = (host: string) => `certificates/local/${host}/${host}.crt`
  return {
    root: join(store, 'pki/authorities/local/root.crt'),
    isReady: (hosts: readonly string[]) => hosts.every((host) => existsSync(join(store, pathOf(host)))),
    /** Returns the Chromium switch that trusts only the certificates of these hosts. */
    trust(hosts: readonly string[]): string {
      const keys = hosts.map((host) => {
        const spki = new X509Certificate(read(pathOf(host))).publicKey.export({ type: 'spki', format: 'der' })
        return createHash('sha256').update(spki).digest('base64')
      })
      return `--ignore-certificate-errors-spki-list=${keys.join(',')}`
    },
  }
}

/** Starts nginx with init's files, on another address and with another certificate. */
export function startNginx(parameters: {
  folder: string
  out: string
  address: string
  certificate: { key: string; cert: string }
  processes: Processes
}) {
  const { folder, out, address, certificate, processes } = parameters
  const home = join(folder, 'nginx')
  for (const path of [home, join(home, 'snippets')]) mkdirSync(path)
  writeFileSync(join(home, 'fullchain.pem'), certificate.cert)
  writeFileSync(join(home, 'privkey.pem'), certificate.key)
  const read = (name: string) => readFileSync(join(out, 'proxy', name), 'utf8')
  const place = (text: string) =>
    text
      .replace(/^ +listen \[::\].*\n/gm, '')
      .replace(/listen (\d+)/g, `listen ${address}:$1`)
      .replace(/\/etc\/letsencrypt\/live\/[\w.]+/g, home)
      .replace('/var/log/nginx', home)
  writeFileSync(join(home, 'latchkey.conf'), place(read('nginx.conf')))
  writeFileSync(join(home, 'snippets/latchkey.conf'), place(read('nginx-snippet.conf')))
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
  const main = [
    'daemon off;',
    `pid ${home}/pid;`,
    'error_log stderr;',
    'events {}',
    'http {',
    'access_log off;',
    ...temporary.map((name) => `${name}_temp_path ${home}/${name};`),
    'include latchkey.conf;',
    '}',
  ]
  writeFileSync(join(home, 'nginx.conf'), main.join('\n'))
  processes.start('nginx', process.env.NGINX_PATH ?? '', ['-p', home, '-c', join(home, 'nginx.conf')], {})
  return { log: () => readFileSync(join(home, 'latchkey.log'), 'utf8') }
}
