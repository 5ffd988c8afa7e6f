import type { Route } from '../../server/src/admin/defineRoute.ts'
import { routes } from '../../server/src/admin/routes.ts'
import type { TestAdmin } from './startTestAdmin.ts'

const address = `0x${'11'.repeat(20)}`
const time = '2026-11-22T10:00:00Z'
const toCursor = (place: object) => Buffer.from(JSON.stringify(place)).toString('base64url')

export type AdminExample = {
  params: Record<string, unknown>
  query: Record<string, unknown>
  headers: Record<string, unknown>
  body?: unknown
}

/** Returns a valid request for each route of the admin API except the event stream. */
export async function adminExamples(admin: TestAdmin): Promise<[route: Route, example: AdminExample][]> {
  const projectId = 'shop'
  const rules = { chains: [1], limits: { sender: { day: { count: 3, cost: '1000' } } } }
  const { body: made } = await admin.call('post', `/projects/${projectId}/api-keys`, { body: { name: 'Shop' } })
  await admin.call('post', `/projects/${projectId}/policies`, { body: { id: 'gas', rules } })
  const { body: other } = await admin.call('post', '/operators', { body: { name: 'Ada', role: 'viewer' } })
  const params = {
    projectId,
    policyId: 'gas',
    keyId: made.key.id,
    operatorId: other.operator.id,
    userOpHash: `0x${'22'.repeat(32)}`,
    chainId: '1',
  }
  const filters: Record<string, object> = {
    'operation.list': {
      projectId,
      policyId: 'gas',
      chainId: '1',
      sender: address,
      state: 'included',
      from: time,
      to: time,
      cursor: toCursor({ micros: '1', userOpHash: params.userOpHash }),
    },
    'spend.list': {
      from: '2026-11-01',
      to: '2026-11-22',
      policyId: 'gas',
      chainId: '1',
      sender: address,
      by: 'sender',
      cursor: toCursor({ day: '2026-11-02', policyId: 'gas', chainId: 1, sender: '' }),
    },
    'log.list': { projectId, operatorId: params.operatorId, cursor: toCursor({ seq: '9' }) },
    'chain.read': { method: 'eth_getCode', params: JSON.stringify([address, 'latest']) },
    'apiKey.list': { cursor: toCursor({ id: params.keyId }) },
    'policy.list': { cursor: toCursor({ id: 'gas' }) },
  }
  const bodies: Record<string, object> = {
    'apiKey.create': { name: 'Key', chains: [1], origins: null, methods: ['eth_*'], requestsPerMinute: 10 },
    'apiKey.update': { name: 'Key', chains: [1], origins: [], methods: null, unitsPerMinute: 100 },
    'apiKey.rotate': { overlapSeconds: 60 },
    'policy.create': { id: 'other', paused: false, rules },
    'policy.update': { rules },
    'policy.test': { chainId: 1, entryPoint: address, sender: address, nonce: '1', callData: '0x', maxCost: '5' },
    'operator.create': { name: 'Ada', role: 'viewer', expiresAt: time },
    'operator.rotate': { overlapSeconds: 60 },
  }
  return routes
    .filter(({ response }) => response !== 'events')
    .map((route) => {
      const named = [...route.path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name)
      const example: AdminExample = {
        params: Object.fromEntries(named.map((name) => [name, params[name as keyof typeof params]])),
        query: { ...(route.name.endsWith('.list') && { limit: '2' }), ...filters[route.name] },
        headers: route.needsVersion ? { 'if-match': '"1"' } : {},
        ...(route.body && { body: bodies[route.name] ?? {} }),
      }
      return [route, example]
    })
}
