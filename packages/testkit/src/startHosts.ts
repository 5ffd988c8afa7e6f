import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { readBody } from './signer/listen.ts'

export type Hosts = Awaited<ReturnType<typeof startHosts>>

/** Handles the requests to one host. */
export type HostFetch = (request: Request, env: object) => Response | Promise<Response>

/**
 * Serves public hosts over TLS on this machine and redirects the browser's DNS lookups. Preflights and origin rules
 * apply, unlike with intercepted requests.
 */
export async function startHosts(hosts: Readonly<Record<string, HostFetch>>) {
  const { key, cert } = await makeCertificate()
  const server = createServer({ key, cert }, (request, response) => {
    respond(hosts, request, response).catch(() => response.destroy())
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const rules = Object.keys(hosts).map((name) => `MAP ${name}:443 127.0.0.1:${port}`)
  return {
    /** Browser arguments that connect all hosts to this server. */
    browserArgs: [`--host-resolver-rules=${rules.join(', ')}`, '--ignore-certificate-errors'],
    close: () =>
      new Promise<void>((resolve) => {
        server.closeAllConnections()
        server.close(() => resolve())
      }),
  }
}

async function respond(
  hosts: Readonly<Record<string, HostFetch>>,
  incoming: IncomingMessage,
  outgoing: ServerResponse,
): Promise<void> {
  const { method = 'GET', headers, url = '/' } = incoming
  const fetchHost = hosts[headers.host ?? '']
  const given = Object.entries(headers).filter(([name]) => name !== 'host' && name !== 'connection')
  const body = await readBody(incoming)
  const request = new Request(`https://${headers.host}${url}`, {
    method,
    headers: given.map(([name, value]): [string, string] => [name, String(value)]),
    ...(body && { body }),
  })
  const response = (await fetchHost?.(request, { incoming, outgoing })) ?? new Response(null, { status: 404 })
  outgoing.writeHead(response.status, Object.fromEntries(response.headers))
  outgoing.end(Buffer.from(await response.arrayBuffer()))
}

async function makeCertificate(): Promise<{ key: Buffer; cert: Buffer }> {
  const folder = await mkdtemp(join(tmpdir(), 'latchkey-test-hosts-'))
  const [key, cert] = [join(folder, 'key.pem'), join(folder, 'cert.pem')]
  const kind = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '2']
  try {
    await promisify(execFile)('openssl', ['req', '-x509', ...kind, '-subj', '/CN=test', '-keyout', key, '-out', cert])
    return { key: await readFile(key), cert: await readFile(cert) }
  } finally {
    await rm(folder, { recursive: true })
  }
}
