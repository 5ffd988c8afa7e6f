import type { Plan } from './plan.ts'
import { hostOf, listedRoles, type RoleEntry, type RoleName } from './roles.ts'

/*
 * Both proxies follow docs/operate/proxy.md: they leave `Host` and response headers unchanged, do not buffer streams,
 * hide the probes and log no query strings. Only nginx limits bodies; behind Caddy, the roles do.
 */

/** Returns the Caddy and nginx configurations for the hosts of all roles. */
export function proxyFiles(plan: Plan): Record<string, string> {
  return {
    'proxy/Caddyfile': caddyfile(plan),
    'proxy/nginx.conf': nginxConfig(plan),
    'proxy/nginx-snippet.conf': nginxSnippet(plan),
  }
}

type Host = { host: string } & Pick<RoleEntry, 'port' | 'isInternal' | 'maxBody'> & { role: RoleName }

function listHosts({ domain }: Plan): Host[] {
  return listedRoles.flatMap(([role, entry]) =>
    entry.host === undefined ? [] : [{ ...entry, role, host: hostOf(role, domain) }],
  )
}

function caddyfile(plan: Plan): string {
  const sites = listHosts(plan).map(({ role, host, port, isInternal }) =>
    [
      `${host} {`,
      ...(isInternal
        ? [
            '\t# For operators: inside your own network only.',
            '\t@outside not remote_ip private_ranges',
            '\tabort @outside',
          ]
        : []),
      '\t@probes path /healthz /readyz',
      '\trespond @probes 404',
      `\treverse_proxy 127.0.0.1:${port} {`,
      // Keeps the client address that the console forwards.
      ...(role === 'admin' ? ['\t\ttrusted_proxies private_ranges'] : []),
      '\t\tflush_interval -1',
      '\t}',
      '}',
    ].join('\n'),
  )
  return `# Latchkey behind Caddy, which gets the certificates by itself. The roles limit bodies themselves.\n${sites.join('\n\n')}\n`
}

function nginxConfig(plan: Plan): string {
  const servers = listHosts(plan).map(({ host, port, isInternal, maxBody }) =>
    [
      'server {',
      '    listen 443 ssl http2;',
      '    listen [::]:443 ssl http2;',
      `    server_name ${host};`,
      '    include snippets/latchkey.conf;',
      ...(isInternal
        ? [
            '    # For operators: inside your own network only.',
            ...['127.0.0.0/8', '10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', 'fd00::/8', '::1'].map(
              (network) => `    allow ${network};`,
            ),
            '    deny all;',
          ]
        : []),
      `    client_max_body_size ${maxBody};`,
      '    location ~ ^/(?:healthz|readyz)$ { return 404; }',
      `    location / { proxy_pass http://127.0.0.1:${port}; }`,
      '}',
    ].join('\n'),
  )
  const names = listHosts(plan).map(({ host }) => host)
  const plain = `server {\n    listen 80;\n    listen [::]:80;\n    server_name ${names.join(' ')};\n    return 308 https://$host$request_uri;\n}`
  const first = [
    '# Latchkey behind nginx: /etc/nginx/conf.d/latchkey.conf',
    'limit_conn_zone $binary_remote_addr zone=latchkey:10m;',
    "log_format latchkey '$remote_addr $host $request_method $uri $status $request_time $sent_http_x_request_id';",
  ].join('\n')
  return `${[first, plain, ...servers].join('\n\n')}\n`
}

function nginxSnippet({ domain }: Plan): string {
  const certificate = `/etc/letsencrypt/live/${domain}`
  const ciphers = ['AES128-GCM-SHA256', 'AES256-GCM-SHA384', 'CHACHA20-POLY1305']
  const lines = [
    '# Shared by all hosts of Latchkey: /etc/nginx/snippets/latchkey.conf',
    `ssl_certificate ${certificate}/fullchain.pem;`,
    `ssl_certificate_key ${certificate}/privkey.pem;`,
    'ssl_protocols TLSv1.2 TLSv1.3;',
    `ssl_ciphers ${ciphers.flatMap((name) => [`ECDHE-ECDSA-${name}`, `ECDHE-RSA-${name}`]).join(':')};`,
    'limit_conn latchkey 100;',
    'access_log /var/log/nginx/latchkey.log latchkey;',
    'proxy_http_version 1.1;',
    'proxy_set_header Connection "";',
    'proxy_set_header Host $http_host;',
    'proxy_set_header X-Forwarded-For $proxy_add_x_forwarded_for;',
    'proxy_read_timeout 90s;',
    'proxy_send_timeout 90s;',
  ]
  return `${lines.join('\n')}\n`
}
