import { randomUUID } from 'node:crypto'
import { custodyPaths } from 'latchkey-protocol'
import { createStamp } from '../../server/src/platform/crypto/createStamp.ts'
import { listen } from '../../server/src/platform/http/listen.ts'
import { createTestFrame, startTestSignerApi } from './signerApi.ts'

/** Starts a signer API over HTTP and signs a user in. Returns access tokens of the user for two projects. */
export async function startAccessTokens() {
  const projectId = 'test'
  const other = { id: 'other', name: 'Other', apiKey: 'other-api-key', redirectUrls: [], allowedOrigins: [] }
  const api = await startTestSignerApi({ projects: [other] })
  const server = await listen(api.app.fetch, { port: 0 })
  const email = `user-${randomUUID()}@example.com`
  const frame = await createTestFrame()
  const { json } = await api.post('signup', { email, targetPublicKey: frame.targetPublicKey })
  const key = await frame.open(api.readLink(email).searchParams.get('bundle') ?? '')
  async function ask(audience: string, headers?: Record<string, string>): Promise<string> {
    const body = JSON.stringify({ organizationId: json.orgId, audience })
    const stampedRequest = { body, stamp: createStamp(body, key), url: `${api.custodyUrl}${custodyPaths.whoami}` }
    return (await api.post('access-token', { stampedRequest }, headers)).json.accessToken
  }
  return {
    projectId,
    signerApiUrl: server.url,
    own: await ask(projectId),
    foreign: await ask(other.id, { authorization: `Bearer ${other.apiKey}` }),
    async close() {
      await server.close()
      await api.close()
    },
  }
}
